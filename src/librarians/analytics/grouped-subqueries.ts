import type { SqlToken } from './sql-text.ts';

/**
 * The subqueries of a statement that return one row for each set of values of some columns, because they group by them: by name in lower
 * case, the columns. `WITH sold AS (SELECT product_id, sum(units) FROM items GROUP BY product_id)` gives `sold: [product_id]`.
 *
 * It finds too few rather than too many: a name that stands for two subqueries has no entry, nor has anything in a statement with its own
 * rules of comparison (COLLATE).
 *
 * @param columns Of all tables. `GROUP BY month` means a column of that name before it means an expression that is called so.
 */
export function groupedSubqueries(
  tokens: readonly SqlToken[],
  { columns }: { columns: ReadonlySet<string> },
): ReadonlyMap<string, readonly string[]> {
  const grouped = new Map<string, readonly string[]>();
  if (tokens.some((token) => isWord(token, 'collate'))) return grouped;
  const ambiguous = new Set<string>();
  tokens.forEach((token, place) => {
    if (token.raw !== '(') return;
    const end = closing(tokens, place);
    const name = nameOf(tokens, { start: place, end });
    if (name === undefined) return;
    const keys = isWord(tokens[place + 1], 'select')
      ? keysOf(tokens.slice(place + 2, end), { columns })
      : undefined;
    if (keys === undefined || grouped.has(name)) ambiguous.add(name);
    else grouped.set(name, keys);
  });
  for (const name of ambiguous) grouped.delete(name);
  return grouped;
}

const isWord = (token: SqlToken | undefined, ...words: string[]): boolean =>
  token?.kind === 'name' && words.includes(token.value);

const closing = (tokens: readonly SqlToken[], start: number): number => {
  let depth = 0;
  for (let place = start; place < tokens.length; place++) {
    if (tokens[place]?.raw === '(') depth++;
    if (tokens[place]?.raw === ')') depth--;
    if (depth === 0) return place;
  }
  return tokens.length;
};

/** `name AS (...)`, with MATERIALIZED or not; `(...) AS name`, with AS or not. */
const nameOf = (
  tokens: readonly SqlToken[],
  { start, end }: { start: number; end: number },
): string | undefined => {
  let before = start - 1;
  while (isWord(tokens[before], 'materialized', 'not')) before--;
  const declared = isWord(tokens[before], 'as') ? tokens[before - 1] : undefined;
  const after = tokens[isWord(tokens[end + 1], 'as') ? end + 2 : end + 1];
  const named = declared ?? after;
  return named?.kind === 'name' || named?.kind === 'quoted' ? named.value.toLowerCase() : undefined;
};

/** Splits a list at the commas outside of parentheses. */
const items = (tokens: readonly SqlToken[]): SqlToken[][] => {
  const list: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.raw === '(') depth++;
    if (token.raw === ')') depth--;
    if (token.raw === ',' && depth === 0) list.push([]);
    else list.at(-1)?.push(token);
  }
  return list;
};

/** The tokens of a subquery that stand outside of parentheses, with their places. */
const outermost = (body: readonly SqlToken[]): { token: SqlToken; place: number }[] => {
  let depth = 0;
  return body.flatMap((token, place) => {
    if (token.raw === ')') depth--;
    const isOutside = depth === 0 && token.raw !== ')';
    if (token.raw === '(') depth++;
    return isOutside ? [{ token, place }] : [];
  });
};

const keysOf = (
  body: readonly SqlToken[],
  { columns }: { columns: ReadonlySet<string> },
): string[] | undefined => {
  const outer = outermost(body);
  const placeOf = (...words: string[]) => outer.find(({ token }) => isWord(token, ...words))?.place;
  const from = placeOf('from');
  const group = placeOf('group');
  if (
    from === undefined ||
    group === undefined ||
    placeOf('union', 'except', 'intersect') !== undefined
  )
    return undefined;
  const end = outer.find(
    ({ token, place }) => place > group && isWord(token, 'having', 'order', 'limit', 'window'),
  )?.place;
  const terms = items(body.slice(group + 2, end));
  const outputs = items(body.slice(isWord(body[0], 'distinct', 'all') ? 1 : 0, from)).map(outputOf);
  const keys = terms.map((term) => keyOf(term, { outputs, columns }));
  return keys.every((key) => key !== undefined) ? keys : undefined;
};

interface Output {
  /** The column that it is, without its table; `undefined` for an expression. */
  column: string | undefined;
  name: string | undefined;
}

const outputOf = (item: readonly SqlToken[]): Output => {
  const isNamed = isWord(item.at(-2), 'as');
  const column = columnIn(isNamed ? item.slice(0, -2) : item);
  return { column, name: isNamed ? item.at(-1)?.value.toLowerCase() : column };
};

/** `column` or `table.column`. */
const columnIn = (tokens: readonly SqlToken[]): string | undefined => {
  const isColumn = tokens.length === 1 || (tokens.length === 3 && tokens[1]?.raw === '.');
  const [last] = tokens.slice(-1);
  return isColumn && (last?.kind === 'name' || last?.kind === 'quoted')
    ? last.value.toLowerCase()
    : undefined;
};

/** The name under which a term of GROUP BY is returned. */
const keyOf = (
  term: readonly SqlToken[],
  { outputs, columns }: { outputs: readonly Output[]; columns: ReadonlySet<string> },
): string | undefined => {
  const [only] = term;
  if (term.length === 1 && only?.kind === 'number')
    return unambiguous(outputs[Number(only.value) - 1], outputs);
  const column = columnIn(term);
  if (column === undefined) return undefined;
  const returned = outputs.filter((output) => output.column === column);
  if (returned.length > 0)
    return returned.length === 1 ? unambiguous(returned[0], outputs) : undefined;
  return columns.has(column) || term.length > 1
    ? undefined
    : unambiguous(
        outputs.find(({ name }) => name === column),
        outputs,
      );
};

const unambiguous = (output: Output | undefined, outputs: readonly Output[]): string | undefined =>
  outputs.filter(({ name }) => name === output?.name).length === 1 ? output?.name : undefined;
