import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import { type SchemaEntry, type SqlDatabase, SqlRefused, SqlUnavailable } from '../../storage/sql-database.ts';

/** Sizes of the tables that may be read. */
export interface TableSizes {
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
