import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import {
  type SchemaEntry,
  type SqlDatabase,
  SqlRefused,
  SqlUnavailable,
} from '../../platform/storage/sql-database.ts';

/** Sizes of the tables that may be read, measured when they are first needed. */
export interface TableSizes {
  tables: readonly string[];
  /** The names of the columns of all of them, in lower case; `undefined` when the database does not list them. */
  columns: ReadonlySet<string> | undefined;
  /** The number of rows or somewhat more. */
  rowsOf(table: string): number;
  /** Most rows that have the same values in these columns, or somewhat more. At most `rowsOf(table)`. */
  rowsOfOneKey(table: string, columns: readonly string[]): Promise<number>;
}

/** Assumed for an unknown table, and the limit of counting. */
const MANY_ROWS = 1_000_000;
/** Up to this many rows an overestimate does no harm. */
const FEW_ROWS = 10_000;
/** A key of a table with more than `MANY_ROWS` rows may have this many times as many rows as the average key. */
const SKEW = 20;

/** Compares the statistics of `PRAGMA optimize` with the range of rowids in each table, and counts where the two differ. */
export async function readTableSizes(
  database: SqlDatabase,
  { schema, tables }: { schema: readonly SchemaEntry[]; tables: readonly string[] },
): Promise<TableSizes> {
  const isMeasured = schema.some(({ name }) => name === 'sqlite_stat1');
  const measured = isMeasured ? await statistics(database) : [];
  const present = tables.filter((table) =>
    schema.some(({ type, name }) => type === 'table' && same(name, table)),
  );
  const counts = await Promise.all(
    present.map(async (table) => {
      const counted = measured
        .filter((entry) => same(entry.table, table))
        .map(({ numbers: [rows = 0] }) => rows);
      return [
        table.toLowerCase(),
        await rowsOf(database, { table, measured: Math.max(0, ...counted) }),
      ] as const;
    }),
  );
  const rows = new Map(counts);
  const rowsOfTable = (table: string) => rows.get(table.toLowerCase()) ?? MANY_ROWS;
  const average = (table: string, columns: number) =>
    Math.max(
      ...measured
        .filter((entry) => same(entry.table, table))
        .map(({ numbers }) => numbers[columns] ?? 1),
      1,
    );
  const keys = new Map<string, Promise<number | undefined>>();
  return {
    tables,
    columns: await columnsOf(database),
    rowsOf: rowsOfTable,
    rowsOfOneKey: (table, columns) => {
      const most = rowsOfTable(table);
      if (!rows.has(table.toLowerCase())) return Promise.resolve(most);
      // Counting so many rows takes the database seconds.
      if (most > MANY_ROWS)
        return Promise.resolve(Math.min(most, average(table, columns.length) * SKEW));
      const id = JSON.stringify([table.toLowerCase(), ...columns]);
      const known = keys.get(id) ?? largestKey(database, { table, columns });
      keys.set(id, known);
      known.catch(() => keys.delete(id));
      return known.then((counted) => Math.min(most, counted ?? most));
    },
  };
}

const columnsOf = async (database: SqlDatabase): Promise<ReadonlySet<string> | undefined> => {
  const sql =
    "SELECT DISTINCT p.name FROM sqlite_schema s, pragma_table_info(s.name) p WHERE s.type IN ('table', 'view') LIMIT 10000";
  try {
    const { rows } = await database.run({ sql });
    return new Set(rows.map(([name]) => String(name).toLowerCase()));
  } catch (error) {
    if (error instanceof SqlRefused) return undefined;
    throw error;
  }
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** `undefined` when SQLite cannot group by them. An average would not do: one customer may have half of all orders. */
const largestKey = (
  database: SqlDatabase,
  { table, columns }: { table: string; columns: readonly string[] },
): Promise<number | undefined> => {
  const names = columns.map(quoted).join(', ');
  const grouped = `SELECT count(*) AS n FROM ${quoted(table)} GROUP BY ${names}`;
  return numberFrom(database, `SELECT max(n) FROM (${grouped})`);
};

/** Neither source is reliable alone: statistics grow old, and one row may have a rowid far beyond the others. */
const rowsOf = async (
  database: SqlDatabase,
  { table, measured }: { table: string; measured: number },
): Promise<number> => {
  const name = quoted(table);
  const range = await numberFrom(
    database,
    `SELECT (SELECT max(_rowid_) FROM ${name}) - (SELECT min(_rowid_) FROM ${name}) + 1`,
  );
  if (range !== undefined && range <= Math.max(FEW_ROWS, 2 * measured)) return range;
  const counted = await numberFrom(
    database,
    `SELECT count(*) FROM (SELECT 1 FROM ${name} LIMIT ${MANY_ROWS + 1})`,
  );
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
  const { rows } = await database.run({
    sql: 'SELECT tbl, idx, stat FROM sqlite_stat1 LIMIT 1000',
  });
  const read = readAs(z.array(z.tuple([z.string(), z.string().nullable(), z.string()])), rows);
  return (read.ok ? read.value : []).map(([table, , stat]) => ({
    table,
    numbers: stat.split(' ').map(Number).filter(Number.isFinite),
  }));
};
