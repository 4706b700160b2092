import type {
  Explanation,
  Instruction,
  PlanLine,
  SchemaEntry,
} from '../../platform/storage/sql-database.ts';
import { type GroupedSubqueries, groupedSubqueries } from './grouped-subqueries.ts';
import { KNOWN_LINE, type PlannedLoop, readLoop, resultOf, scansIn } from './query-plan.ts';
import { type Checked, refuseStatement as refuse, type SqlToken } from './sql-text.ts';
import { inListSizes, tablesByAlias, UNKNOWN_TABLE } from './statement-names.ts';
import type { TableSizes } from './table-sizes.ts';

const MAX_SCANS = 4;
/** Rows that a statement may visit, weighted by the work for each: a few seconds of database time at worst. */
export const MAX_WORK = 10_000_000;
/** How many of each cost about as much as one row. Measured in workerd: a call 130 ns, a calculation with its loads 20, another instruction 6. */
const CALLS_PER_ROW = 4;
const CALCULATIONS_PER_ROW = 16;
const INSTRUCTIONS_PER_ROW = 64;
/** Bytecode instructions (EXPLAIN) of a usual query that joins and groups four tables; only those beyond add to the cost. */
const USUAL_INSTRUCTIONS = 100;
/** A row that is sorted, kept for grouping or put into a window costs as much as this many: 2 µs, and 20 once they no longer fit into memory. */
const ROWS_PER_SORTED_ROW = 20;

interface CostRules {
  tokens: readonly SqlToken[];
  sizes: TableSizes;
  maxWork: number;
}

/**
 * Bounds the work of a statement (docs/analytics.md): no recursion, few scans, no product of tables that takes minutes.
 *
 * Every loop of the plan (https://sqlite.org/eqp.html) counts with all rows of its table, unless the plan names an index and the columns
 * whose values it looks up: then it counts with the rows of the most frequent value. A line of the plan that is not known here refuses
 * the statement, so that one which SQLite adds later opens no gap.
 *
 * @returns The work, in rows.
 */
export async function checkCost(
  { plan, program, schema }: Pick<Explanation, 'plan' | 'program' | 'schema'>,
  { tokens, sizes, maxWork }: CostRules,
): Promise<Checked<number>> {
  if (plan.some(({ detail }) => detail.startsWith('RECURSIVE STEP'))) return refuse('is recursive');
  if (plan.some(({ detail }) => !KNOWN_LINE.test(detail)))
    return refuse('has a plan whose cost is unknown');
  if (scansIn(plan) > MAX_SCANS) return refuse(`scans more than ${MAX_SCANS} tables`);
  const grouped = groupedSubqueries(tokens, { columns: sizes.columns, schema });
  const names = { tokens, sizes, schema, grouped };
  const keys = await rowsOfKeys(plan, names);
  const cost = costOf(plan, { program, keys, ...names });
  const work = cost.rowsVisited * workPerRow(program) + cost.rowsSorted * ROWS_PER_SORTED_ROW;
  return work <= maxWork
    ? { ok: true, value: work }
    : refuse('reads too many combinations of rows');
}

/** Counts every instruction for every row, because the plan does not say which loop an instruction belongs to. */
const workPerRow = (program: readonly Instruction[]): number => {
  const count = (opcodes: ReadonlySet<string>) =>
    program.filter(({ opcode }) => opcodes.has(opcode)).length;
  const extra = Math.max(0, program.length - USUAL_INSTRUCTIONS);
  return (
    1 +
    count(CALLS) / CALLS_PER_ROW +
    count(CALCULATIONS) / CALCULATIONS_PER_ROW +
    extra / INSTRUCTIONS_PER_ROW
  );
};

const CALLS: ReadonlySet<string> = new Set(['Function', 'PureFunc', 'Concat']);
const CALCULATIONS: ReadonlySet<string> = new Set(
  (
    'Add Subtract Multiply Divide Remainder BitAnd BitOr BitNot ShiftLeft ShiftRight And Or Not Cast ' +
    'Eq Ne Lt Le Gt Ge ElseEq IsNull NotNull If IfNot IsTrue ZeroOrNull AggStep AggStep1 AggInverse AggValue'
  ).split(' '),
);

