import type { Instruction, PlanLine } from '../../storage/sql-database.ts';
import { type Checked, refuseStatement as refuse, type SqlToken } from './sql-text.ts';
import type { TableSizes } from './table-sizes.ts';

const MAX_SCANS = 4;
/** Estimated rows that a statement may visit, weighted by the work for each: a few seconds of database time at worst. */
const MAX_WORK = 10_000_000;
/** How many of each cost about as much as one row. Measured in workerd: a call 130 ns, a calculation with its loads 20, another instruction 6. */
const CALLS_PER_ROW = 4;
const CALCULATIONS_PER_ROW = 16;
const INSTRUCTIONS_PER_ROW = 64;
/** Bytecode instructions (EXPLAIN) of a usual query that joins and groups four tables; only those beyond add to the cost. */
const USUAL_INSTRUCTIONS = 100;

/** The plan of a statement (docs/analytics.md): no recursion, few scans, no Cartesian product that takes minutes. */
export const checkPlan = (
  plan: readonly PlanLine[],
  { program, tokens, sizes }: { program: readonly Instruction[]; tokens: readonly SqlToken[]; sizes: TableSizes },
): Checked<number> => {
  if (plan.some(({ detail }) => detail.startsWith('RECURSIVE STEP'))) return refuse('is recursive');
  if (scansIn(plan) > MAX_SCANS) return refuse(`scans more than ${MAX_SCANS} tables`);
  const work = estimateRowsVisited(plan, { tokens, sizes }) * workPerRow(program);
  return work > MAX_WORK ? refuse('reads too many combinations of rows') : { ok: true, value: work };
};

/** Building an automatic index costs a full scan. Reading the result of a subquery does not: its own scans are counted. */
const scansIn = (plan: readonly PlanLine[]): number => {
  const materialized = plan.flatMap(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail)?.[1] ?? []);
  return plan.filter(({ detail }) => {
    const scanned = SCAN.exec(detail)?.[1] ?? AUTOMATIC_INDEX.exec(detail)?.[1];
    return scanned !== undefined && !materialized.includes(scanned);
  }).length;
};

