import type { ComponentChildren } from 'preact';
import { navigate } from '../navigation/router.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Age } from '../parts/time.tsx';
import { formatShare, t } from '../texts/texts.ts';
import type { Answer } from './answer.ts';
import { answers, answerWith } from './asked-questions.ts';

interface AnswerPageProps {
  /** The first part of the view's path: `trace`. */
  path: 'trace' | 'why';
  /** Of the answer. */
  id: string | undefined;
  children: (answer: Answer) => ComponentChildren;
}

/** A view of one answer of this tab; without an id, the list of them. */
export const AnswerPage = ({ path, id, children }: AnswerPageProps) => {
  const answer = answerWith(id)?.value;
  if (answer === undefined) return <Chooser path={path} isMissing={id !== undefined} />;
  return (
    <div class="answer-page">
      <div class="title">
        <div>
          <h1>{t(`view.${path}`)}</h1>
          <p class="quiet">{answer.query}</p>
        </div>
        <Button onClick={() => navigate(`/ask/${answer.conversation}`)}>{t('answer.back')}</Button>
      </div>
      {children(answer)}
    </div>
  );
};

const Chooser = ({ path, isMissing }: { path: 'trace' | 'why'; isMissing: boolean }) => {
  const finished = answers.value.map(({ value }) => value).filter(({ response }) => response !== undefined);
  return (
    <>
      <div class="title">
        <h1>{t(`view.${path}`)}</h1>
      </div>
      {isMissing ? <p class="banner">{t('answer.missing')}</p> : null}
      <Table
        caption={t('answer.of_tab')}
        rows={finished.toReversed()}
        rowKey={({ id }) => id}
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
            cell: ({ response }) => (response?.confidence === undefined ? '–' : formatShare(response.confidence)),
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
