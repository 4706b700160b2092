import type { Reading } from './catalogue.ts';
import type { Cell, Table } from './run-sql.ts';

/** What the rows of a named question are said with. */
export interface Telling {
  reading: Reading;
  /** What the parameters are called in a sentence. */
  told: Readonly<Record<string, string>>;
}

const MAX_LINES = 10;

/** What the rows say, in words. */
export const interpretRows = ({ rows, truncated }: Table, { reading, told }: Telling): string => {
  const count = { row_count: rows.length };
  const [first] = rows;
  const asked = { ...told, ...count };
  if (first === undefined) return fill(reading.none, { values: asked, asked });
  const text = fill(reading.text, { values: { ...first, ...asked }, asked });
  if (reading.each === undefined) return text;
  const { each } = reading;
  const lines = rows.slice(0, MAX_LINES).map((row) => fill(each, { values: { ...told, ...row }, asked }));
  const more = rows.length - lines.length;
  const rest = more > 0 ? `; and ${more}${truncated ? ' or more' : ''} further` : '';
  return `${text} ${lines.join('; ')}${rest}.`;
};

/** What was read, and when: `(tables orders and products, as of 2026-11-21)`. */
export const originOf = (tables: readonly string[], now: number): string => {
  const day = new Date(now).toISOString().slice(0, 10);
  if (tables.length === 0) return `(no table was read, ${day})`;
  const names =
    tables.length === 1 ? `table ${tables[0]}` : `tables ${tables.slice(0, -1).join(', ')} and ${tables.at(-1)}`;
  return `(${names}, as of ${day})`;
};

type Values = Readonly<Record<string, Cell | undefined>>;

/** A part in brackets says what was asked for: a column of the same name, which tells of one row, does not stand in for it. */
const fill = (template: string, { values, asked }: { values: Values; asked: Values }): string =>
  template
    .replace(/\[([^\]]*)\]/g, (_whole, part: string) => (isComplete(part, asked) ? part : ''))
    .replace(/\{(\w+)(?::([\w ]+))?\}/g, (_whole, name: string, format?: string) => written(values, name, format));

const isComplete = (part: string, asked: Values): boolean =>
  [...part.matchAll(/\{(\w+)/g)].every(([, name = '']) => asked[name] !== undefined && asked[name] !== null);

const written = (values: Values, name: string, format: string | undefined): string => {
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
