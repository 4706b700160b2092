/** Rows of a table in a text, and what was read otherwise than it is written. */
interface CsvRows {
  rows: string[][];
  /** Lines, from 1, with a quotation mark that opens a field and closes none: they are read as they stand. */
  unclosed: number[];
}

interface CsvOptions {
  separator: string;
  /** Rows that are read. */
  maxRows?: number;
}

/** A field in quotation marks is not longer: sheets have cells of 32,767 characters. */
const MAX_FIELD = 100_000;
const MAX_NAMED = 100;

/**
 * Reads fields between separators, in quotation marks where they hold separators, line ends or doubled quotation marks (RFC 4180). Any
 * other quotation mark is a character: within a field (`5" pipe`), around a word that begins one (`"Best" pump`), and one that opens a field
 * which never ends, or ends beyond lines that are rows themselves. Each character is read at most three times.
 */
export function readCsv(
  text: string,
  { separator, maxRows = Number.POSITIVE_INFINITY }: CsvOptions,
): CsvRows {
  const rows: string[][] = [];
  const unclosed: number[] = [];
  let line = 1;
  let width: number | undefined;
  for (let at = 0; at < text.length && rows.length < maxRows; ) {
    let row = readRow(text, at, { separator, isOneLine: false });
    // Lines that have all columns are rows, not the text of one field.
    if (row.hasLines && row.fields.length !== width) {
      const asWritten = readRow(text, at, { separator, isOneLine: true });
      if (asWritten.fields.length === width) row = asWritten;
    }
    if (row.isUnclosed && unclosed.length < MAX_NAMED) unclosed.push(line);
    if (!row.hasLines && row.fields.length > 1) width ??= row.fields.length;
    rows.push(row.fields);
    for (
      let end = text.indexOf('\n', at);
      end !== -1 && end < row.next;
      end = text.indexOf('\n', end + 1)
    )
      line += 1;
    at = row.next;
  }
  return { rows, unclosed };
}

interface ReadRow {
  fields: string[];
  /** Index at which the next row begins. */
  next: number;
  /** Whether a field goes over several lines. */
  hasLines: boolean;
  /** Whether a quotation mark that opens a field is read as a character. */
  isUnclosed: boolean;
}

function readRow(
  text: string,
  start: number,
  { separator, isOneLine }: { separator: string; isOneLine: boolean },
): ReadRow {
  const row: ReadRow = { fields: [], next: text.length, hasLines: false, isUnclosed: false };
  const lineEnd = endOf(text, start);
  const limit = isOneLine ? lineEnd : text.length;
  let stop = lineEnd;
  for (let at = start; ; ) {
    const opening = openingAt(text, at, separator);
    const quoted = opening === -1 ? undefined : readQuoted(text, opening, { separator, limit });
    let end: number;
    if (quoted !== undefined) {
      row.fields.push(quoted.value);
      row.hasLines ||= quoted.value.includes('\n');
      end = quoted.end;
    } else {
      // Sought once a line, however many fields it has.
      if (at > stop) stop = endOf(text, at);
      const length = text.slice(at, stop).indexOf(separator);
      end = length === -1 ? stop : at + length;
      const value = text.slice(at, end);
      const inner = /^\s*"(.*)"\s*$/.exec(value)?.[1];
      if (opening !== -1 && inner === undefined && !/^\s*"[^"]*"/.test(value))
        row.isUnclosed = true;
      row.fields.push(inner === undefined ? value : inner.replaceAll('""', '"'));
    }
    if (end < text.length && text[end] === separator) at = end + 1;
    else {
      row.next = end + 1;
      return row;
    }
  }
}

const endOf = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** The quotation mark that a field begins with, maybe behind blanks; -1 when it begins with another character. */
function openingAt(text: string, from: number, separator: string): number {
  let at = from;
  while (isBlank(text[at]) && text[at] !== separator) at += 1;
  return text[at] === '"' ? at : -1;
}

/** @returns Undefined when no quotation mark ends the field before another field is opened. */
function readQuoted(
  text: string,
  opening: number,
  { separator, limit }: { separator: string; limit: number },
): { value: string; end: number } | undefined {
  const most = Math.min(limit, opening + MAX_FIELD);
  let hasStray = false;
  for (
    let at = text.indexOf('"', opening + 1);
    at !== -1 && at < most;
    at = text.indexOf('"', at + 1)
  ) {
    let end = at + 1;
    while (isBlank(text[end]) && text[end] !== separator) end += 1;
    if (end >= text.length || text[end] === separator || text[end] === '\n') {
      const value = text.slice(opening + 1, at);
      return { value: hasStray ? value : value.replaceAll('""', '"'), end };
    }
    if (text[at + 1] === '"') {
      at += 1;
      continue;
    }
    let before = at - 1;
    while (isBlank(text[before]) && text[before] !== separator) before -= 1;
    if (text[before] === separator || text[before] === '\n') return undefined;
    hasStray = true;
  }
  return undefined;
}
