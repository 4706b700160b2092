import type { SqlToken } from './sql-text.ts';

/** A token, or the contents of a pair of brackets. */
export type Part = SqlToken | Part[];

/** One SELECT of a statement, by its clauses. Other queries stand in it as brackets, and are listed themselves. */
export interface Select {
  /** `sold` for `WITH sold AS (SELECT ...)` and `(SELECT ...) AS sold`, in lower case. */
  name: string | undefined;
  /** In how many pairs of brackets it stands. */
  depth: number;
  /** It is joined to another by UNION, EXCEPT or INTERSECT. */
  isCompound: boolean;
  columns: Output[];
  from: Part[];
  where: Part[];
  /** The terms of GROUP BY. */
  group: Part[][];
  /** All words of it, with those of HAVING and ORDER BY. */
  parts: Part[];
}

/** A column that a SELECT returns. */
interface Output {
  parts: Part[];
  /** The column that it is, without its table, in lower case; `undefined` for an expression. */
  column: string | undefined;
  /** Its alias, or else the column. */
  name: string | undefined;
}

/** Every SELECT of a statement. */
export function selectsIn(tokens: readonly SqlToken[]): Select[] {
  return selectsAmong(nested(tokens), { depth: 0 });
}

/** The names of all that stands in brackets, of queries and of expressions: `(...) AS name`. */
export function namesOfBrackets(tokens: readonly SqlToken[]): string[] {
  const namesAmong = (parts: readonly Part[]): string[] =>
    parts.flatMap((part, at) =>
      Array.isArray(part) ? [nameBeside(parts, at) ?? [], namesAmong(part)].flat() : [],
    );
  return namesAmong(nested(tokens));
}

export function isWord(part: Part | undefined, ...words: string[]): boolean {
  return (
    part !== undefined && !Array.isArray(part) && part.kind === 'name' && words.includes(part.value)
  );
}

export function isSign(part: Part | undefined, sign: string): boolean {
  return part !== undefined && !Array.isArray(part) && part.raw === sign;
}

export function isQuery(part: Part): boolean {
  return Array.isArray(part) && isWord(part[0], 'select', 'with', 'values');
}

/** `column` or `table.column`: the name of the column in lower case. */
function columnOf(parts: readonly Part[]): string | undefined {
  const last = parts.at(-1);
  const isColumn = parts.length === 1 || (parts.length === 3 && isSign(parts[1], '.'));
  return isColumn ? nameOf(last) : undefined;
}

const nameOf = (part: Part | undefined): string | undefined =>
  part !== undefined && !Array.isArray(part) && (part.kind === 'name' || part.kind === 'quoted')
    ? part.value.toLowerCase()
    : undefined;

/** Each call of a function outside of inner queries: its name, its arguments, and FILTER and OVER after it. */
export function callsIn(parts: readonly Part[], names: readonly string[]): Part[][] {
  return parts.flatMap((part, place) => {
    if (Array.isArray(part)) return isQuery(part) ? [] : callsIn(part, names);
    if (!isWord(part, ...names) || !Array.isArray(parts[place + 1])) return [];
    let end = place + 2;
    while (isWord(parts[end], 'filter', 'over')) end += 2;
    return [parts.slice(place, end)];
  });
}

const nested = (tokens: readonly SqlToken[]): Part[] => {
  const open: Part[][] = [[]];
  for (const token of tokens) {
    if (token.raw === '(') open.push([]);
    else if (token.raw === ')') open.at(-2)?.push(open.pop() ?? []);
    else open.at(-1)?.push(token);
  }
  return open[0] ?? [];
};

const selectsAmong = (
  parts: readonly Part[],
  { depth, name }: { depth: number; name?: string | undefined },
): Select[] => {
  const starts = parts.flatMap((part, at) => (isWord(part, 'select') ? [at] : []));
  const isCompound = starts.length > 1;
  const own = starts.map((start, at) =>
    // `(WITH ... SELECT ...)` has no name of its own.
    selectOf(parts.slice(start, starts[at + 1]), {
      depth,
      name: start === 0 ? name : undefined,
      isCompound,
    }),
  );
  const inner = parts.flatMap((part, at) =>
    Array.isArray(part)
      ? selectsAmong(part, { depth: depth + 1, name: nameBeside(parts, at) })
      : [],
  );
  return [...own, ...inner];
};

/** `name AS (...)`, with MATERIALIZED or not; `(...) AS name`, with AS or not. */
const nameBeside = (parts: readonly Part[], at: number): string | undefined => {
  let before = at - 1;
  while (isWord(parts[before], 'materialized', 'not')) before -= 1;
  return isWord(parts[before], 'as')
    ? nameOf(parts[before - 1])
    : nameOf(parts[isWord(parts[at + 1], 'as') ? at + 2 : at + 1]);
};

const CLAUSES = 'select from where group having window order limit union except intersect'.split(
  ' ',
);

const selectOf = (parts: Part[], place: Pick<Select, 'name' | 'depth' | 'isCompound'>): Select => {
  const clauses = new Map<string, Part[]>();
  let clause: Part[] = [];
  for (const part of parts) {
    const keyword = CLAUSES.find((word) => isWord(part, word));
    if (keyword === undefined || clauses.has(keyword)) clause.push(part);
    else {
      clause = [];
      clauses.set(keyword, clause);
    }
  }
  const [first, ...selected] = clauses.get('select') ?? [];
  const columns = isWord(first, 'distinct', 'all') ? selected : (clauses.get('select') ?? []);
  return {
    ...place,
    columns: splitByComma(columns).map(outputOf),
    from: clauses.get('from') ?? [],
    where: clauses.get('where') ?? [],
    group: clauses.has('group') ? splitByComma(clauses.get('group')?.slice(1) ?? []) : [],
    parts,
  };
};

const splitByComma = (parts: readonly Part[]): Part[][] => {
  const split: Part[][] = [[]];
  for (const part of parts) {
    if (isSign(part, ',')) split.push([]);
    else split.at(-1)?.push(part);
  }
  return split;
};

const outputOf = (parts: Part[]): Output => {
  const isNamed = isWord(parts.at(-2), 'as');
  const column = columnOf(isNamed ? parts.slice(0, -2) : parts);
  return { parts, column, name: isNamed ? nameOf(parts.at(-1)) : column };
};

/**
 * The column of a SELECT that a term of GROUP BY is, by its position, its alias or its name.
 *
 * @param columns Those of all tables: `GROUP BY month` means a column of that name before it means an expression that is called so.
 */
export function groupedColumn(
  term: readonly Part[],
  { columns: outputs }: Pick<Select, 'columns'>,
  columns: ReadonlySet<string>,
): Output | undefined {
  const [only] = term;
  if (term.length === 1 && only !== undefined && !Array.isArray(only) && only.kind === 'number')
    return outputs[Number(only.value) - 1];
  const column = columnOf(term);
  const returned = outputs.filter((output) => output.column === column);
  if (column === undefined || returned.length > 1) return undefined;
  if (returned.length === 1 || columns.has(column) || term.length > 1) return returned[0];
  return outputs.find(({ name }) => name === column);
}
