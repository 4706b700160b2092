import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';

/** Value of a bound parameter. */
export type SqlParameter = string | number | null;

/** One statement, with the values of `?1`, `?2`, ... in order. */
export interface SqlStatement {
  sql: string;
  values?: readonly SqlParameter[] | undefined;
}

/** The values of a row, one for each column, unchecked: SQLite also has bytes. */
export type SqlRow = readonly unknown[];

/** A table or index, and the page of the database file at which it begins; 0 for a view. */
const SchemaEntry = z.object({
  type: z.string(),
  name: z.string(),
  /** The table itself, or the table of an index. */
  table: z.string(),
  rootPage: z.int(),
});
export type SchemaEntry = z.infer<typeof SchemaEntry>;

/** One instruction of SQLite's virtual machine (https://sqlite.org/opcode.html). */
const Instruction = z.object({
  opcode: z.string(),
  p1: z.int(),
  p2: z.int(),
  p3: z.int(),
  p4: z.union([z.string(), z.number().transform(String)]).nullable(),
  p5: z.int(),
});
export type Instruction = z.infer<typeof Instruction>;

/** One line of a query plan; `parent` is the id of the line above it, 0 at the top. */
const PlanLine = z.object({ id: z.int(), parent: z.int(), detail: z.string() });
export type PlanLine = z.infer<typeof PlanLine>;

/** Counter of schema changes: an equal version means an unchanged schema. */
export type SchemaVersion = number;

/** Plan and program of a statement, and the schema at the same moment. */
export interface Explanation {
  schema: readonly SchemaEntry[];
  schemaVersion: SchemaVersion;
  program: readonly Instruction[];
  plan: readonly PlanLine[];
}

/** A remote SQLite database that is read by untrusted statements: see the gate in src/librarians/analytics. */
export interface SqlDatabase {
  /** Does not run the statement. Throws `SqlRefused` when SQLite rejects it, `SqlUnavailable` when the database cannot be reached. */
  explain(statement: SqlStatement): Promise<Explanation>;
  /** The rows, their column names in the same order, and the schema version right after. Throws as `explain` does. */
  run(
    statement: SqlStatement,
  ): Promise<{ columns: string[]; rows: SqlRow[]; schemaVersion: SchemaVersion }>;
}

/** SQLite rejected the statement: it is invalid, or not allowed in this database. */
export class SqlRefused extends Error {
  override readonly name = 'SqlRefused';
}

/** The database did not answer, or in an unknown form. */
export class SqlUnavailable extends Error {
  override readonly name = 'SqlUnavailable';
}

/** The used part of a D1 database; the global type of the same name is compatible. */
interface D1 {
  prepare(sql: string): D1Statement;
  batch(statements: D1Statement[]): Promise<{ results: unknown[] }[]>;
}

interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  raw(options: { columnNames: true }): Promise<unknown[]>;
}

/** A D1 database behind the port. A batch is one transaction, so that a program and the schema belong together. */
export function d1Database(database: D1): SqlDatabase {
  const prepare = ({ sql, values = [] }: SqlStatement, prefix = ''): D1Statement => {
    const statement = database.prepare(`${prefix}${sql}`);
    return values.length > 0 ? statement.bind(...values) : statement;
  };
  const schema = () => database.prepare(SCHEMA);
  const version = () => database.prepare(VERSION);
  return {
    explain: async (statement) => {
      const batch = [
        schema(),
        version(),
        prepare(statement, 'EXPLAIN '),
        prepare(statement, 'EXPLAIN QUERY PLAN '),
      ];
      const [entries, versions, program, plan] = await attempt(() => database.batch(batch));
      const found = { schema: entries?.results, program: program?.results, plan: plan?.results };
      return { ...read(ExplanationRows, found), schemaVersion: versionIn(versions?.results) };
    },
    run: async (statement) => {
      // A batch has no column names without rows, and sorts columns with numeric names first.
      const [columns, ...rows] = await attempt(() => prepare(statement).raw({ columnNames: true }));
      const [versions] = await attempt(() => database.batch([version()]));
      return {
        columns: read(z.array(z.string()), columns),
        rows: read(Rows, rows),
        schemaVersion: versionIn(versions?.results),
      };
    },
  };
}

const SCHEMA =
  'SELECT type, name, tbl_name AS "table", rootpage AS "rootPage" FROM sqlite_schema ORDER BY rowid';

/** D1 forbids `PRAGMA schema_version`; every compiled program contains the version. */
const VERSION = 'EXPLAIN SELECT 1 FROM sqlite_schema';

/** `Transaction` carries the schema cookie in `p3` (https://sqlite.org/opcode.html#Transaction). */
const versionIn = (program: unknown): SchemaVersion => {
  const [transaction] = read(VersionRows, program).filter(({ opcode }) => opcode === 'Transaction');
  if (transaction === undefined)
    throw new SqlUnavailable('the database does not report the version of its schema');
  return transaction.p3;
};

const attempt = async <T>(ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    throw isAboutTheStatement(error)
      ? new SqlRefused('SQLite rejected the statement', { cause: error })
      : new SqlUnavailable('the database did not answer', { cause: error });
  }
};

/** SQLite's codes for a faulty statement, as D1 appends them to its messages; other errors concern the database. */
const isAboutTheStatement = (error: unknown): boolean =>
  error instanceof Error &&
  /SQLITE_(ERROR|AUTH|TOOBIG|MISMATCH|RANGE|CONSTRAINT)\b|did not contain a statement|parameter bindings/.test(
    error.message,
  );

const read = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const found = readAs(schema, value);
  if (!found.ok) throw new SqlUnavailable('the database answered in an unknown form');
  return found.value;
};

const Rows = z.array(z.array(z.unknown()));

const VersionRows = z.array(z.object({ opcode: z.string(), p3: z.int() }));

const ExplanationRows = z.object({
  schema: z.array(SchemaEntry),
  program: z.array(Instruction),
  plan: z.array(PlanLine),
});
