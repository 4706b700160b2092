import type { AnalyticsResult } from '../../contract/agent-response.ts';
import type { TableBlock } from '../../contract/display-model.ts';
import { type Column, columnOf } from './column.ts';
import { oneLine } from './plain-text.ts';

const MAX_ROWS = 50;
const MAX_COLUMNS = 12;
const MAX_CELL = 120;
/** Of all cells together: wide tables show fewer rows. */
const MAX_CHARACTERS = 24_000;

/** The columns that are shown, with their values in the rows that are shown. */
export const columnsOf = ({ columns, rows }: Pick<AnalyticsResult, 'columns' | 'rows'>): Column[] => {
  const shown = rows.slice(0, MAX_ROWS);
  return namesOf({ columns, rows })
    .slice(0, MAX_COLUMNS)
    .map((name) => columnOf(name, shown));
};

/** The rows of a database as a table; none where there are no columns. */
export const tableBlock = (result: AnalyticsResult): TableBlock | undefined => {
  const columns = columnsOf(result);
  if (columns.length === 0) return undefined;
  return {
    kind: 'table',
    columns: columns.map(({ label, align, unit }) => ({ label, align, ...(unit === undefined ? {} : { unit }) })),
    rows: rowsOf(columns, Math.min(MAX_ROWS, result.rows.length)),
    row_count: result.row_count,
    hidden_columns: namesOf(result).length - columns.length,
  };
};

const rowsOf = (columns: readonly Column[], count: number): string[][] => {
  const rows: string[][] = [];
  for (let at = 0, length = 0; at < count; at++) {
    const cells = columns.map(({ values }) => cellOf(values[at]));
    length += cells.reduce((sum, cell) => sum + cell.length, 0);
    if (length > MAX_CHARACTERS) break;
    rows.push(cells);
  }
  return rows;
};

/** Those that the result names; without any, those of the first row. */
const namesOf = ({ columns, rows }: Pick<AnalyticsResult, 'columns' | 'rows'>): string[] => [
  ...new Set(columns.length > 0 ? columns : Object.keys(rows[0] ?? {})),
];

/** A value as a cell shows it; an en dash where there is none. */
export const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return NO_VALUE;
  if (typeof value === 'string') return oneLine(value, MAX_CELL) || NO_VALUE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(Number(value.toPrecision(DIGITS)));
  return oneLine(JSON.stringify(value) ?? '', MAX_CELL) || NO_VALUE;
};

const NO_VALUE = '–';
/** Significant ones: 0.1 + 0.2 shows as 0.3. Whole numbers up to 10^15 stay exact. */
const DIGITS = 15;
