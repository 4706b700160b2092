import type { Table } from './run-sql.ts';

const MAX_LINES = 10;

/** Rows whose meaning nobody wrote down, told as they are: each value beside the name of its column. */
export const describeRows = ({ columns, rows, truncated }: Table): string => {
  const [first] = rows;
  if (first === undefined) return 'The database has no rows for this question.';
  const lines = rows
    .slice(0, MAX_LINES)
    .map((row) => columns.map((column) => `${column} ${row[column] ?? 'unknown'}`).join(', '));
  const count = `${rows.length}${truncated ? ' or more' : ''} row${rows.length === 1 && !truncated ? '' : 's'}`;
  const more = rows.length - lines.length;
  return `The database has ${count}: ${lines.join('; ')}${more > 0 ? `; and ${more} further` : ''}.`;
};
