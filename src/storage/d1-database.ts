import * as z from 'zod';
import { readAs } from '../contract/read-as.ts';
import {
  type Explanation,
  type SchemaEntry,
  type SqlDatabase,
  SqlRefused,
  type SqlStatement,
  SqlUnavailable,
} from './sql-database.ts';

/** What is used of a D1 database; the global type of the same name is one. */
export interface D1 {
  prepare(sql: string): D1Statement;
  batch(statements: D1Statement[]): Promise<{ results: unknown[] }[]>;
}

interface D1Statement {
  bind(...values: unknown[]): D1Statement;
  raw(options: { columnNames: true }): Promise<unknown[]>;
}

/**
 * A D1 database behind the port. A batch is one transaction there, so that a statement and the schema that is read with
 * it belong together.
 */
export const d1Database = (database: D1): SqlDatabase => {
  const prepare = ({ sql, values = [] }: SqlStatement, prefix = ''): D1Statement => {
    const statement = database.prepare(`${prefix}${sql}`);
    return values.length > 0 ? statement.bind(...values) : statement;
  };
  const schema = () => database.prepare(SCHEMA);
  return {
    explain: async (statement) => {
      const batch = [schema(), prepare(statement, 'EXPLAIN '), prepare(statement, 'EXPLAIN QUERY PLAN ')];
      const [entries, program, plan] = await asked(() => database.batch(batch));
      return read(ExplanationRows, { schema: entries?.results, program: program?.results, plan: plan?.results });
    },
    run: async (statement) => {
      const [entries, found] = await asked(() => database.batch([schema(), prepare(statement)]));
      const rows = read(Rows, found?.results);
      const [first] = rows;
      const columns = first === undefined ? await columnsOf(prepare(statement)) : Object.keys(first);
      return { columns, rows, schema: read(SchemaRows, entries?.results) };
    },
  };
};

const SCHEMA = 'SELECT type, name, tbl_name AS "table", rootpage AS "rootPage" FROM sqlite_schema ORDER BY rowid';

/** Rows tell their columns; where there is none, D1 tells them only so. */
const columnsOf = async (statement: D1Statement): Promise<string[]> => {
  const [columns] = await asked(() => statement.raw({ columnNames: true }));
  return read(z.array(z.string()), columns);
};

const asked = async <T>(ask: () => Promise<T>): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    throw isAboutTheStatement(error)
      ? new SqlRefused('SQLite does not take the statement', { cause: error })
      : new SqlUnavailable('the database did not answer', { cause: error });
  }
};

/** SQLite's own codes for what is wrong with a statement, as D1 hangs them on its messages; others are about the database. */
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

const Rows = z.array(z.record(z.string(), z.unknown()));

const SchemaRows: z.ZodType<SchemaEntry[]> = z.array(
  z.object({ type: z.string(), name: z.string(), table: z.string(), rootPage: z.int() }),
);

const ExplanationRows: z.ZodType<Explanation> = z.object({
  schema: SchemaRows,
  program: z.array(
    z.object({
      opcode: z.string(),
      p1: z.int(),
      p2: z.int(),
      p3: z.int(),
      p4: z.union([z.string(), z.number().transform(String)]).nullable(),
      p5: z.int(),
    }),
  ),
  plan: z.array(z.object({ id: z.int(), parent: z.int(), detail: z.string() })),
});
