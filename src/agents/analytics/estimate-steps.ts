import type { PlanLine } from '../../storage/sql-database.ts';
import { inListSizes } from './in-list-sizes.ts';
import type { SqlToken } from './lex-sql.ts';
import type { TableSizes } from './table-sizes.ts';
import { tablesByAlias, UNKNOWN_TABLE } from './tables-by-alias.ts';

interface Cost {
  /** Rows gone through. */
  steps: number;
  /** Rows handed on, at most. */
  rows: number;
}

/** A loop over the rows of a table: as many as are expected, and as many as there can be. */
interface Loop {
  expected: number;
  most: number;
}

/**
 * How many rows a statement goes through, from its query plan (https://sqlite.org/eqp.html) and the sizes of the tables: loops of
 * one level multiply, what a level prepares adds up, what depends on the rows of the level is counted for each of them. On the
 * high side where the plan does not tell: a grouped query counts as if nothing were grouped, a name that is unknown as the
 * largest known.
 */
export const estimateSteps = (
  plan: readonly PlanLine[],
  { tokens, sizes }: { tokens: readonly SqlToken[]; sizes: TableSizes },
): number => {
  const aliases = tablesByAlias(tokens);
  const listSizes = inListSizes(tokens);
  const tables = new Map(sizes.tables.map((table) => [table.toLowerCase(), sizes.rowsOf(table)]));
  const prepared = new Map<string, number>();
  const rowsNamed = (name: string): number => {
    const own = name.toLowerCase();
    const meant = [own, ...(aliases.get(own) ?? [])];
    const known = meant.flatMap((each) => [prepared.get(each), tables.get(each)]).filter(isKnown);
    const isClear = known.length > 0 && !meant.includes(UNKNOWN_TABLE);
    return Math.max(...(isClear ? known : [1, ...prepared.values(), ...tables.values()]));
  };

  const costOf = (parent: number): Cost => {
    const loops: Loop[] = [];
    let once = 0;
    let perRow = 0;
    let compound = 0;
    for (const { id, detail } of plan.filter((line) => line.parent === parent)) {
      const loop = loopOf(detail, { rowsNamed, rowsPerKey: sizes.rowsPerKey });
      if (loop !== undefined) {
        loops.push(loop);
        continue;
      }
      const inner = detail === 'MULTI-INDEX OR' ? alternatives(id) : costOf(id);
      if (detail === 'MULTI-INDEX OR') loops.push({ expected: inner.rows, most: inner.rows });
      else if (detail.startsWith('CORRELATED')) perRow += inner.steps;
      else once += inner.steps;
      const name = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail)?.[1];
      if (name !== undefined) {
        const own = name.toLowerCase();
        prepared.set(own, Math.max(inner.rows, prepared.get(own) ?? 0));
      }
      if (PART_OF_COMPOUND.test(detail)) compound += inner.rows;
    }
    const product = multiply(loops, listSizes);
    return { steps: product * (1 + perRow) + once, rows: compound > 0 ? compound : product };
  };

  /** `INDEX 1`, `INDEX 2`: each a search of its own; their rows add up. */
  const alternatives = (id: number): Cost => {
    const rows = plan.filter(({ parent }) => parent === id).reduce((sum, line) => sum + costOf(line.id).rows, 0);
    return { steps: rows, rows };
  };

  return costOf(0).steps;
};

const PART_OF_COMPOUND = /^(COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION|EXCEPT|INTERSECT|MERGE|LEFT$|RIGHT$)/;

const isKnown = (rows: number | undefined): rows is number => rows !== undefined;

const loopOf = (
  detail: string,
  { rowsNamed, rowsPerKey }: { rowsNamed: (name: string) => number; rowsPerKey: TableSizes['rowsPerKey'] },
): Loop | undefined => {
  const constant = /^SCAN (?:(\d+)-?\s*)?CONSTANT ROWS?/.exec(detail);
  if (constant) return exactly(Number(constant[1] ?? 1));
  const [, verb, name = '', how = ''] = /^(SCAN|SEARCH) (.+?)(?: USING (.+?))?(?: LEFT-JOIN)?$/.exec(detail) ?? [];
  if (verb === undefined) return undefined;
  const most = Math.max(1, rowsNamed(name));
  if (verb === 'SCAN') return exactly(most);
  // The least or greatest of an index.
  if (how === '') return exactly(1);
  const equalities = detail.match(/=\?/g)?.length ?? 0;
  if (equalities === 0) return exactly(most);
  if (how.startsWith('INTEGER PRIMARY KEY')) return { expected: 1, most };
  // SQLite makes one where no index tells how many rows are alike: it may be all.
  if (how.startsWith('AUTOMATIC')) return exactly(most);
  const index = /INDEX (.+?) \(/.exec(how)?.[1] ?? '';
  return { expected: Math.min(most, rowsPerKey(index, equalities) ?? Math.sqrt(most)), most };
};

const exactly = (rows: number): Loop => ({ expected: rows, most: rows });

/**
 * The rows of all loops together. A list behind IN makes one search many: which one the plan does not tell, so the
 * longest lists go where they cost most.
 */
const multiply = (loops: readonly Loop[], listSizes: readonly number[]): number =>
  loops
    .toSorted((a, b) => b.most / b.expected - a.most / a.expected)
    .reduce((product, { expected, most }, place) => product * Math.min(most, expected * (listSizes[place] ?? 1)), 1);
