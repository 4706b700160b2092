import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type {
  AnswerFilter,
  AnswerSummary,
  AnswersPage,
} from '../../../../contract/wire/answers.ts';
import { answersAddress, navigate } from '../../navigation/router.ts';
import { Button, Icon } from '../../parts/button.tsx';
import { offerFile } from '../../parts/offer-file.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/values.tsx';
import { client, librarians } from '../../session/deployment.ts';
import { usePages, useRunning } from '../../session/loaded.ts';
import { intentTitle } from '../../support/intent-titles.ts';
import { count, formatShare, t } from '../../texts/texts.ts';
import { readLines } from './answer-lines.ts';

const PAGE = 100;

/** Kept answers, newest first, those that fit the filters of the address. */
export function AnswerList({ query }: { query: URLSearchParams }) {
  const filters = filtersIn(query);
  const { items, last, failure, isLoading, load, more } = usePages<AnswerSummary, AnswersPage>(
    // As they stand in the address: the route says what it does not accept.
    (cursor, signal) =>
      client.answers.list({ ...(filters as object), cursor, limit: PAGE }, { signal }),
    { itemsOf: ({ answers }) => answers, inputs: [JSON.stringify(filters)] },
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div class="answers-view">
      <div class="title">
        <h1>{t('view.answers')}</h1>
        {last === undefined || last.total === 0 ? null : (
          <ExportButton filters={filters} total={last.total} />
        )}
      </div>
      <AnswerFilters filters={filters} />
      {failure === undefined ? null : (
        <Failure error={failure} retry={items.length === 0 ? load : more} />
      )}
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
}

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
        cell: ({ id, question, understood_as: understoodAs }) => (
          <>
            <a class="question-link" href={`/answers/${id}`}>
              {question}
            </a>
            {understoodAs === undefined ? null : (
              <div class="small">
                {t('answers.understood_as')}: {understoodAs}
              </div>
            )}
          </>
        ),
      },
      {
        id: 'verdict',
        label: t('answers.verdict'),
        cell: ({ verdict, code }) => <Verdict verdict={verdict} code={code} />,
      },
      {
        id: 'confidence',
        label: t('answers.confidence'),
        align: 'right',
        cell: ({ confidence }) => (confidence === null ? '–' : formatShare(confidence)),
      },
      {
        id: 'interface',
        label: t('answers.interface'),
        cell: (answer) => t(`interface.${answer.interface}`),
      },
      {
        id: 'feedback',
        label: t('answers.feedback'),
        cell: ({ feedback }) => <Thumb feedback={feedback} />,
      },
      {
        id: 'person',
        label: t('answers.person_id'),
        cell: ({ person_id: person }) =>
          person === undefined ? null : (
            <a href={answersAddress({ person_id: person })}>{person}</a>
          ),
      },
      { id: 'asked', label: t('answers.asked'), cell: ({ asked_at: at }) => <Age of={at} /> },
    ]}
  />
);

const MEANING = {
  answered: 'sure',
  hedged: 'weak',
  declined: 'none',
  clarifying: 'none',
  closes: 'none',
  person: 'none',
  error: 'unsure',
} as const;
const ICON = {
  answered: 'check',
  hedged: 'warning',
  declined: 'unknown',
  clarifying: 'ask',
  closes: 'leave',
  person: 'librarians',
  error: 'cross',
} as const;

/** How a question ended, in a word and a sign. */
export function Verdict({
  verdict,
  code,
}: Pick<AnswerSummary, 'verdict'> & { code?: string | undefined }) {
  return (
    <span class={`verdict support ${MEANING[verdict]}`}>
      <Icon name={ICON[verdict]} />
      {t(`verdict.${verdict}`)}
      {code === undefined ? null : <code>{code}</code>}
    </span>
  );
}

const Thumb = ({ feedback }: Pick<AnswerSummary, 'feedback'>) =>
  feedback === null ? null : (
    <span title={feedback.comment}>
      <Icon name={`${feedback.value}-thumb`} />
      <span class="visually-hidden">
        {t(`feedback.${feedback.value}`)} {feedback.comment}
      </span>
    </span>
  );

type Filters = Partial<Record<keyof AnswerFilter, string>>;

const NAMES = [
  ...([
    'text',
    'librarian',
    'verdict',
    'confidence_from',
    'confidence_to',
    'interface',
    'feedback',
  ] as const),
  ...(['from', 'to', 'intent', 'edition', 'article', 'conversation_id', 'person_id'] as const),
] satisfies readonly (keyof AnswerFilter)[];

