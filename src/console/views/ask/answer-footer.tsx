import { type Signal, useSignal } from '@preact/signals';
import { type Answer, agentIn, asMarkdown, storedIdOf } from '../../answers/answer.ts';
import { loadDisplay } from '../../answers/asked-questions.ts';
import { navigate } from '../../navigation/router.ts';
import { Button, CopyButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/states.tsx';
import { call } from '../../session/deployment.ts';
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
        {storedId === undefined ? null : <Feedback id={storedId} />}
      </div>
      {failure.value === undefined ? null : <Failure error={failure.value} retry={display} />}
    </footer>
  );
};

const MAX_COMMENT = 500;

/** A thumb, and one sentence for those who want to say more. */
const Feedback = ({ id }: { id: string }) => {
  const given = useSignal<'up' | 'down' | undefined>(undefined);
  const comment = useSignal('');
  const isSaid = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const give = (value: 'up' | 'down'): void => {
    given.value = value;
    failure.value = undefined;
    const said = comment.value.trim();
    const body = { value, ...(said === '' ? {} : { comment: said }) };
    call(`POST /v1/answers/${encodeURIComponent(id)}/feedback`, {}, { body }).then(
      () => {
        isSaid.value = said !== '';
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  };
  const value = given.value;
  return (
    <>
      <span class="row thumbs">
        <Button
          kind="quiet"
          icon="up-thumb"
          label={t('feedback.up')}
          aria-pressed={value === 'up'}
          onClick={() => give('up')}
        />
        <Button
          kind="quiet"
          icon="down-thumb"
          label={t('feedback.down')}
          aria-pressed={value === 'down'}
          onClick={() => give('down')}
        />
      </span>
      {value === undefined ? null : (
        <form
          class="row feedback"
          onSubmit={(event) => {
            event.preventDefault();
            give(value);
          }}
        >
          {isSaid.value ? (
            <span class="quiet" role="status">
              {t('feedback.thanks')}
            </span>
          ) : (
            <>
              <TextField
                label={t('feedback.comment')}
                maxLength={MAX_COMMENT}
                value={comment.value}
                onInput={(event) => {
                  comment.value = event.currentTarget.value;
                }}
              />
              <Button type="submit">{t('feedback.send')}</Button>
            </>
          )}
        </form>
      )}
      {failure.value === undefined ? null : <Failure error={failure.value} />}
    </>
  );
};
