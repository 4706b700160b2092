/** What a parameter may be bound to. */
export type SqlParameter = string | number | null;

/** One statement, with the values of `?1`, `?2`, ... in order. */
export interface SqlStatement {
  sql: string;
  values?: readonly SqlParameter[] | undefined;
}

/** The values of a row, one for each column. None is to be trusted to be plain: SQLite has bytes as well. */
export type SqlRow = readonly unknown[];

/** A table or index, and the page of the database file at which it begins; 0 for a view. */
export interface SchemaEntry {
  type: string;
  name: string;
  /** The table itself, or the table that an index is of. */
  table: string;
  rootPage: number;
}

/** One instruction of SQLite's virtual machine (https://sqlite.org/opcode.html). */
export interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
  p3: number;
  p4: string | null;
  p5: number;
}

/** One line of a query plan; `parent` is the id of the line it belongs under, 0 at the top. */
export interface PlanLine {
  id: number;
  parent: number;
  detail: string;
}

/** Counts the changes of a database's schema: where it is the same twice, there was none in between. */
export type SchemaVersion = number;

/** What SQLite would do for a statement, and the schema at that very moment. */
export interface Explanation {
  schema: readonly SchemaEntry[];
  schemaVersion: SchemaVersion;
  program: readonly Instruction[];
  plan: readonly PlanLine[];
}

/** A remote SQLite database that is read by statements which others wrote: see the gate in src/agents/analytics. */
export interface SqlDatabase {
  /** Runs nothing. Throws `SqlRefused` when SQLite does not take the statement, `SqlUnavailable` when it cannot be asked. */
  explain(statement: SqlStatement): Promise<Explanation>;
  /** The rows, their column names in the same order, and the version of the schema just after. Throws as `explain` does. */
  run(statement: SqlStatement): Promise<{ columns: string[]; rows: SqlRow[]; schemaVersion: SchemaVersion }>;
}

/** SQLite did not take the statement: it is wrong, or asks for something that the database forbids. */
export class SqlRefused extends Error {
  override readonly name = 'SqlRefused';
}

/** The database did not answer, or in a form that is unknown. */
export class SqlUnavailable extends Error {
  override readonly name = 'SqlUnavailable';
}
