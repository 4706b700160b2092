import type { Catalogue } from './catalogue.ts';
import {
  callsIn,
  groupedColumn,
  isQuery,
  isWord,
  type Part,
  type Select,
  selectsIn,
} from './select-outline.ts';
import { type Checked, lexSql, refuseStatement as refuse, type SqlToken } from './sql-text.ts';

/**
 * Refuses a statement that sums, averages or compares amounts of several currencies as if they were one: an aggregate of a column
 * that ends in `_cents` needs rows grouped by `currency` or limited to one. It reads the text and therefore misses amounts that
 * an inner query has renamed.
 */
export function checkCurrencies(
  sql: string,
  { tables }: Pick<Catalogue, 'tables'>,
): Checked<string> {
  const hasCurrencies = tables.some(({ columns }) => CURRENCY in columns);
  const lexed = lexSql(sql);
  if (!hasCurrencies || !lexed.ok) return { ok: true, value: sql };
  return selectsIn(lexed.tokens).some(mixesCurrencies)
    ? refuse(
        'adds up or compares amounts of several currencies: group by currency, or use one of them only',
      )
    : { ok: true, value: sql };
}

const CURRENCY = 'currency';
const AGGREGATES = ['sum', 'total', 'avg', 'median', 'min', 'max'];

const mixesCurrencies = (select: Select): boolean => {
  const amounts = callsIn(select.parts, AGGREGATES).filter((call) => flat(call).some(isAmount));
  const isLimited =
    isOneCurrency(flat(select.from, { queries: true })) || isOneCurrency(flat(select.where));
  const isGrouped = select.group.some(
    (term) =>
      flat(term).some(isCurrency) || groupedColumn(term, select, NO_COLUMNS)?.column === CURRENCY,
  );
  if (isLimited || isGrouped) return false;
  return !amounts.every((call) => isOneCurrency(flat(call)) || isWindowByCurrency(call));
};

const NO_COLUMNS: ReadonlySet<string> = new Set();

const isNamed = ({ kind }: SqlToken): boolean => kind === 'name' || kind === 'quoted';
const isAmount = (token: SqlToken): boolean => isNamed(token) && /_cents$/i.test(token.value);
const isCurrency = (token: SqlToken): boolean =>
  isNamed(token) && token.value.toLowerCase() === CURRENCY;

/** All tokens in order, without brackets; inner queries only on request. */
const flat = (parts: readonly Part[], { queries = false } = {}): SqlToken[] =>
  parts.flatMap((part) => {
    if (!Array.isArray(part)) return [part];
    return isQuery(part) && !queries ? [] : flat(part, { queries });
  });

/** `currency = 'EUR'`, either way round, or `currency IN ('EUR')`. */
const isOneCurrency = (tokens: readonly SqlToken[]): boolean =>
  tokens.some((token, place) => {
    if (!isCurrency(token)) return false;
    const [next, value, after] = tokens.slice(place + 1, place + 4);
    if (next?.value === 'in') return value?.kind === 'text' && after?.raw !== ',';
    if (isEqual(next)) return value?.kind === 'text';
    // `'EUR' = o.currency`
    const start = tokens[place - 1]?.raw === '.' ? place - 2 : place;
    return isEqual(tokens[start - 1]) && tokens[start - 2]?.kind === 'text';
  });

const isEqual = (token: SqlToken | undefined): boolean => token?.raw === '=' || token?.raw === '==';

const isWindowByCurrency = (call: readonly Part[]): boolean =>
  call.some(
    (part, place) =>
      isWord(call[place - 1], 'over') && Array.isArray(part) && flat(part).some(isCurrency),
  );
