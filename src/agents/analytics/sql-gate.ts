import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import {
  type Explanation,
  type Instruction,
  type PlanLine,
  type SchemaEntry,
  type SchemaVersion,
  type SqlDatabase,
  type SqlParameter,
  SqlRefused,
  type SqlStatement,
  SqlUnavailable,
} from '../../storage/sql-database.ts';
import ALLOWLIST from './sql-allowlist.json' with { type: 'json' };
import { type Checked, checkText, finalText, MAX_ROWS, refuseStatement as refuse, type SqlToken } from './sql-text.ts';

/** A statement that may run exactly as written here, against this schema. */
export interface GatedSql {
  statement: SqlStatement;
  /** The tables that it reads, in alphabetical order. */
  tables: string[];
  schemaVersion: SchemaVersion;
  maxRows: number;
}

/** What accompanies a statement. */
export interface Submission {
  /** By parameter name; a statement that a model wrote has none. */
  values?: Readonly<Record<string, SqlParameter>> | undefined;
  /** The statement is part of the catalogue, whose authors are responsible for its cost: the plan is not checked. */
  isTrusted?: boolean | undefined;
  /** 500 by default. */
  maxRows?: number | undefined;
}

export interface SqlGate {
  /**
   * Checks a statement before it runs.
   *
   * @throws {SqlUnavailable} When the database does not answer.
   */
  judge(sql: string, submission?: Submission): Promise<Checked<GatedSql>>;
}

export interface SqlGateOptions {
  database: SqlDatabase;
  /** The tables that questions may read. */
  tables: readonly string[];
  now?: (() => number) | undefined;
}

const SIZES_CACHE_MS = 5 * 60_000;

/**
 * The gate of the analytics agent (docs/analytics.md). It decides by the program that SQLite compiles from the very text that
 * would run, not by what the text looks like.
 */
export const createSqlGate = ({ database, tables, now = Date.now }: SqlGateOptions): SqlGate => {
  let cached: { sizes: TableSizes; schemaVersion: SchemaVersion; untilMs: number } | undefined;
  const sizesFor = async ({ schema, schemaVersion }: Explanation): Promise<TableSizes> => {
    if (cached?.schemaVersion === schemaVersion && now() < cached.untilMs) return cached.sizes;
    const sizes = await readTableSizes(database, { schema, tables });
    cached = { sizes, schemaVersion, untilMs: now() + SIZES_CACHE_MS };
    return sizes;
  };
  return {
    judge: async (sql, { values = {}, isTrusted = false, maxRows = MAX_ROWS } = {}) => {
      const names = Object.keys(values);
      const text = checkText(sql, names);
      if (!text.ok) return text;
      const tokens = text.value;
      const used = names.filter((name) => tokens.some(({ kind, raw }) => kind === 'parameter' && raw === `:${name}`));
      const statement = {
        sql: finalText(tokens, { names: used, maxRows }),
        values: used.map((name) => values[name] ?? null),
      };
      const explained = await orRefused(() => database.explain(statement));
      if (!explained.ok) return explained;
      const { schema, schemaVersion, program, plan } = explained.value;
      const read = checkProgram(program, { schema, tables, tokens });
      if (!read.ok) return read;
      const gated = { statement, tables: read.value, schemaVersion, maxRows };
      if (isTrusted) return { ok: true, value: gated };
      const cost = checkPlan(plan, { program, tokens, sizes: await sizesFor(explained.value) });
      return cost.ok ? { ok: true, value: gated } : cost;
    },
  };
};

const orRefused = async <T>(ask: () => Promise<T>): Promise<Checked<T>> => {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error;
    const hint = error.cause instanceof Error ? error.cause.message.slice(0, 300) : undefined;
    return { ok: false, reason: 'The statement is not accepted by SQLite.', hint };
  }
};

/**
 * The instructions of SQLite's virtual machine that reading needs (https://sqlite.org/opcode.html, 3.47 to 3.53). Any other
 * instruction refuses the statement, so that one which SQLite adds later opens no gap. `Insert`, `IdxInsert`, `Delete` and
 * `NewRowid` are allowed because sorting and grouping use them on tables in memory: writing to the database needs a cursor of
 * `OpenWrite`, which is not allowed.
 */
