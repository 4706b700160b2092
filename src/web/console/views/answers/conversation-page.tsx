import { useSignal } from '@preact/signals';
import type { KeptAnswer } from '../../../../contract/wire/answers.ts';
import { Button } from '../../parts/button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/values.tsx';
import { useLoaded } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';
import { readTurns } from './answer-lines.ts';
import { Verdict } from './answer-list.tsx';

/** The newest turns of a conversation that are shown, and as many more each time that somebody wants earlier ones. */
const PAGE = 50;

/** A person's questions with their answers, in the order in which they were asked. */
export function ConversationPage({ id }: { id: string }) {
  const limit = useSignal(PAGE);
  const { value, failure, isLoading, load } = useLoaded(
    (signal) => readTurns(id, { limit: limit.value, signal }),
    [id],
  );
  const showEarlier = (): void => {
    limit.value += PAGE;
    load();
  };
  return (
    <div class="answers-view kept">
      <p class="small">
        <a href="/answers">{t('answers.back')}</a>
      </p>
      <h1>{t('answers.conversation')}</h1>
      {failure === undefined ? null : <Failure error={failure} retry={load} />}
      {value === undefined ? (
        failure === undefined ? (
          <Loading lines={10} />
        ) : null
      ) : value.turns.length === 0 ? (
        <Empty icon="answers" title={t('answers.none_match')} />
      ) : (
        <>
          {value.hasEarlier ? (
            <p>
              <Button onClick={showEarlier} disabled={isLoading}>
                {t('answers.earlier')}
              </Button>
            </p>
          ) : null}
          <ol class="conversation">
            {value.turns.map((answer) => (
              <Turn key={answer.id} answer={answer} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

const Turn = ({ answer }: { answer: KeptAnswer }) => (
  <li>
    <div class="asked-by">
      <p class="prose plain">{answer.question}</p>
      {answer.understood_as === undefined ? null : (
        <p class="small">
          {t('answers.understood_as')}: {answer.understood_as}
        </p>
      )}
      <p class="quiet small">
        <Age of={answer.asked_at} />
      </p>
    </div>
    <div class="answered-with">
      {answer.answer !== null ? (
        <Markdown text={answer.answer} />
      ) : answer.error === undefined ? null : (
        <Problem {...answer.error} />
      )}
      <p class="row small">
        <Verdict verdict={answer.verdict} code={answer.code} />
        <a href={`/answers/${answer.id}`}>{t('answers.open')}</a>
      </p>
    </div>
  </li>
);
