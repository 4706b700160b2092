import type { Catalogue } from './catalogue.ts';
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
  return selectsIn(nest(lexed.tokens)).some(mixesCurrencies)
    ? refuse(
        'adds up or compares amounts of several currencies: group by currency, or use one of them only',
      )
    : { ok: true, value: sql };
}

const CURRENCY = 'currency';
const AGGREGATES: ReadonlySet<string> = new Set(['sum', 'total', 'avg', 'median', 'min', 'max']);

/** A token, or the contents of a pair of brackets. */
type Part = SqlToken | Part[];

const nest = (tokens: readonly SqlToken[]): Part[] => {
  const open: Part[][] = [[]];
  for (const token of tokens) {
    if (token.raw === '(') open.push([]);
    else if (token.raw === ')') open.at(-2)?.push(open.pop() ?? []);
    else open.at(-1)?.push(token);
  }
  return open[0] ?? [];
};

const isWord = (part: Part | undefined, ...words: string[]): boolean =>
  part !== undefined && !Array.isArray(part) && part.kind === 'name' && words.includes(part.value);

const isQuery = (part: Part): boolean =>
  Array.isArray(part) && isWord(part[0], 'select', 'with', 'values');

/** Every SELECT of a statement, each from its first word to its last. */
const selectsIn = (parts: readonly Part[]): Part[][] => {
  const own: Part[][] = [];
  for (const part of parts) {
    if (isWord(part, 'select')) own.push([]);
    else if (isWord(part, 'union', 'except', 'intersect')) own.push([]);
    own.at(-1)?.push(part);
  }
  return [...own, ...parts.flatMap((part) => (Array.isArray(part) ? selectsIn(part) : []))];
};

const mixesCurrencies = (select: readonly Part[]): boolean => {
  const amounts = aggregatesIn(select).filter((call) => flat(call).some(isAmount));
  if (amounts.length === 0) return false;
  const from = clause(select, 'from');
  const isLimited =
    isOneCurrency(flat(from, { queries: true })) || isOneCurrency(flat(clause(select, 'where')));
  if (isLimited || groupsByCurrency(select)) return false;
  return !amounts.every((call) => isOneCurrency(flat(call)) || isWindowByCurrency(call));
};

/** Each call of an aggregate: its name, its arguments, and FILTER and OVER after it. */
const aggregatesIn = (parts: readonly Part[]): Part[][] =>
  parts.flatMap((part, place) => {
    if (Array.isArray(part)) return isQuery(part) ? [] : aggregatesIn(part);
    if (!isWord(part, ...AGGREGATES) || !Array.isArray(parts[place + 1])) return [];
    let end = place + 2;
    while (isWord(parts[end], 'filter', 'over')) end += 2;
    return [parts.slice(place, end)];
  });

const isAmount = ({ kind, value }: SqlToken): boolean =>
  (kind === 'name' || kind === 'quoted') && /_cents$/i.test(value);

const isCurrency = (token: SqlToken | undefined): boolean =>
  (token?.kind === 'name' || token?.kind === 'quoted') && token.value.toLowerCase() === CURRENCY;

/** The words between one keyword and the next. */
const clause = (select: readonly Part[], keyword: string): Part[] => {
  const start = select.findIndex((part) => isWord(part, keyword));
  if (start < 0) return [];
  const rest = select.slice(start + 1);
  const end = rest.findIndex((part) =>
    isWord(part, 'where', 'group', 'having', 'window', 'order', 'limit'),
  );
  return end < 0 ? rest : rest.slice(0, end);
};

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

/** Supports GROUP BY with a name, an alias or a position. */
const groupsByCurrency = (select: readonly Part[]): boolean => {
  const start = select.findIndex((part) => isWord(part, 'group'));
  if (start < 0) return false;
  const from = select.findIndex((part) => isWord(part, 'from'));
  const columns = splitByComma(select.slice(1, from < 0 ? undefined : from));
  const terms = splitByComma(clause(select.slice(start), 'group').slice(1));
  return terms.some((term) => {
    const words = flat(term);
    const [first] = words;
    if (words.some(isCurrency)) return true;
    if (words.length !== 1 || first === undefined) return false;
    const meant =
      first.kind === 'number'
        ? [columns[Number(first.raw) - 1] ?? []]
        : columns.filter(
            (column) => flat(column).at(-1)?.value.toLowerCase() === first.value.toLowerCase(),
          );
    return meant.some((column) => isCurrency(flat(column)[flat(column)[1]?.raw === '.' ? 2 : 0]));
  });
};

const splitByComma = (parts: readonly Part[]): Part[][] => {
  const split: Part[][] = [[]];
  for (const part of parts) {
    if (!Array.isArray(part) && part.raw === ',') split.push([]);
    else split.at(-1)?.push(part);
  }
  return split;
};