const ALLOWED_INSTRUCTIONS: ReadonlySet<string> = new Set(ALLOWLIST.instructions);

/**
 * The functions that a question may call, as the program names them. None returns more than it is given (those that grow text,
 * such as `replace`, `printf`, `hex` and `group_concat`, are missing), and none reads anything outside the statement.
 */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(ALLOWLIST.functions);

interface ProgramRules {
  schema: readonly SchemaEntry[];
  /** Names of the tables that may be read. */
  tables: readonly string[];
  tokens: readonly SqlToken[];
}

const MAX_COLUMNS = 32;
const MAX_CONCATENATIONS = 8;
/** How large the statement itself may make one row, in characters: 16 MB over 500 rows. */
const MAX_GROWN_ROW = 32_768;
/** Assumed length of a text in a column. */
const USUAL_TEXT = 32;

/**
 * The program of a statement only reads, only from tables of the catalogue, only with harmless functions, and makes no row huge.
 * Views, subqueries and quoted names are already resolved in it.
 *
 * @returns The tables that are read, in alphabetical order.
 */
const checkProgram = (program: readonly Instruction[], rules: ProgramRules): Checked<string[]> => {
  const read = new Set<string>();
  for (const instruction of program) {
    const { opcode, p1, p2 } = instruction;
    if (!ALLOWED_INSTRUCTIONS.has(opcode)) return refuse(OPCODE_PROBLEMS[opcode] ?? 'does more than read tables');
    if (opcode === 'Transaction' && (p1 !== 0 || p2 !== 0)) return refuse('writes');
    const called = functionOf(instruction);
    if (called !== undefined && !ALLOWED_FUNCTIONS.has(called)) return refuse(`calls the function ${called}`);
    if (opcode !== 'OpenRead' && opcode !== 'ReopenIdx') continue;
    const table = tableOf(instruction, rules);
    if (table === undefined) return refuse('reads a table that is not open to questions');
    read.add(table);
  }
  return checkGrowth(program, rules.tokens) ?? { ok: true, value: [...read].sort() };
};

const OPCODE_PROBLEMS: Readonly<Record<string, string>> = {
  VOpen: 'reads a virtual table',
  OpenWrite: 'writes',
};

/** The function that an instruction calls: `sum` for `sum(1)`. An unknown form is returned as it is. */
const functionOf = ({ opcode, p4 }: Instruction): string | undefined =>
  /^(Pure)?Func(tion)?$|^Agg/.test(opcode) ? (/^(.+)\(-?\d+\)$/.exec(p4 ?? '')?.[1] ?? p4 ?? 'unknown') : undefined;

/** Bit of `p5`: the root page is in a register and therefore unknown. */
const PAGE_IN_REGISTER = 0x10;

const tableOf = ({ p2, p3, p5 }: Instruction, { schema, tables }: ProgramRules): string | undefined => {
  if (p3 !== 0 || (p5 & PAGE_IN_REGISTER) !== 0 || p2 <= 1) return undefined;
  const owners = schema.filter(({ rootPage }) => rootPage === p2).map(({ table }) => table.toLowerCase());
  const [owner] = owners;
  return owners.length === 1 ? tables.find((table) => table.toLowerCase() === owner) : undefined;
};

