import { type AnswerPhrases, filled } from '../../answering/write/answer-phrases.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { type SqlDatabase, SqlRefused, type SqlRow } from '../../platform/storage/sql-database.ts';
import type { Reading } from './catalogue.ts';
import type { GatedSql } from './sql-gate.ts';
import { type Checked, refuseStatement } from './sql-text.ts';

/** The value of a column in a result row. */
type Cell = string | number | null;

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
export async function runSql(
  database: SqlDatabase,
  gated: GatedSql,
  { signal, timeoutMs, maxLength = MAX_RESULT_LENGTH }: RunLimits,
): Promise<Table> {
  const limit = AbortSignal.any([
    signal,
    AbortSignal.timeout(Math.max(0, Math.min(MAX_RUN_MS, timeoutMs))),
  ]);
  const { columns, rows, schemaVersion } = await withDeadline(
    () => asSource(database.run(gated.statement)),
    {
      signal: limit,
      reason: 'the database did not answer in time',
    },
  );
  // With another schema, the checked root pages may belong to other tables.
  if (schemaVersion !== gated.schemaVersion)
    throw new DataSourceError('the schema has changed since the statement was checked');
  const returned = withinLength(
    rows.map((row) => cellsOf(row, columns)),
    maxLength,
  );
  return {
    columns,
    rows: returned,
    truncated: returned.length < rows.length || rows.length >= gated.maxRows,
  };
}

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
export function checkColumns(columns: readonly string[]): Checked<readonly string[]> {
  return columns.some(({ length }) => length > MAX_COLUMN_NAME_LENGTH)
    ? refuseStatement(
        `returns a column whose name is longer than ${MAX_COLUMN_NAME_LENGTH} characters: give each column an alias`,
      )
    : { ok: true, value: columns };
}

const MAX_LINES = 10;

/** Words the rows of a named question. */
export function interpretRows(
  { rows, truncated }: Table,
  { reading, labels }: { reading: Reading; labels: Readonly<Record<string, string>> },
): string {
  const count = { row_count: rows.length };
  const [first] = rows;
  const given = { ...labels, ...count };
  if (first === undefined) return fill(reading.none, { values: given, given });
  const text = fill(reading.text, { values: { ...first, ...given }, given });
  if (reading.each === undefined) return text;
  const { each } = reading;
  const lines = rows
    .slice(0, MAX_LINES)
    .map((row) => fill(each, { values: { ...labels, ...row }, given }));
  const more = rows.length - lines.length;
  const rest = more > 0 ? `; and ${more}${truncated ? ' or more' : ''} further` : '';
  return `${text} ${lines.join('; ')}${rest}.`;
}

/**
 * Words the rows of a model's statement as the model proposes, when its wording names columns that there are; otherwise each value beside the
 * name of its column. Amounts in cents are shown in the currency of their row.
 */
export function describeRows(
  table: Table,
  {
    wording,
    phrases,
  }: { wording?: { text: string; each?: string } | undefined; phrases: AnswerPhrases },
): string {
  const { columns, rows, truncated } = table;
  const [first] = rows;
  if (first === undefined) return phrases.noRows;
  const names = [wording?.text ?? '', wording?.each ?? ''].flatMap((template) => [
    ...template.matchAll(/\{(\w+)/g),
  ]);
  const isUsable =
    names.length > 0 &&
    names.every(([, name = '']) => name === 'row_count' || columns.includes(name));
  if (wording !== undefined && isUsable)
    return interpretRows(table, { reading: { ...wording, none: '' }, labels: {} });
  const shown = columns.filter((column) => column !== 'currency' || !columns.some(isAmount));
  const lines = rows
    .slice(0, MAX_LINES)
    .map((row) =>
      shown.map((column) => `${labelOf(column)} ${shownValue(row, column)}`).join(', '),
    );
  const more = rows.length - lines.length;
  const rest = more > 0 ? `; … (+${more}${truncated ? '+' : ''})` : '';
  return filled(phrases.rows, { rows: `${lines.join('; ')}${rest}` });
}

const isAmount = (column: string): boolean => column.endsWith('_cents');
const labelOf = (column: string): string => column.replace(/_cents$/, '').replaceAll('_', ' ');

const shownValue = (row: Readonly<Record<string, Cell>>, column: string): string => {
  const value = row[column];
  if (typeof value !== 'number') return String(value ?? 'unknown');
  if (isAmount(column) && typeof row.currency === 'string') return money(value, row.currency);
  // An id is no amount.
  return /(?:^|_)id$/.test(column) ? String(value) : separated(value);
};

/** The day of the data: `(as of 2026-11-21)`. The tables are in the source attribution. */
export function originOf(now: number, { asOf }: AnswerPhrases): string {
  return `(${filled(asOf, { day: new Date(now).toISOString().slice(0, 10) })})`;
}

type Values = Readonly<Record<string, Cell | undefined>>;

/** A part in brackets needs parameters of the question: a column of the same name, which belongs to one row, does not count. */
const fill = (template: string, { values, given }: { values: Values; given: Values }): string =>
  template
    .replace(/\[([^\]]*)\]/g, (_whole, part: string) => (isComplete(part, given) ? part : ''))
    .replace(/\{(\w+)(?::([\w ]+))?\}/g, (_whole, name: string, format?: string) =>
      formatValue(values, name, format),
    );

const isComplete = (part: string, given: Values): boolean =>
  [...part.matchAll(/\{(\w+)/g)].every(
    ([, name = '']) => given[name] !== undefined && given[name] !== null,
  );

const formatValue = (values: Values, name: string, format: string | undefined): string => {
  const value = values[name];
  if (value === undefined || value === null) return 'unknown';
  if (typeof value !== 'number' || format === undefined) return String(value);
  if (format === 'money') return money(value, values.currency);
  if (format === 'number') return separated(value);
  const noun = format.replace(/^count /, '');
  return value === 1 ? `1 ${noun}` : `${separated(value)} ${plural(noun)}`;
};

const plural = (noun: string): string =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;

const separated = (value: number): string =>
  value.toLocaleString('en-GB', { maximumFractionDigits: 2 });

const money = (cents: number, currency: Cell | undefined): string => {
  const amount = (cents / 100).toLocaleString('en-GB', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${amount} ${currency ?? '(currency unknown)'}`;
};