/** What is known about the names of a statement. */
interface Names {
  tokens: readonly SqlToken[];
  sizes: TableSizes;
  schema: readonly SchemaEntry[];
  grouped: GroupedSubqueries;
}

/**
 * The tables that a loop may read, in lower case, and whether it may read something else too: a name of the plan is a table, an alias or a
 * subquery, and the plan does not say which. An index belongs to one table.
 */
const meaningOf = ({
  tokens,
  schema,
}: Pick<Names, 'tokens' | 'schema'>): ((loop: Pick<PlannedLoop, 'name' | 'index'>) => string[]) => {
  const aliases = tablesByAlias(tokens);
  return ({ name, index }) => {
    const owner = schema.find((entry) => entry.type === 'index' && entry.name === index)?.table;
    const own = name.toLowerCase();
    return owner === undefined ? [own, ...(aliases.get(own) ?? [])] : [owner.toLowerCase()];
  };
};

/**
 * By the id of its line, for each loop that looks up values: the rows of the most frequent value. Without an entry it counts with all rows, as for an
 * index on an expression and the result of a subquery.
 */
const rowsOfKeys = async (
  plan: readonly PlanLine[],
  names: Names,
): Promise<ReadonlyMap<number, number>> => {
  const { sizes, grouped } = names;
  const meaning = meaningOf(names);
  const tables = new Set(sizes.tables.map((table) => table.toLowerCase()));
  const results = new Set(plan.flatMap(({ detail }) => resultOf(detail) ?? []));
  const measured = plan.map(async ({ id, detail }): Promise<[number, number][]> => {
    const loop = readLoop(detail);
    if (loop?.columns === undefined) return [];
    if (loop.how?.startsWith('INTEGER PRIMARY KEY')) return [[id, 1]];
    const { columns } = loop;
    const meant = meaning(loop).filter(
      (name) => tables.has(name) || results.has(name) || name === UNKNOWN_TABLE,
    );
    const given = new Set(columns.map((column) => column.toLowerCase()));
    // `) sold`: the parenthesis that closes the subquery stands before its name.
    const isKey = (name: string) =>
      grouped.get(name)?.every((column) => given.has(column)) ??
      (name === UNKNOWN_TABLE && meant.length > 1);
    if (meant.length > 0 && meant.every(isKey)) return [[id, 1]];
    if (
      columns.includes('<expr>') ||
      meant.length === 0 ||
      !meant.every((name) => tables.has(name))
    )
      return [];
    const rows = await Promise.all(meant.map((table) => sizes.rowsOfOneKey(table, columns)));
    return [[id, Math.max(1, ...rows)]];
  });
  return new Map((await Promise.all(measured)).flat());
};

/** Rows of a loop. */
interface Loop {
  /** For one set of values that are looked up; all rows when nothing is. */
  rows: number;
  /** All rows of the table. */
  max: number;
  /** How many columns are looked up. Each may be compared with a list of values. */
  lookups: number;
  /** What else each run of the loop costs. */
  further?: Cost;
}

interface Cost {
  rowsVisited: number;
  /** Rows that are sorted, kept for grouping or put into a window. */
  rowsSorted: number;
  /** Rows returned. */
  rows: number;
}

/**
 * Bounds how many rows a statement visits. Loops of one level multiply, subqueries that run once are added, correlated ones are counted for
 * each row. Unknown parts are overestimated: grouping does not reduce rows, and a name that is not resolved counts as the largest table.
 */
