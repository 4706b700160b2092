import { lruCache } from '../../platform/lru-cache.ts';
import {
  type Explanation,
  type Instruction,
  type SchemaEntry,
  type SchemaVersion,
  type SqlDatabase,
  type SqlParameter,
  SqlRefused,
  type SqlStatement,
} from '../../platform/storage/sql-database.ts';
import ALLOWLIST from './sql-allowlist.json' with { type: 'json' };
import { checkCost, MAX_WORK } from './sql-cost.ts';
import {
  type Checked,
  checkText,
  finalText,
  MAX_ROWS,
  refuseStatement as refuse,
  type SqlToken,
} from './sql-text.ts';
import { readTableSizes, type TableSizes } from './table-sizes.ts';

/** A statement that may run exactly as written here, against this schema. */
export interface GatedSql {
  statement: SqlStatement;
  /** The tables that it reads, in alphabetical order. */
  tables: string[];
  schemaVersion: SchemaVersion;
  maxRows: number;
  /** Upper bound of the rows that it visits, weighted by the work for each; `undefined` for a statement of the catalogue. */
  work?: number | undefined;
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

interface SqlGateOptions {
  database: SqlDatabase;
  /** The tables that questions may read. */
  tables: readonly string[];
  now?: (() => number) | undefined;
  /** Most work of a statement, in rows; 10 million by default. */
  maxWork?: number | undefined;
}

const SIZES_CACHE_MS = 5 * 60_000;

/**
 * The gate of the analytics agent (docs/analytics.md). It decides by the program that SQLite compiles from the very text that
 * would run, not by what the text looks like.
 */
export function createSqlGate({
  database,
  tables,
  now = Date.now,
  maxWork = MAX_WORK,
}: SqlGateOptions): SqlGate {
  const sizesByVersion = lruCache<SchemaVersion, TableSizes>({
    max: 1,
    ttlMs: SIZES_CACHE_MS,
    now,
  });
  const sizesFor = async ({ schema, schemaVersion }: Explanation): Promise<TableSizes> => {
    const cached = sizesByVersion.get(schemaVersion);
    if (cached !== undefined) return cached;
    const sizes = await readTableSizes(database, { schema, tables });
    sizesByVersion.set(schemaVersion, sizes);
    return sizes;
  };
  return {
    judge: async (sql, { values = {}, isTrusted = false, maxRows = MAX_ROWS } = {}) => {
      const names = Object.keys(values);
      const text = checkText(sql, names);
      if (!text.ok) return text;
      const tokens = text.value;
      const used = names.filter((name) =>
        tokens.some(({ kind, raw }) => kind === 'parameter' && raw === `:${name}`),
      );
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
      const sizes = await sizesFor(explained.value);
      const cost = await checkCost({ plan, program, schema }, { tokens, sizes, maxWork });
      return cost.ok ? { ok: true, value: { ...gated, work: cost.value } } : cost;
    },
  };
}

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
    if (!ALLOWED_INSTRUCTIONS.has(opcode))
      return refuse(OPCODE_PROBLEMS[opcode] ?? 'does more than read tables');
    if (opcode === 'Transaction' && (p1 !== 0 || p2 !== 0)) return refuse('writes');
    const called = functionOf(instruction);
    if (called !== undefined && !ALLOWED_FUNCTIONS.has(called))
      return refuse(`calls the function ${called}`);
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
  /^(Pure)?Func(tion)?$|^Agg/.test(opcode)
    ? (/^(.+)\(-?\d+\)$/.exec(p4 ?? '')?.[1] ?? p4 ?? 'unknown')
    : undefined;

/** Bit of `p5`: the root page is in a register and therefore unknown. */
const PAGE_IN_REGISTER = 0x10;

const tableOf = (
  { p2, p3, p5 }: Instruction,
  { schema, tables }: ProgramRules,
): string | undefined => {
  if (p3 !== 0 || (p5 & PAGE_IN_REGISTER) !== 0 || p2 <= 1) return undefined;
  const owners = schema
    .filter(({ rootPage }) => rootPage === p2)
    .map(({ table }) => table.toLowerCase());
  const [owner] = owners;
  return owners.length === 1 ? tables.find((table) => table.toLowerCase() === owner) : undefined;
};

/** Each concatenation at most doubles a text; without recursion that bounds a row. */
const checkGrowth = (
  program: readonly Instruction[],
  tokens: readonly SqlToken[],
): Checked<string[]> | undefined => {
  const columns = Math.max(
    0,
    ...program.filter(({ opcode }) => opcode === 'ResultRow').map(({ p2 }) => p2),
  );
  if (columns > MAX_COLUMNS) return refuse(`returns more than ${MAX_COLUMNS} columns`);
  const growing = program.filter(
    ({ opcode, p4 }) => opcode === 'Concat' || p4?.startsWith('strftime(') === true,
  ).length;
  const longest = Math.max(
    USUAL_TEXT,
    ...tokens
      .filter(({ kind }) => kind === 'text' || kind === 'quoted')
      .map(({ value }) => value.length),
  );
  const isTooMuch =
    growing > MAX_CONCATENATIONS ||
    (growing > 0 && columns * 2 ** growing * longest > MAX_GROWN_ROW);
  return isTooMuch ? refuse('joins too many texts') : undefined;
};
