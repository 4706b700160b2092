import * as z from 'zod';
import { readAs } from '../../contract/read-as.ts';
import { type SchemaEntry, type SqlDatabase, SqlRefused } from '../../storage/sql-database.ts';

/** How much there is in the tables that may be read, as far as it is known without counting. */
export interface TableSizes {
  tables: readonly string[];
  /** At least the number of rows. */
  rowsOf(table: string): number;
  /** How many rows share the first `columns` values of an index, on average, where the database has measured it. */
  rowsPerKey(index: string, columns: number): number | undefined;
}

/** A table that has no rowid, or that is none. */
const UNKNOWN_ROWS = 1_000_000;

/** Reads the greatest rowid of each table, which takes one step each, and what `PRAGMA optimize` left behind. */
export const readTableSizes = async (
  database: SqlDatabase,
  { schema, tables }: { schema: readonly SchemaEntry[]; tables: readonly string[] },
): Promise<TableSizes> => {
  const present = tables.filter((table) => schema.some(({ type, name }) => type === 'table' && same(name, table)));
  const counts = await Promise.all(present.map(async (table) => [table, await rowsOf(database, table)] as const));
  const rows = new Map(counts);
  const isMeasured = schema.some(({ name }) => name === 'sqlite_stat1');
  const perKey = isMeasured ? await statistics(database) : new Map<string, number[]>();
  return {
    tables,
    rowsOf: (table) => rows.get(table) ?? UNKNOWN_ROWS,
    rowsPerKey: (index, columns) => perKey.get(index)?.[columns],
  };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const rowsOf = async (database: SqlDatabase, table: string): Promise<number> => {
  try {
    const { rows } = await database.run({ sql: `SELECT max(rowid) AS rows FROM "${table.replaceAll('"', '""')}"` });
    const read = readAs(z.object({ rows: z.number().nullable() }), rows[0]);
    return read.ok ? (read.value.rows ?? 0) : UNKNOWN_ROWS;
  } catch (error) {
    if (error instanceof SqlRefused) return UNKNOWN_ROWS;
    throw error;
  }
};

/** `idx_a: "3000 4 1"` is a table of 3,000 rows, 4 of a kind by the first column, 1 by the first two (https://sqlite.org/fileformat2.html#stat1tab). */
const statistics = async (database: SqlDatabase): Promise<Map<string, number[]>> => {
  const { rows } = await database.run({ sql: 'SELECT idx, stat FROM sqlite_stat1 WHERE idx IS NOT NULL LIMIT 1000' });
  const read = readAs(z.array(z.object({ idx: z.string(), stat: z.string() })), rows);
  const entries = read.ok ? read.value : [];
  return new Map(entries.map(({ idx, stat }) => [idx, stat.split(' ').map(Number).filter(Number.isFinite)]));
};