const SCAN = /^SCAN (?!(?:\d+-?\s*)?CONSTANT ROW|\(subquery-)(\S+)/;
const AUTOMATIC_INDEX = /^SEARCH (.+?) USING AUTOMATIC /;

/** Counts every instruction for every row, because the plan does not say which loop an instruction belongs to. */
const workPerRow = (program: readonly Instruction[]): number => {
  const count = (opcodes: ReadonlySet<string>) => program.filter(({ opcode }) => opcodes.has(opcode)).length;
  const extra = Math.max(0, program.length - USUAL_INSTRUCTIONS);
  return 1 + count(CALLS) / CALLS_PER_ROW + count(CALCULATIONS) / CALCULATIONS_PER_ROW + extra / INSTRUCTIONS_PER_ROW;
};

const CALLS: ReadonlySet<string> = new Set(['Function', 'PureFunc', 'Concat']);
const CALCULATIONS: ReadonlySet<string> = new Set(
  (
    'Add Subtract Multiply Divide Remainder BitAnd BitOr BitNot ShiftLeft ShiftRight And Or Not Cast ' +
    'Eq Ne Lt Le Gt Ge ElseEq IsNull NotNull If IfNot IsTrue ZeroOrNull AggStep AggStep1 AggInverse AggValue'
  ).split(' '),
);

interface Cost {
  rowsVisited: number;
  /** Estimated rows returned. */
  rows: number;
}

/** Rows of a loop over a table: the expected number and the upper bound. */
interface Loop {
  expected: number;
  max: number;
}

/**
 * Estimates how many rows a statement visits, from its query plan (https://sqlite.org/eqp.html) and the sizes of the tables. Loops
 * of one level multiply, subqueries that run once are added, correlated ones are counted for each row. Unknown parts are
 * overestimated: grouping does not reduce rows, and an unknown name counts as the largest known table.
 */
const estimateRowsVisited = (
  plan: readonly PlanLine[],
  { tokens, sizes }: { tokens: readonly SqlToken[]; sizes: TableSizes },
): number => {
  const aliases = tablesByAlias(tokens);
  const listSizes = inListSizes(tokens);
  const tables = new Map(sizes.tables.map((table) => [table.toLowerCase(), sizes.rowsOf(table)]));
  const materialized = new Map<string, number>();
  const rowsNamed = (name: string): number => {
    const own = name.toLowerCase();
    const meant = [own, ...(aliases.get(own) ?? [])];
    const known = meant.flatMap((each) => [materialized.get(each), tables.get(each)]).filter(isKnown);
    const isResolved = known.length > 0 && !meant.includes(UNKNOWN_TABLE);
    return Math.max(...(isResolved ? known : [1, ...materialized.values(), ...tables.values()]));
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
      if (detail === 'MULTI-INDEX OR') loops.push({ expected: inner.rows, max: inner.rows });
      else if (detail.startsWith('CORRELATED')) perRow += inner.rowsVisited;
      else once += inner.rowsVisited;
      const name = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(detail)?.[1];
      if (name !== undefined) {
        const own = name.toLowerCase();
        materialized.set(own, Math.max(inner.rows, materialized.get(own) ?? 0));
      }
      if (PART_OF_COMPOUND.test(detail)) compound += inner.rows;
    }
    const product = multiply(loops, listSizes);
    return { rowsVisited: product * (1 + perRow) + once, rows: compound > 0 ? compound : product };
  };

  /** `INDEX 1`, `INDEX 2`: separate searches whose rows add up. */
  const alternatives = (id: number): Cost => {
    const rows = plan.filter(({ parent }) => parent === id).reduce((sum, line) => sum + costOf(line.id).rows, 0);
    return { rowsVisited: rows, rows };
  };

  return costOf(0).rowsVisited;
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
  const max = Math.max(1, rowsNamed(name));
  if (verb === 'SCAN') return exactly(max);
  // SQLite reads one row of an index for MIN and MAX.
  if (how === '') return exactly(1);
  const equalities = detail.match(/=\?/g)?.length ?? 0;
  if (equalities === 0) return exactly(max);
  if (how.startsWith('INTEGER PRIMARY KEY')) return { expected: 1, max };
  // An automatic index has no statistics: all rows may be equal.
  if (how.startsWith('AUTOMATIC')) return exactly(max);
  const index = /INDEX (.+?) \(/.exec(how)?.[1] ?? '';
  return { expected: Math.min(max, rowsPerKey(index, equalities) ?? Math.sqrt(max)), max };
};

const exactly = (rows: number): Loop => ({ expected: rows, max: rows });

/**
 * The rows of all loops together. Each value of an IN list is a search of its own. The plan does not say which loop a list belongs
 * to, so the longest lists are assigned where they cost most.
 */
const multiply = (loops: readonly Loop[], listSizes: readonly number[]): number =>
  loops
    .toSorted((a, b) => b.max / b.expected - a.max / a.expected)
    .reduce((product, { expected, max }, index) => product * Math.min(max, expected * (listSizes[index] ?? 1)), 1);

/** Stands for a query in parentheses, whose rows are unknown. */
const UNKNOWN_TABLE = ')';

/**
 * Maps each possible alias to the tables it may stand for: the word before it. Everything is in lower case; a parenthesis that closes
 * a subquery is `UNKNOWN_TABLE`. It finds too many rather than too few.
 */
const tablesByAlias = (tokens: readonly SqlToken[]): Map<string, string[]> => {
  const aliases = new Map<string, string[]>();
  tokens.forEach(({ kind, value }, place) => {
    if (!NAMES.has(kind)) return;
    const isAfterAs = tokens[place - 1]?.kind === 'name' && tokens[place - 1]?.value === 'as';
    const before = tokens[isAfterAs ? place - 2 : place - 1];
    if (before === undefined || (!NAMES.has(before.kind) && before.raw !== UNKNOWN_TABLE)) return;
    const name = value.toLowerCase();
    aliases.set(name, [...(aliases.get(name) ?? []), before.value.toLowerCase()]);
  });
  return aliases;
};

/** SQLite also accepts a string as an alias. */
const NAMES: ReadonlySet<SqlToken['kind']> = new Set(['name', 'quoted', 'text']);

/** The number of values of each IN list, the largest first; `Infinity` for a query or a table. */
const inListSizes = (tokens: readonly SqlToken[]): number[] =>
  tokens
    .flatMap(({ kind, value }, place) => (kind === 'name' && value === 'in' ? [sizeAfter(tokens, place + 1)] : []))
    .sort((a, b) => b - a);

const sizeAfter = (tokens: readonly SqlToken[], start: number): number => {
  if (tokens[start]?.raw !== '(') return Infinity;
  let depth = 0;
  let size = 1;
  for (let place = start; place < tokens.length; place++) {
    const { kind, raw, value } = tokens[place] ?? { kind: 'symbol', raw: ')', value: '' };
    if (kind === 'name' && (value === 'select' || value === 'values' || value === 'with')) return Infinity;
    if (raw === '(') depth++;
    if (raw === ')') depth--;
    if (depth === 0) break;
    if (raw === ',') size++;
  }
  return size;
};
