import { unreadable } from './edition-format.ts';

/** Many byte strings in two sections: where each begins (and the last ends), and the bytes one behind the other. */
export interface TextTable {
  count: number;
  starts: Uint32Array;
  bytes: Uint8Array;
}

/**
 * Only the ends of the starts are looked at: a loop over all of them, run cold, would be most of the time that opening an
 * edition takes. Each entry is checked when it is read.
 *
 * @throws {EditionFormatError} When the starts do not go from 0 to the length of the bytes.
 */
export const openTextTable = (starts: Uint32Array, bytes: Uint8Array): TextTable => {
  checkStarts(starts, bytes.byteLength);
  return { count: starts.length - 1, starts, bytes };
};

/** @throws {EditionFormatError} When `starts` is empty, does not begin with 0 or does not end with `end`. */
export const checkStarts = (starts: Uint32Array, end: number): void => {
  if (starts[0] !== 0 || starts.at(-1) !== end) throw unreadable('a table of offsets has gaps');
};

/**
 * Where entry `at` of a table lies that `checkStarts` has looked at; empty outside of the table.
 *
 * @throws {EditionFormatError} When it ends before it begins, or outside of what the table is about.
 */
export const entryRange = (starts: Uint32Array, at: number): { start: number; end: number } => {
  const start = starts[at] ?? 0;
  const end = starts[at + 1] ?? start;
  if (start > end || end > (starts[starts.length - 1] ?? 0)) throw unreadable('a table of offsets does not rise');
  return { start, end };
};

/** Entry `at`; empty outside of the table. @throws {EditionFormatError} When its offsets are damaged. */
export const entryBytes = ({ starts, bytes }: TextTable, at: number): Uint8Array => {
  const { start, end } = entryRange(starts, at);
  return bytes.subarray(start, end);
};

/** Entry `at` as text; damaged UTF-8 shows as U+FFFD. @throws {EditionFormatError} When its offsets are damaged. */
export const entryText = (table: TextTable, at: number): string => new TextDecoder().decode(entryBytes(table, at));

/** The place of `key` in a table sorted by bytes, or -1. */
export const findEntry = (table: TextTable, key: Uint8Array): number => {
  const place = firstEntryFrom(table, key);
  return place < table.count && compareEntry(table, place, key) === 0 ? place : -1;
};

/** The place of the first entry that does not sort before `key`; the table's length when all do. */
export const firstEntryFrom = (table: TextTable, key: Uint8Array): number => {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareEntry(table, middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Below 0 when entry `at` sorts before `key`. */
const compareEntry = ({ starts, bytes }: TextTable, at: number, key: Uint8Array): number => {
  const { start, end } = entryRange(starts, at);
  const length = end - start;
  const shared = Math.min(length, key.length);
  for (let place = 0; place < shared; place++) {
    const difference = (bytes[start + place] ?? 0) - (key[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - key.length;
};

/** Orders texts as their UTF-8 bytes would be: by code point, where plain `<` puts surrogates before U+E000. */
export const compareByBytes = (left: string, right: string): number => {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return (a >= 0xd800 && b >= 0xd800 ? isSurrogate(a) - isSurrogate(b) : 0) || a - b;
  }
  return left.length - right.length;
};

const isSurrogate = (code: number): number => (code >= 0xd800 && code <= 0xdfff ? 1 : 0);