/** Those that other pages lead here with; they are shown, to be removed. */
const GIVEN = ['intent', 'edition', 'article', 'conversation_id'] as const;
const VERDICTS = [
  'answered',
  'hedged',
  'declined',
  'clarifying',
  'closes',
  'person',
  'error',
] as const;
const INTERFACES = [
  ...([
    'console',
    'rest',
    'stream',
    'widget',
    'chat',
    'mcp',
    'a2a',
    'ticket',
    'command_line',
    'client',
  ] as const),
] as const;
/** Filters that are shown when asked for, and when one of them is set. */
const MORE_FILTERS = [
  'person_id',
  'interface',
  'feedback',
  'from',
  'to',
  'librarian',
  'confidence_from',
  'confidence_to',
] as const;
const OPINIONS = ['any', 'up', 'down', 'none'] as const;
const BOUNDS = ['0.2', '0.4', '0.6', '0.8'] as const;
const MAX_TEXT = 200;
const MAX_PERSON = 128;
/** `2026-03-01`, of a moment too. */
const DATE_LENGTH = 10;

/** The filters in the address of the view; others are none of ours. */
const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));

const AnswerFilters = ({ filters }: { filters: Filters }) => {
  const show = (change: Filters): void => {
    const set = Object.entries({ ...filters, ...change }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    const query = new URLSearchParams(set as [string, string][]); // those without a value are filtered out
    navigate(`/answers${set.length === 0 ? '' : `?${query}`}`, { replace: true });
  };
  const choice = (
    name: keyof Filters,
    options: readonly (readonly [value: string, label: string])[],
  ) => (
    <Labelled label={t(`answers.${name}` as 'answers.librarian')}>
      {(id) => (
        <select
          id={id}
          value={filters[name] ?? ''}
          onChange={(event) => show({ [name]: event.currentTarget.value })}
        >
          <option value="">{t('answers.any')}</option>
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
  const date = (name: 'from' | 'to') => (
    <Labelled label={t(`answers.${name}`)}>
      {(id) => (
        <input
          id={id}
          type="date"
          value={(filters[name] ?? '').slice(0, DATE_LENGTH)}
          onChange={(event) => show({ [name]: event.currentTarget.value })}
        />
      )}
    </Labelled>
  );
  const given = GIVEN.filter((name) => filters[name] !== undefined);
  const shares = BOUNDS.map((bound) => [bound, `${Number(bound) * 100} %`] as const);
  return (
    <form class="filters answer-filters" onSubmit={(event) => event.preventDefault()}>
      <Labelled label={t('answers.text')}>
        {(id) => (
          <input
            id={id}
            type="search"
            maxLength={MAX_TEXT}
            value={filters.text ?? ''}
            onChange={(event) => show({ text: event.currentTarget.value.trim() })}
          />
        )}
      </Labelled>
      {choice(
        'verdict',
        VERDICTS.map((each) => [each, t(`verdict.${each}`)] as const),
      )}
      <details class="more" open={MORE_FILTERS.some((name) => filters[name] !== undefined)}>
        <summary>{t('answers.more')}</summary>
        <div class="filters answer-filters">
          <Labelled label={t('answers.person_id')}>
            {(id) => (
              <input
                id={id}
                type="search"
                maxLength={MAX_PERSON}
                value={filters.person_id ?? ''}
                onChange={(event) => show({ person_id: event.currentTarget.value.trim() })}
              />
            )}
          </Labelled>
          {choice(
            'interface',
            INTERFACES.map((each) => [each, t(`interface.${each}`)] as const),
          )}
          {choice(
            'feedback',
            OPINIONS.map((each) => [each, t(`opinion.${each}`)] as const),
          )}
          {date('from')}
          {date('to')}
          {choice(
            'librarian',
            librarians.value.map(({ id, name }) => [id, name] as const),
          )}
          {choice('confidence_from', shares)}
          {choice('confidence_to', shares)}
        </div>
      </details>
      {Object.keys(filters).length === 0 ? null : (
        <span class="row">
          {given.map((name) => (
            <Button
              key={name}
              kind="quiet"
              icon="cross"
              onClick={() => show({ [name]: undefined })}
            >
              {t(`answers.${name}`)}:{' '}
              {name === 'intent' ? intentTitle(filters[name] ?? '') : filters[name]}
            </Button>
          ))}
          <Button kind="quiet" icon="cross" onClick={() => navigate('/answers', { replace: true })}>
            {t('filter.clear')}
          </Button>
        </span>
      )}
    </form>
  );
};

const Labelled = ({
  label,
  children,
}: {
  label: string;
  children: (id: string) => ComponentChildren;
}) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
};

/** Saves all answers that fit the filters, in full, one a line. */
const ExportButton = ({ filters, total }: { filters: Filters; total: number }) => {
  const lines = useSignal(0);
  const { start, failure, isLoading } = useRunning();
  const save = (): void => {
    lines.value = 0;
    start(
      (signal) => readLines(filters, { signal, onLines: (more) => (lines.value += more) }),
      (file) => offerFile(file, 'answers'),
    );
  };
  return (
    <div class="export">
      <Button icon="down" disabled={isLoading} onClick={save}>
        {isLoading
          ? t('answers.exporting', { done: lines.value, of: total })
          : count('answers.export', total)}
      </Button>
      {failure === undefined ? null : <Failure error={failure} retry={save} />}
    </div>
  );
};
