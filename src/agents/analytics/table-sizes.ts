import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import { type SchemaEntry, type SqlDatabase, SqlRefused, SqlUnavailable } from '../../storage/sql-database.ts';

/** How much there is in the tables that may be read. */
export interface TableSizes {
  tables: readonly string[];
  /** About the number of rows, and rather more. */
  rowsOf(table: string): number;
  /** How many rows share the first `columns` values of an index, on average, where the database has measured it. */
  rowsPerKey(index: string, columns: number): number | undefined;
}

/** Of a table that is none, and where counting ends. */
const MANY_ROWS = 1_000_000;
/** Rows that nobody needs to count: to take so many for the truth costs nothing. */
const FEW_ROWS = 10_000;

/** Reads what `PRAGMA optimize` left behind and how far the rowids of each table reach; where the two differ, it counts. */
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

/** Measurements grow old, and one row may have a rowid beyond all others: neither alone tells how many rows there are. */
const rowsOf = async (
  database: SqlDatabase,
  { table, measured }: { table: string; measured: number },
): Promise<number> => {
  const name = `"${table.replaceAll('"', '""')}"`;
  const reach = await numberFrom(
    database,
    `SELECT (SELECT max(_rowid_) FROM ${name}) - (SELECT min(_rowid_) FROM ${name}) + 1`,
  );
  if (reach !== undefined && reach <= Math.max(FEW_ROWS, 2 * measured)) return reach;
  const counted = await numberFrom(database, `SELECT count(*) FROM (SELECT 1 FROM ${name} LIMIT ${MANY_ROWS + 1})`);
  if (counted === undefined) throw new SqlUnavailable('the database does not count a table');
  if (counted <= MANY_ROWS) return counted;
  return Math.max(MANY_ROWS, measured > 0 ? measured : (reach ?? 0));
};

/** The one value of a statement, NULL as 0; nothing when SQLite does not take it, as of a table without rowids. */
const numberFrom = async (database: SqlDatabase, sql: string): Promise<number | undefined> => {
  try {
    const { rows } = await database.run({ sql });
    const read = readAs(z.number().nullable(), rows[0]?.[0]);
    // A size that is guessed would refuse harmless statements for as long as it is kept.
    if (!read.ok) throw new SqlUnavailable('the database does not tell the size of a table');
    return read.value ?? 0;
  } catch (error) {
    if (error instanceof SqlRefused) return undefined;
    throw error;
  }
};

/** `idx_a: "3000 4 1"` is a table of 3,000 rows, 4 of a kind by the first column, 1 by the first two (https://sqlite.org/fileformat2.html#stat1tab). */
const statistics = async (database: SqlDatabase) => {
  const { rows } = await database.run({ sql: 'SELECT tbl, idx, stat FROM sqlite_stat1 LIMIT 1000' });
  const read = readAs(z.array(z.tuple([z.string(), z.string().nullable(), z.string()])), rows);
  return (read.ok ? read.value : []).map(([table, index, stat]) => ({
    table,
    index: index ?? '',
    numbers: stat.split(' ').map(Number).filter(Number.isFinite),
  }));
};
