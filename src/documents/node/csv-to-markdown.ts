import { readCsv } from './csv-rows.ts';
import { type DocumentText, listed, NotReadable } from './document-text.ts';
import { EMPTY, markdownOfRows } from './tables.ts';

export const MAX_ROWS = 20_000;
/** Characters of a table that are read: as it is written, it has no fewer. */
export const MAX_TABLE_CHARACTERS = 600_000;

/**
 * Markdown of a table in a text: comma, semicolon, tab or vertical bar between the cells, quotation marks around them (RFC 4180).
 *
 * @throws {NotReadable} When it has no cell.
 */
export function csvToMarkdown(text: string): DocumentText {
  const part = text.slice(0, MAX_TABLE_CHARACTERS);
  // Some programs name the separator in a first line.
  const named = /^sep=(.)\r?\n/.exec(part);
  const { rows, unclosed } = readCsv(named === null ? part : part.slice(named[0].length), {
    separator: named?.[1] ?? separatorOf(part),
    maxRows: MAX_ROWS + 1,
  });
  const cells = rows
    .slice(0, MAX_ROWS)
    .map((row) => row.map((value) => (value.trim() === '' ? EMPTY : { text: value.trim() })));
  const { text: markdown, isCut } = markdownOfRows(cells);
  if (markdown === '') throw new NotReadable('it has no text');
  const offset = named === null ? 0 : 1;
  return {
    text: markdown,
    title: undefined,
    warnings: [
      ...cutWarnings(isCut || rows.length > MAX_ROWS || part.length < text.length),
      ...unclosedWarnings(unclosed.map((line) => line + offset)),
    ],
  };
}

const SEPARATORS = ['\t', ';', '|', ','];
const MAX_LINES = 20;

/**
 * The separator that most lines have equally often: titles above a table have none or others, and commas may be decimal or part of a
 * sentence. Of several such, the first of the list.
 */
function separatorOf(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .split('\n', MAX_LINES)
    .map((line) => line.replace(/"(?:[^"]|"")*"/g, ''));
  const agreements = SEPARATORS.map((mark) => {
    const counts = lines.map((line) => line.split(mark).length - 1).filter((count) => count > 0);
    return Math.max(
      0,
      ...[...Map.groupBy(counts, (count) => count).values()].map((equal) => equal.length),
    );
  });
  const most = Math.max(...agreements);
  return most === 0 ? ',' : (SEPARATORS[agreements.indexOf(most)] ?? ',');
}

const unclosedWarnings = (lines: readonly number[]): string[] =>
  lines.length === 0
    ? []
    : [
        `Read ${lines.length === 1 ? 'a line' : 'lines'} as written, as a quotation mark in ${lines.length === 1 ? 'it' : 'them'} ends no cell: ${listed(lines.map(String))}`,
      ];

export function cutWarnings(isCut: boolean): string[] {
  return isCut ? [`Cut after ${MAX_ROWS} rows or 500,000 characters: the table is larger`] : [];
}
