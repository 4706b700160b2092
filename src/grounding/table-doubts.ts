import { parseBlocks } from '../markup/blocks.ts';
import { oncePer } from '../runtime/once-per.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import type { Passage } from './answer-prompt.ts';
import type { PlacedQuote } from './quote-evidence.ts';

interface Table {
  start: number;
  end: number;
  head: readonly string[];
  rows: readonly { start: number; end: number; cells: readonly string[] }[];
}

const tablesIn = oncePer(({ text }: Passage): readonly Table[] =>
  parseBlocks(text)
    .filter(({ kind }) => kind === 'table')
    .map(({ start, end, items }) => {
      const [head, ...rows] = items.map((item) => ({ ...item, cells: cellsOf(text.slice(item.start, item.end)) }));
      return { start, end, head: head?.cells ?? [], rows };
    }),
);

const cellsOf = (row: string): string[] =>
  row
    .replace(/^\s*\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replace(/[*_`]/g, '').trim());

/**
 * A doubt about the row or the column of a table that a statement quotes: it speaks of another row, of none, or gives a value of another
 * column than the one that it names.
 */
export const tableDoubt = (text: string, { passage, span }: PlacedQuote, question: string): string | undefined => {
  const table = tablesIn(passage).find(({ start, end }) => start < span.end && span.start < end);
  if (table === undefined) return undefined;
  const quoted = table.rows.filter(({ start, end }) => start < span.end && span.start < end);
  if (quoted.length === 0 || quoted.length === table.rows.length) return undefined;
  return rowDoubt(text, { table, quoted, question }) ?? columnDoubt(text, { table, quoted, question });
};

interface Rows {
  table: Table;
  quoted: Table['rows'];
  question: string;
}

const rowDoubt = (text: string, { table, quoted, question }: Rows): string | undefined => {
  const labelOf = ({ cells: [label = ''] }: Table['rows'][number]): string => label;
  const own = quoted.map(labelOf);
  const all = [...new Set(table.rows.map(labelOf))].filter((label) => label !== '');
  if (devicesNamedIn(text, all).some((label) => own.includes(label))) return undefined;
  const named = devicesNamedIn(`${text}\n${question}`, all);
  const other = named.find((label) => !own.includes(label));
  const shown = own.slice(0, 3).join(' / ').slice(0, 80);
  if (other !== undefined) return `the quoted row is "${shown}", statement or question name "${other.slice(0, 60)}"`;
  return named.length > 0 ? undefined : `neither statement nor question names the quoted row "${shown}"`;
};

const columnDoubt = (text: string, { table: { head }, quoted, question }: Rows): string | undefined => {
  const [row] = quoted;
  if (row === undefined || quoted.length > 1) return undefined;
  const columns = head.slice(1);
  const own = devicesNamedIn(text, columns);
  const [wanted, ...more] = own.length > 0 ? own : devicesNamedIn(question, columns);
  if (wanted === undefined || more.length > 0) return undefined;
  const cells = row.cells.slice(1);
  const [given, ...others] = devicesNamedIn(
    text,
    cells.filter((cell) => cell !== ''),
  );
  const value = cells[columns.indexOf(wanted)] ?? '';
  if (given === undefined || others.length > 0 || given === value) return undefined;
  return `"${given.slice(0, 60)}" stands under "${columns[cells.indexOf(given)]}", asked is "${wanted}"`;
};
