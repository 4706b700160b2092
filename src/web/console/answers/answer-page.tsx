import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { KeptAnswer } from '../../../contract/wire/answers.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../parts/button.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Age } from '../parts/values.tsx';
import { client, noteRefusal } from '../session/deployment.ts';
import { formatShare, t } from '../texts/texts.ts';
import type { Answer } from './answer.ts';
import { answers, answerWith } from './asked-questions.ts';
import { learnReporters } from './reporters.ts';

interface AnswerPageProps {
  /** The first part of the view's path: `trace`. */
  path: 'trace' | 'why';
  /** Id of the answer. */
  id: string | undefined;
  children: (answer: Answer) => ComponentChildren;
}

/** A view of one answer: of this tab, or kept by the deployment; without an id, the list of those of the tab. */
export function AnswerPage({ path, id, children }: AnswerPageProps) {
  if (id === undefined) return <Chooser path={path} />;
  const answer = answerWith(id)?.value;
  if (answer === undefined) return <Kept key={id} path={path} id={id} children={children} />;
  return (
    <Page path={path} answer={answer}>
      {children(answer)}
    </Page>
  );
}

const Page = ({
  path,
  answer,
  children,
}: {
  path: 'trace' | 'why';
  answer: Answer;
  children: ComponentChildren;
}) => (
  <div class="answer-page">
    <div class="title">
      <div>
        <h1>{t(`view.${path}`)}</h1>
        <p class="quiet">{answer.query}</p>
      </div>
      {answerWith(answer.id) === undefined ? null : (
        <Button onClick={() => navigate(`/ask/${answer.conversation}`)}>{t('answer.back')}</Button>
      )}
    </div>
    {children}
  </div>
);

const Kept = ({ path, id, children }: AnswerPageProps & { id: string }) => {
  const kept = useSignal<Answer | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const load = (): void => {
    failure.value = undefined;
    readKeptAnswer(id).then(
      (answer) => {
        kept.value = answer;
      },
      (error: unknown) => {
        failure.value = error;
        void noteRefusal(error);
      },
    );
  };
  useEffect(load, []);
  if (kept.value !== undefined)
    return (
      <Page path={path} answer={kept.value}>
        {children(kept.value)}
      </Page>
    );
  return (
    <>
      <div class="title">
        <h1>{t(`view.${path}`)}</h1>
      </div>
      {failure.value === undefined ? (
        <Loading lines={6} />
      ) : (
        <Failure error={failure.value} retry={load} />
      )}
    </>
  );
};

const Chooser = ({ path }: { path: 'trace' | 'why' }) => {
  const finished = answers.value
    .map(({ value }) => value)
    .filter(({ response }) => response !== undefined);
  return (
    <>
      <div class="title">
        <h1>{t(`view.${path}`)}</h1>
      </div>
      <Table
        caption={t('answer.of_tab')}
        rows={finished.toReversed()}
        empty={
          <Empty icon="ask" title={t('answer.none')}>
            <p>{t(`${path}.empty`)}</p>
            <Button kind="primary" onClick={() => navigate('/ask')}>
              {t('not_found.back')}
            </Button>
          </Empty>
        }
        columns={[
          {
            id: 'query',
            label: t('ask.question'),
            sort: ({ query }) => query,
            cell: ({ id, query }) => <a href={`/${path}/${id}`}>{query}</a>,
          },
          {
            id: 'confidence',
            label: t('answer.confidence_label'),
            align: 'right',
            sort: ({ response }) => response?.confidence ?? -1,
            cell: ({ response }) =>
              response?.confidence === undefined ? '–' : formatShare(response.confidence),
          },
          {
            id: 'asked',
            label: t('answer.asked'),
            sort: ({ askedAt }) => askedAt,
            cell: ({ askedAt }) => <Age of={askedAt} />,
          },
        ]}
      />
    </>
  );
};

/** An answer that the deployment has kept, in the form of those of this tab. */
const readKeptAnswer = async (id: string): Promise<Answer> => {
  const answer = await client.answers.get(id);
  learnReporters(answer.metadata);
  return asAnswer(answer);
};

const asAnswer = (kept: KeptAnswer): Answer => ({
  id: kept.id,
  query: kept.question,
  conversation: kept.conversation_id ?? '',
  askedAt: Date.parse(kept.asked_at),
  phase: kept.answer === null ? 'failed' : 'done',
  routed: [],
  passages: [],
  removed: [],
  edition: kept.edition ?? undefined,
  statements: kept.statements,
  response: {
    ...(kept.answer === null ? {} : { answer: kept.answer }),
    ...(kept.confidence === null ? {} : { confidence: kept.confidence }),
    ...(kept.error === undefined ? {} : { error: kept.error }),
    sources: kept.sources,
    metadata: { ...kept.metadata, closest: kept.closest, trace: kept.trace, answer_id: kept.id },
  },
  error: kept.error,
});
