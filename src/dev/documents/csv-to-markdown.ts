import Papa from 'papaparse';
import { type DocumentText, NotReadable } from './document-text.ts';
import { markdownOfRows } from './tables.ts';

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
  const { data } = Papa.parse<string[]>(named === null ? part : part.slice(named[0].length), {
    preview: MAX_ROWS + 1,
    delimiter: named?.[1] ?? separatorOf(part),
  });
  const rows = data.slice(0, MAX_ROWS).map((row) => row.map((value) => ({ text: value.trim() })));
  const { text: markdown, isCut } = markdownOfRows(rows);
  if (markdown === '') throw new NotReadable('it has no text');
  return {
    text: markdown,
    title: undefined,
    warnings: cutWarnings(isCut || data.length > MAX_ROWS || part.length < text.length),
  };
}

const SEPARATORS = ['\t', ';', '|', ','];

/** The separator that stands most often in the first line that has one: in later lines commas may be decimal. */
function separatorOf(text: string): string {
  for (const line of text.slice(0, 20_000).split('\n', 20)) {
    const plain = line.replace(/"(?:[^"]|"")*"/g, '');
    const counts = SEPARATORS.map((mark) => plain.split(mark).length - 1);
    const most = Math.max(...counts);
    if (most > 0) return SEPARATORS[counts.indexOf(most)] ?? ',';
  }
  return ',';
}

export const cutWarnings = (isCut: boolean): string[] =>
  isCut ? [`Cut after ${MAX_ROWS} rows or 500,000 characters: the table is larger`] : [];
