import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { AnswerFilter } from '../../../contract/answers.ts';
import { navigate } from '../../navigation/router.ts';
import { Button } from '../../parts/button.tsx';
import { librarians } from '../../session/deployment.ts';
import { t } from '../../texts/texts.ts';

export type Filters = Partial<Record<keyof AnswerFilter, string>>;

const NAMES = [
  ...(['text', 'librarian', 'verdict', 'confidence_from', 'confidence_to', 'interface', 'feedback'] as const),
  ...(['from', 'to', 'intent', 'edition', 'article', 'conversation_id', 'person_id'] as const),
] satisfies readonly (keyof AnswerFilter)[];

/** Those that other pages lead here with; they are shown, to be removed. */
const GIVEN = ['intent', 'edition', 'article', 'conversation_id', 'person_id'] as const;
const VERDICTS = ['answered', 'hedged', 'declined', 'clarifying', 'error'] as const;
const INTERFACES = [
  ...(['console', 'rest', 'stream', 'widget', 'chat', 'mcp', 'a2a', 'ticket', 'command_line', 'client'] as const),
] as const;
const OPINIONS = ['any', 'up', 'down', 'none'] as const;
const BOUNDS = ['0.2', '0.4', '0.6', '0.8'] as const;
const MAX_TEXT = 200;
/** `2026-03-01`, of a moment too. */
const DATE_LENGTH = 10;

/** The filters in the address of the view; others are none of ours. */
export const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));

export const AnswerFilters = ({ filters }: { filters: Filters }) => {
  const show = (change: Filters): void => {
    const set = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(set as [string, string][]); // those without a value are filtered out
    navigate(`/answers${set.length === 0 ? '' : `?${query}`}`, { replace: true });
  };
  const choice = (name: keyof Filters, options: readonly (readonly [value: string, label: string])[]) => (
    <Labelled label={t(`answers.${name}` as 'answers.librarian')}>
      {(id) => (
        <select id={id} value={filters[name] ?? ''} onChange={(event) => show({ [name]: event.currentTarget.value })}>
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
          {...{ id, type: 'date' }}
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
            {...{ id, type: 'search', maxLength: MAX_TEXT }}
            value={filters.text ?? ''}
            onChange={(event) => show({ text: event.currentTarget.value.trim() })}
          />
        )}
      </Labelled>
      {choice(
        'librarian',
        librarians.value.map(({ id }) => [id, id] as const),
      )}
      {choice(
        'verdict',
        VERDICTS.map((each) => [each, t(`verdict.${each}`)] as const),
      )}
      {choice('confidence_from', shares)}
      {choice('confidence_to', shares)}
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
      {Object.keys(filters).length === 0 ? null : (
        <span class="row">
          {given.map((name) => (
            <Button key={name} kind="quiet" icon="cross" onClick={() => show({ [name]: undefined })}>
              {t(`answers.${name}`)}: {filters[name]}
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

const Labelled = ({ label, children }: { label: string; children: (id: string) => ComponentChildren }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
};
