import { DataSourceError } from '../../runtime/error-info-of.ts';
import { untilAborted } from '../../runtime/until-aborted.ts';
import { type SqlDatabase, SqlRefused, type SqlRow } from '../../storage/sql-database.ts';
import type { GatedSql } from './sql-gate.ts';

/** What a column of a result may hold. */
export type Cell = string | number | null;

export interface Table {
  columns: string[];
  rows: Record<string, Cell>[];
  /** Rows or bytes went beyond what is returned. */
  truncated: boolean;
}

/** Of all rows together, as JSON, in characters: what a librarian's metadata can carry beside the rest. */
const MAX_RESULT_LENGTH = 120_000;
const MAX_CELL_LENGTH = 4000;
const MAX_RUN_MS = 5000;

export interface RunLimits {
  signal: AbortSignal;
  timeoutMs: number;
  /** Of all rows together, as JSON, in characters; 120,000 when absent. */
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
  const { columns, rows, schemaVersion } = await untilAborted(() => asSource(database.run(gated.statement)), {
    signal: limit,
    reason: 'the database took longer than there was time',
  });
  // Another schema puts other tables on the pages that were judged.
  if (schemaVersion !== gated.schemaVersion) throw new DataSourceError('the schema changed meanwhile');
  const kept = withinLength(
    rows.map((row) => cellsOf(row, columns)),
    maxLength,
  );
  return { columns, rows: kept, truncated: kept.length < rows.length || rows.length >= gated.maxRows };
};

const asSource = async <T>(running: Promise<T>): Promise<T> => {
  try {
    return await running;
  } catch (error) {
    throw error instanceof SqlRefused ? new DataSourceError('the statement failed as it ran', { cause: error }) : error;
  }
};

const cellsOf = (row: SqlRow, columns: readonly string[]): Record<string, Cell> =>
  Object.fromEntries(columns.map((column, place) => [column, cellOf(row[place])]));

const cellOf = (value: unknown): Cell => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // Bytes are shown to nobody.
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