const costOf = (
  plan: readonly PlanLine[],
  {
    program,
    keys,
    ...names
  }: Names & { program: readonly Instruction[]; keys: ReadonlyMap<number, number> },
): Cost => {
  const meaning = meaningOf(names);
  const tables = new Map(
    names.sizes.tables.map((table) => [table.toLowerCase(), names.sizes.rowsOf(table)]),
  );
  const materialized = new Map<string, number>();
  const subqueries = new Map<string, Cost>();
  const listSizes = inListSizes(names.tokens);
  /** Rows of the longest list that is a query; until they are estimated, those of the largest table or result. */
  let longestList: number | undefined;
  const hasWindow = program.some(({ opcode }) => WINDOWS.has(opcode));

  const rowsNamed = (loop: Pick<PlannedLoop, 'name' | 'index'>): number => {
    const meant = meaning(loop);
    const known = meant
      .flatMap((name) => [materialized.get(name), tables.get(name)])
      .filter(isKnown);
    const isResolved = known.length > 0 && !meant.includes(UNKNOWN_TABLE);
    return Math.max(1, ...(isResolved ? known : [...materialized.values(), ...tables.values()]));
  };

  const loopAt = ({ id, detail }: PlanLine): Loop | undefined => {
    const constant = /^SCAN (?:(\d+)-?\s*)?CONSTANT ROWS?/.exec(detail);
    if (constant) return exactly(Number(constant[1] ?? 1));
    const planned = readLoop(detail);
    if (planned === undefined) return undefined;
    const max = rowsNamed(planned);
    return { rows: Math.min(max, keys.get(id) ?? max), max, lookups: planned.columns?.length ?? 0 };
  };

  /** `INDEX 1`, `INDEX 2`: separate searches whose rows add up. Subqueries in their conditions may be correlated. */
  const alternatives = (id: number): Cost => {
    return sumOf(plan.filter(({ parent }) => parent === id).map((line) => levelCost(line.id)));
  };

  const subqueryCost = (line: PlanLine): Cost => {
    const { id, detail } = line;
    const [, repeats, subquery = ''] =
      /^(REUSE )?(?:CORRELATED )?((?:SCALAR |LIST )?SUBQUERY \d+)$/.exec(detail) ?? [];
    const key = subquery.replace('SCALAR ', '');
    if (repeats !== undefined) return subqueries.get(key) ?? NO_COST;
    const name = resultOf(detail);
    const inner = levelCost(id);
    const cost = names.grouped.get(name ?? '')?.length === 0 ? { ...inner, rows: 1 } : inner;
    if (subquery !== '') subqueries.set(key, cost);
    if (name !== undefined)
      materialized.set(name, Math.max(cost.rows, materialized.get(name) ?? 0));
    // The values of a list are sorted.
    return detail.includes('LIST SUBQUERY')
      ? { ...cost, rowsSorted: cost.rowsSorted + cost.rows }
      : cost;
  };

  const levelCost = (parent: number): Cost => {
    const level: Loop[] = [];
    const once: Cost[] = [];
    const perRow: Cost[] = [];
    let compound = 0;
    let isSorted = hasWindow;
    for (const line of plan.filter((each) => each.parent === parent)) {
      const { id, detail } = line;
      if (detail === 'MULTI-INDEX OR') {
        const cost = alternatives(id);
        level.push({ rows: cost.rows, max: cost.rows, lookups: 0, further: cost });
        continue;
      }
      const loop = loopAt(line);
      if (loop !== undefined) {
        level.push(loop);
        if (AUTOMATIC_INDEX.test(detail))
          once.push({ rowsVisited: loop.max, rowsSorted: loop.max, rows: 0 });
        continue;
      }
      if (SORTS.test(detail)) isSorted = true;
      const filtered = /^BLOOM FILTER ON (\S+)/.exec(detail)?.[1];
      if (filtered !== undefined)
        once.push({ ...NO_COST, rowsVisited: rowsNamed({ name: filtered, index: undefined }) });
      // The rows that an outer join leaves over go through the loops inside of it too.
      if (detail.startsWith('RIGHT-JOIN ')) level.unshift(exactly(2));
      const cost = subqueryCost(line);
      if (/^(CORRELATED|REUSE) /.test(detail)) perRow.push(cost);
      else once.push(cost);
      // Each row is looked up in the list.
      if (/LIST SUBQUERY|FOR IN-OPERATOR/.test(detail)) perRow.push({ ...NO_COST, rowsVisited: 1 });
      if (PART_OF_COMPOUND.test(detail)) compound += cost.rows;
    }
    const largestList = longestList ?? Math.max(1, ...tables.values(), ...materialized.values());
    const nested = nest(level, { listSizes, largestList });
    const [each, other] = [sumOf(perRow), sumOf(once)];
    const rows = compound > 0 ? compound : nested.rows;
    const sorted = isSorted ? rows : 0;
    return {
      rowsVisited: nested.rowsVisited + nested.rows * each.rowsVisited + other.rowsVisited,
      rowsSorted: sorted + nested.rowsSorted + nested.rows * each.rowsSorted + other.rowsSorted,
      rows,
    };
  };
  const cost = levelCost(0);
  const lists = [...subqueries].flatMap(([key, { rows }]) =>
    key.startsWith('LIST ') ? [rows] : [],
  );
  if (lists.length === 0 || plan.some(({ detail }) => detail.endsWith('FOR IN-OPERATOR')))
    return cost;
  longestList = Math.max(...lists);
  return levelCost(0);
};