/** Each concatenation at most doubles a text; without recursion that bounds a row. */
const checkGrowth = (program: readonly Instruction[], tokens: readonly SqlToken[]): Checked<string[]> | undefined => {
  const columns = Math.max(0, ...program.filter(({ opcode }) => opcode === 'ResultRow').map(({ p2 }) => p2));
  if (columns > MAX_COLUMNS) return refuse(`returns more than ${MAX_COLUMNS} columns`);
  const growing = program.filter(
    ({ opcode, p4 }) => opcode === 'Concat' || p4?.startsWith('strftime(') === true,
  ).length;
  const longest = Math.max(
    USUAL_TEXT,
    ...tokens.filter(({ kind }) => kind === 'text' || kind === 'quoted').map(({ value }) => value.length),
  );
  const isTooMuch = growing > MAX_CONCATENATIONS || (growing > 0 && columns * 2 ** growing * longest > MAX_GROWN_ROW);
  return isTooMuch ? refuse('joins too many texts') : undefined;
};

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
const checkPlan = (
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

/** Sizes of the tables that may be read. */
interface TableSizes {
  tables: readonly string[];
  /** The number of rows or somewhat more. */
  rowsOf(table: string): number;
  /** Average number of rows that share the first `columns` values of an index; `undefined` without statistics. */
  rowsPerKey(index: string, columns: number): number | undefined;
}

/** Assumed for an unknown table, and the limit of counting. */
const MANY_ROWS = 1_000_000;
/** Up to this many rows an overestimate does no harm. */
const FEW_ROWS = 10_000;

/** Compares the statistics of `PRAGMA optimize` with the range of rowids in each table, and counts where the two differ. */
export const readTableSizes = async (
  database: SqlDatabase,
  { schema, tables }: { schema: readonly SchemaEntry[]; tables: readonly string[] },
): Promise<TableSizes> => {
  const isMeasured = schema.some(({ name }) => name === 'sqlite_stat1');
  const measured = isMeasured ? await statistics(database) : [];
  const present = tables.filter((table) => schema.some(({ type, name }) => type === 'table' && same(name, table)));
  const counts = await Promise.all(
    present.map(async (table) => {
      const counted = measured.filter((entry) => same(entry.table, table)).map(({ numbers: [rows = 0] }) => rows);
      return [table, await rowsOf(database, { table, measured: Math.max(0, ...counted) })] as const;
    }),
  );
  const rows = new Map(counts);
  const perKey = new Map(measured.map(({ index, numbers }) => [index, numbers]));
  return {
    tables,
    rowsOf: (table) => rows.get(table) ?? MANY_ROWS,
    rowsPerKey: (index, columns) => perKey.get(index)?.[columns],
  };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Neither source is reliable alone: statistics grow old, and one row may have a rowid far beyond the others. */
const rowsOf = async (
  database: SqlDatabase,
  { table, measured }: { table: string; measured: number },
): Promise<number> => {
  const name = `"${table.replaceAll('"', '""')}"`;
  const range = await numberFrom(
    database,
    `SELECT (SELECT max(_rowid_) FROM ${name}) - (SELECT min(_rowid_) FROM ${name}) + 1`,
  );
  if (range !== undefined && range <= Math.max(FEW_ROWS, 2 * measured)) return range;
  const counted = await numberFrom(database, `SELECT count(*) FROM (SELECT 1 FROM ${name} LIMIT ${MANY_ROWS + 1})`);
  if (counted === undefined) throw new SqlUnavailable('the database cannot count a table');
  if (counted <= MANY_ROWS) return counted;
  return Math.max(MANY_ROWS, measured > 0 ? measured : (range ?? 0));
};

/** The single value of a statement, with NULL as 0; `undefined` when SQLite refuses it, as for a table without rowids. */
const numberFrom = async (database: SqlDatabase, sql: string): Promise<number | undefined> => {
  try {
    const { rows } = await database.run({ sql });
    const read = readAs(z.number().nullable(), rows[0]?.[0]);
    // A guessed size would refuse harmless statements for as long as it is cached.
    if (!read.ok) throw new SqlUnavailable('the database does not report the size of a table');
    return read.value ?? 0;
  } catch (error) {
    if (error instanceof SqlRefused) return undefined;
    throw error;
  }
};

/** `idx_a: "3000 4 1"`: 3,000 rows, 4 for each value of the first column, 1 for each of the first two (https://sqlite.org/fileformat2.html#stat1tab). */
const statistics = async (database: SqlDatabase) => {
  const { rows } = await database.run({ sql: 'SELECT tbl, idx, stat FROM sqlite_stat1 LIMIT 1000' });
  const read = readAs(z.array(z.tuple([z.string(), z.string().nullable(), z.string()])), rows);
  return (read.ok ? read.value : []).map(([table, index, stat]) => ({
    table,
    index: index ?? '',
    numbers: stat.split(' ').map(Number).filter(Number.isFinite),
  }));
};
