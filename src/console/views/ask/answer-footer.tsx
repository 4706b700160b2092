import { type Signal, useSignal } from '@preact/signals';
import { type Answer, agentIn, asMarkdown, storedIdOf } from '../../answers/answer.ts';
import { loadDisplay } from '../../answers/asked-questions.ts';
import { Feedback, giveFeedbackOn } from '../../answers/feedback.tsx';
import { navigate } from '../../navigation/router.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { Failure } from '../../parts/states.tsx';
import { formatShare, t } from '../../texts/texts.ts';

/** What can be done with a finished answer. */
export const AnswerFooter = ({ answer: shown }: { answer: Signal<Answer> }) => {
  const answer = shown.value;
  const failure = useSignal<unknown>(undefined);
  const display = (): void => {
    failure.value = undefined;
    loadDisplay(shown).catch((error: unknown) => {
      failure.value = error;
    });
  };
  const storedId = storedIdOf(answer.response);
  // An id of the deployment opens the answer for others, too.
  const id = storedId ?? answer.id;
  const { confidence } = answer.response ?? {};
  return (
    <footer class="answer-footer">
      <div class="row">
        {confidence === undefined ? null : (
          <span class="quiet small">{t('answer.confidence', { share: formatShare(confidence) })}</span>
        )}
        {agentIn(answer.response) === undefined || answer.display !== undefined ? null : (
          <Button kind="quiet" icon="charts" onClick={display}>
            {t('answer.display')}
          </Button>
        )}
        <Button kind="quiet" icon="trace" class="button quiet to-trace" onClick={() => navigate(`/trace/${id}`)}>
          {t('view.trace')}
        </Button>
        <Button kind="quiet" icon="why" onClick={() => navigate(`/why/${id}`)}>
          {t('view.why')}
        </Button>
        <CopyButton text={() => asMarkdown(answer)}>{t('answer.copy')}</CopyButton>
        {storedId === undefined ? null : <Feedback give={giveFeedbackOn(storedId)} />}
      </div>
      {failure.value === undefined ? null : <Failure error={failure.value} retry={display} />}
    </footer>
  );
};