/** `OpenDup` reads a window once more, or the result of a subquery. */
const WINDOWS: ReadonlySet<string> = new Set(['AggInverse', 'AggValue', 'OpenDup']);
const AUTOMATIC_INDEX = / USING AUTOMATIC /;
const SORTS = /\bUS(E|ING) TEMP B-TREE/;
const PART_OF_COMPOUND =
  /^(COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION|EXCEPT|INTERSECT|MERGE|LEFT$|RIGHT$)/;

const NO_COST: Cost = { rowsVisited: 1, rowsSorted: 0, rows: 1 };

const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce(
    (total, cost) => ({
      rowsVisited: total.rowsVisited + cost.rowsVisited,
      rowsSorted: total.rowsSorted + cost.rowsSorted,
      rows: total.rows + cost.rows,
    }),
    { rowsVisited: 0, rowsSorted: 0, rows: 0 },
  );

const exactly = (rows: number): Loop => ({ rows, max: rows, lookups: 0 });

const isKnown = (rows: number | undefined): rows is number => rows !== undefined;

/**
 * The visits and the rows of nested loops, the outermost first. Each value of an IN list is a lookup of its own, even one that finds nothing. The
 * plan does not say which loop a list belongs to, so the longest lists are assigned where they cost most.
 */
const nest = (
  loops: readonly Loop[],
  { listSizes, largestList }: { listSizes: readonly number[]; largestList: number },
): Cost => {
  const open = loops.map((loop) => ({ ...loop, values: 1 }));
  const rowsOf = ({ rows, max, values }: Loop & { values: number }) =>
    Math.max(1, Math.min(max, rows * values));
  // A lookup reads on until a row no longer fits.
  const visitsOf = (loop: Loop & { values: number }) =>
    rowsOf(loop) + (loop.lookups > 0 || loop.values > 1 ? loop.values : 0);
  for (const listed of listSizes) {
    const size = Math.min(listed, largestList);
    const growth = (loop: (typeof open)[number]) =>
      visitsOf({ ...loop, values: loop.values * size }) / visitsOf(loop);
    const [costliest] = open
      .filter(({ lookups }) => lookups > 0)
      .toSorted((one, other) => growth(other) - growth(one));
    if (costliest === undefined) break;
    costliest.values *= size;
    costliest.lookups -= 1;
  }
  const cost = { rowsVisited: 1, rowsSorted: 0, rows: 1 };
  for (const loop of open) {
    cost.rowsVisited += cost.rows * (visitsOf(loop) + (loop.further?.rowsVisited ?? 0));
    cost.rowsSorted += cost.rows * (loop.further?.rowsSorted ?? 0);
    cost.rows *= rowsOf(loop);
  }
  return cost;
};
