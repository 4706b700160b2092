import type { Reading } from './catalogue.ts';
import type { Cell, Table } from './run-sql.ts';

const MAX_LINES = 10;

/** Words the rows of a named question. */
export const interpretRows = (
  { rows, truncated }: Table,
  { reading, labels }: { reading: Reading; labels: Readonly<Record<string, string>> },
): string => {
  const count = { row_count: rows.length };
  const [first] = rows;
  const given = { ...labels, ...count };
  if (first === undefined) return fill(reading.none, { values: given, given });
  const text = fill(reading.text, { values: { ...first, ...given }, given });
  if (reading.each === undefined) return text;
  const { each } = reading;
  const lines = rows.slice(0, MAX_LINES).map((row) => fill(each, { values: { ...labels, ...row }, given }));
  const more = rows.length - lines.length;
  const rest = more > 0 ? `; and ${more}${truncated ? ' or more' : ''} further` : '';
  return `${text} ${lines.join('; ')}${rest}.`;
};

/**
 * Words the rows of a model's statement as the model proposes, when its wording names columns that there are; otherwise each value beside the
 * name of its column. Amounts in cents are shown in the currency of their row.
 */
export const describeRows = (table: Table, wording?: { text: string; each?: string }): string => {
  const { columns, rows, truncated } = table;
  const [first] = rows;
  if (first === undefined) return 'The database has nothing for this question.';
  const names = [wording?.text ?? '', wording?.each ?? ''].flatMap((template) => [...template.matchAll(/\{(\w+)/g)]);
  const isUsable = names.length > 0 && names.every(([, name = '']) => name === 'row_count' || columns.includes(name));
  if (wording !== undefined && isUsable) return interpretRows(table, { reading: { ...wording, none: '' }, labels: {} });
  const shown = columns.filter((column) => column !== 'currency' || !columns.some(isAmount));
  const lines = rows
    .slice(0, MAX_LINES)
    .map((row) => shown.map((column) => `${labelOf(column)} ${shownValue(row, column)}`).join(', '));
  const more = rows.length - lines.length;
  const rest = more > 0 ? `; and ${more}${truncated ? ' or more' : ''} further` : '';
  return `The database gives for this question: ${lines.join('; ')}${rest}.`;
};

const isAmount = (column: string): boolean => column.endsWith('_cents');
const labelOf = (column: string): string => column.replace(/_cents$/, '').replaceAll('_', ' ');

const shownValue = (row: Readonly<Record<string, Cell>>, column: string): string => {
  const value = row[column];
  if (typeof value !== 'number') return String(value ?? 'unknown');
  if (isAmount(column) && typeof row.currency === 'string') return money(value, row.currency);
  // An id is no amount.
  return /(?:^|_)id$/.test(column) ? String(value) : separated(value);
};

/** The tables that were read, and the day: `(tables orders and products, as of 2026-11-21)`. */
export const originOf = (tables: readonly string[], now: number): string => {
  const day = new Date(now).toISOString().slice(0, 10);
  if (tables.length === 0) return `(no table was read, ${day})`;
  const names =
    tables.length === 1 ? `table ${tables[0]}` : `tables ${tables.slice(0, -1).join(', ')} and ${tables.at(-1)}`;
  return `(${names}, as of ${day})`;
};

type Values = Readonly<Record<string, Cell | undefined>>;

/** A part in brackets needs parameters of the question: a column of the same name, which belongs to one row, does not count. */
const fill = (template: string, { values, given }: { values: Values; given: Values }): string =>
  template
    .replace(/\[([^\]]*)\]/g, (_whole, part: string) => (isComplete(part, given) ? part : ''))
    .replace(/\{(\w+)(?::([\w ]+))?\}/g, (_whole, name: string, format?: string) => formatValue(values, name, format));

const isComplete = (part: string, given: Values): boolean =>
  [...part.matchAll(/\{(\w+)/g)].every(([, name = '']) => given[name] !== undefined && given[name] !== null);

const formatValue = (values: Values, name: string, format: string | undefined): string => {
  const value = values[name];
  if (value === undefined || value === null) return 'unknown';
  if (typeof value !== 'number' || format === undefined) return String(value);
  if (format === 'money') return money(value, values.currency);
  if (format === 'number') return separated(value);
  const noun = format.replace(/^count /, '');
  return value === 1 ? `1 ${noun}` : `${separated(value)} ${plural(noun)}`;
};

const plural = (noun: string): string => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);

const separated = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 2 });

const money = (cents: number, currency: Cell | undefined): string => {
  const amount = (cents / 100).toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${amount} ${currency ?? '(currency unknown)'}`;
};
