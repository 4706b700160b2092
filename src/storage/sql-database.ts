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
export interface SchemaEntry {
  type: string;
  name: string;
  /** The table itself, or the table of an index. */
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

/** One line of a query plan; `parent` is the id of the line above it, 0 at the top. */
export interface PlanLine {
  id: number;
  parent: number;
  detail: string;
}

/** Counter of schema changes: an equal version means an unchanged schema. */
export type SchemaVersion = number;

/** Plan and program of a statement, and the schema at the same moment. */
export interface Explanation {
  schema: readonly SchemaEntry[];
  schemaVersion: SchemaVersion;
  program: readonly Instruction[];
  plan: readonly PlanLine[];
}

/** A remote SQLite database that is read by untrusted statements: see the gate in src/agents/analytics. */
export interface SqlDatabase {
  /** Does not run the statement. Throws `SqlRefused` when SQLite rejects it, `SqlUnavailable` when the database cannot be reached. */
  explain(statement: SqlStatement): Promise<Explanation>;
  /** The rows, their column names in the same order, and the schema version right after. Throws as `explain` does. */
  run(statement: SqlStatement): Promise<{ columns: string[]; rows: SqlRow[]; schemaVersion: SchemaVersion }>;
}

/** SQLite rejected the statement: it is invalid, or not allowed in this database. */
export class SqlRefused extends Error {
  override readonly name = 'SqlRefused';
}

/** The database did not answer, or in an unknown form. */
export class SqlUnavailable extends Error {
  override readonly name = 'SqlUnavailable';
}
