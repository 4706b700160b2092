import { useSignal } from '@preact/signals';
import type { KeptAnswer } from '../../../../contract/wire/answers.ts';
import type { KnowledgeGapReported } from '../../../../contract/wire/knowledge.ts';
import { navigate } from '../../navigation/router.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { Failure } from '../../parts/states.tsx';
import { client, may } from '../../session/deployment.ts';
import { useLoaded, useRunning } from '../../session/loaded.ts';
import { t } from '../../texts/texts.ts';

/** Characters of a question that may be looked for. */
const MAX_QUESTION = 4000;

/** What an answer that did not help leads to: the gap of its question, and an article that closes it. */
export function OpenQuestion({ answer }: { answer: KeptAnswer }) {
  const { verdict, feedback } = answer;
  const isOpen = verdict === 'declined' || verdict === 'hedged' || feedback?.value === 'down';
  return isOpen && may('support:analyze') === true ? (
    <GapLinks question={(answer.understood_as ?? answer.question).slice(0, MAX_QUESTION)} />
  ) : null;
}

const GapLinks = ({ question }: { question: string }) => {
  const { value, failure, load } = useLoaded(
    (signal) => client.gaps.list({ question, state: 'all', limit: 1 }, { signal }),
    [question],
  );
  if (failure !== undefined) return <Failure error={failure} retry={load} />;
  if (value === undefined) return null;
  const gap = value.gaps.at(0);
  const isWritable = may('kb:write') === true;
  if (gap === undefined) return isWritable ? <WriteArticle question={question} /> : null;
  return (
    <p class="row">
      <a class="button" href={`/gaps/${gap.id}`}>
        <Icon name="gaps" /> {t(`answers.gap_${gap.state}`)}
      </a>
      {isWritable && gap.state === 'open' ? (
        <a class="button" href={editorFor(gap.id)}>
          {t('gaps.write')}
        </a>
      ) : null}
    </p>
  );
};

const editorFor = (gapId: string): string => `/knowledge?edit&gap=${gapId}`;

/** Records the question as a gap, which the editor proposes an outline for, and opens the editor. */
const WriteArticle = ({ question }: { question: string }) => {
  const refusal = useSignal<KnowledgeGapReported['outcome'] | undefined>(undefined);
  const { start, failure, isLoading } = useRunning();
  const write = (): void =>
    start(
      (signal) => client.gaps.report({ question }, { signal }),
      ({ gap, outcome }) => {
        if (gap === null) refusal.value = outcome;
        else navigate(editorFor(gap.id));
      },
    );
  return (
    <>
      <p class="row">
        <Button disabled={isLoading} onClick={write}>
          {t('gaps.write')}
        </Button>
        <span role="status" class="small">
          {refusal.value === undefined ? '' : t(`declined.report_${refusal.value}`)}
        </span>
      </p>
      {failure === undefined ? null : <Failure error={failure} retry={write} />}
    </>
  );
};
