import type { AnswerSummary, AnswersPage } from '../../../contract/answers.ts';
import { navigate } from '../../navigation/router.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/time.tsx';
import { client } from '../../session/deployment.ts';
import { usePages } from '../../session/loaded.ts';
import { count, formatMs, formatShare, t } from '../../texts/texts.ts';
import { AnswerFilters, filtersIn } from './answer-filters.tsx';
import { ExportButton } from './export-answers.tsx';

const PAGE = 100;

/** Kept answers, newest first, those that fit the filters of the address. */
export const AnswerList = ({ query }: { query: URLSearchParams }) => {
  const filters = filtersIn(query);
  const { items, last, failure, isLoading, load, more } = usePages<AnswerSummary, AnswersPage>(
    // As they stand in the address: the route says what it does not accept.
    (cursor, signal) => client.answers.list({ ...(filters as object), cursor, limit: PAGE }, { signal }),
    { itemsOf: ({ answers }) => answers, inputs: [JSON.stringify(filters)] },
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div class="answers-view">
      <div class="title">
        <h1>{t('view.answers')}</h1>
        {last === undefined || last.total === 0 ? null : <ExportButton filters={filters} total={last.total} />}
      </div>
      <AnswerFilters filters={filters} />
      {failure === undefined ? null : <Failure error={failure} retry={items.length === 0 ? load : more} />}
      {last === undefined ? (
        failure === undefined ? (
          <Loading lines={10} />
        ) : null
      ) : (
        <>
          <p class="quiet small" role="status">
            {count('answers.found', last.total)}
          </p>
          <Answers answers={items} onMore={more} isLoading={isLoading} isFiltered={isFiltered} />
        </>
      )}
    </div>
  );
};

interface AnswersProps {
  answers: readonly AnswerSummary[];
  onMore: (() => void) | undefined;
  isLoading: boolean;
  isFiltered: boolean;
}

const Answers = ({ answers, onMore, isLoading, isFiltered }: AnswersProps) => (
  <Table
    caption={t('view.answers')}
    rows={answers}
    onMore={onMore}
    isLoading={isLoading}
    empty={
      <Empty icon="answers" title={t(isFiltered ? 'answers.none_match' : 'answers.none')}>
        <p>{t(isFiltered ? 'answers.none_match_text' : 'answers.none_text')}</p>
        {isFiltered ? null : (
          <button type="button" class="button primary" onClick={() => navigate('/ask')}>
            {t('not_found.back')}
          </button>
        )}
      </Empty>
    }
    columns={[
      {
        id: 'question',
        label: t('answers.question'),
        cell: ({ id, question, librarians }) => (
          <>
            <a class="question-link" href={`/answers/${id}`}>
              {question}
            </a>
            <span class="quiet small">{librarians.join(', ')}</span>
          </>
        ),
      },
      { id: 'verdict', label: t('answers.verdict'), cell: ({ verdict, code }) => <Verdict {...{ verdict, code }} /> },
      {
        id: 'confidence',
        label: t('answers.confidence'),
        align: 'right',
        cell: ({ confidence }) => (confidence === null ? '–' : formatShare(confidence)),
      },
      { id: 'interface', label: t('answers.interface'), cell: (answer) => t(`interface.${answer.interface}`) },
      { id: 'time', label: t('answers.time'), align: 'right', cell: ({ duration_ms: ms }) => formatMs(ms) },
      { id: 'feedback', label: t('answers.feedback'), cell: ({ feedback }) => <Thumb feedback={feedback} /> },
      { id: 'asked', label: t('answers.asked'), cell: ({ asked_at: at }) => <Age of={at} /> },
    ]}
  />
);

const MEANING = { answered: 'sure', hedged: 'weak', declined: 'none', clarifying: 'none', error: 'unsure' } as const;
const ICON = { answered: 'check', hedged: 'warning', declined: 'unknown', clarifying: 'ask', error: 'cross' } as const;

/** How a question ended, in a word and a sign. */
export const Verdict = ({ verdict, code }: Pick<AnswerSummary, 'verdict'> & { code?: string | undefined }) => (
  <span class={`verdict support ${MEANING[verdict]}`}>
    <Icon name={ICON[verdict]} />
    {t(`verdict.${verdict}`)}
    {code === undefined ? null : <code>{code}</code>}
  </span>
);

const Thumb = ({ feedback }: Pick<AnswerSummary, 'feedback'>) =>
  feedback === null ? null : (
    <span title={feedback.comment}>
      <Icon name={`${feedback.value}-thumb`} />
      <span class="visually-hidden">
        {t(`feedback.${feedback.value}`)} {feedback.comment}
      </span>
    </span>
  );
