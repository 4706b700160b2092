import { DataSourceError } from '../../http/coded-error.ts';
import { withDeadline } from '../../http/deadline.ts';
import { type SqlDatabase, SqlRefused, type SqlRow } from '../../storage/sql-database.ts';
import type { GatedSql } from './sql-gate.ts';
import { type Checked, refuseStatement } from './sql-text.ts';

/** The value of a column in a result row. */
export type Cell = string | number | null;

export interface Table {
  columns: string[];
  rows: Record<string, Cell>[];
  /** There are more rows than are returned. */
  truncated: boolean;
}

/** Limit for all rows as JSON, in characters, so that they fit into a librarian's metadata. */
const MAX_RESULT_LENGTH = 120_000;
const MAX_CELL_LENGTH = 4000;
const MAX_RUN_MS = 5000;

export interface RunLimits {
  signal: AbortSignal;
  timeoutMs: number;
  /** Limit for all rows as JSON, in characters; 120,000 by default. */
  maxLength?: number | undefined;
}

/**
 * Runs a statement that has passed the gate, with caps on rows, size and time.
 *
 * @throws {CodedError} TIMEOUT when the database takes too long, DATA_SOURCE_ERROR when it fails or its schema has changed.
 */
export const runSql = async (
  database: SqlDatabase,
  gated: GatedSql,
  { signal, timeoutMs, maxLength = MAX_RESULT_LENGTH }: RunLimits,
): Promise<Table> => {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.min(MAX_RUN_MS, timeoutMs)))]);
  const { columns, rows, schemaVersion } = await withDeadline(() => asSource(database.run(gated.statement)), {
    signal: limit,
    reason: 'the database did not answer in time',
  });
  // With another schema, the checked root pages may belong to other tables.
  if (schemaVersion !== gated.schemaVersion)
    throw new DataSourceError('the schema has changed since the statement was checked');
  const returned = withinLength(
    rows.map((row) => cellsOf(row, columns)),
    maxLength,
  );
  return { columns, rows: returned, truncated: returned.length < rows.length || rows.length >= gated.maxRows };
};

const asSource = async <T>(running: Promise<T>): Promise<T> => {
  try {
    return await running;
  } catch (error) {
    throw error instanceof SqlRefused
      ? new DataSourceError('the statement failed while it ran', { cause: error })
      : error;
  }
};

const cellsOf = (row: SqlRow, columns: readonly string[]): Record<string, Cell> =>
  Object.fromEntries(columns.map((column, place) => [column, cellOf(row[place])]));

const cellOf = (value: unknown): Cell => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // Blobs are never returned.
  return typeof value === 'string' ? value.slice(0, MAX_CELL_LENGTH) : null;
};

const withinLength = (rows: Record<string, Cell>[], maxLength: number): Record<string, Cell>[] => {
  let length = 0;
  const end = rows.findIndex((row) => {
    length += JSON.stringify(row).length;
    return length > maxLength;
  });
  return end < 0 ? rows : rows.slice(0, end);
};

/** Limit of the contract's `columns`. */
const MAX_COLUMN_NAME_LENGTH = 300;

/** An expression without an alias names its column by its own text, however long. */
export const checkColumns = (columns: readonly string[]): Checked<readonly string[]> =>
  columns.some(({ length }) => length > MAX_COLUMN_NAME_LENGTH)
    ? refuseStatement(
        `returns a column whose name is longer than ${MAX_COLUMN_NAME_LENGTH} characters: give each column an alias`,
      )
    : { ok: true, value: columns };
