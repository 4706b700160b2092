import { unreadable } from './edition-format.ts';

/** Byte strings in two sections: start offsets (followed by the end of the last), and the concatenated bytes. */
export interface TextTable {
  count: number;
  starts: Uint32Array;
  bytes: Uint8Array;
}

/**
 * Checks only the first and the last start offset: a loop over all of them, run cold, would dominate the time of opening
 * an edition. Entries are checked when they are read.
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
 * Position of entry `at` in a table whose ends `checkStarts` has checked; empty outside the table.
 *
 * @throws {EditionFormatError} When it ends before it begins, or outside the section that it refers to.
 */
export const entryRange = (starts: Uint32Array, at: number): { start: number; end: number } => {
  const start = starts[at] ?? 0;
  const end = starts[at + 1] ?? start;
  if (start > end || end > (starts[starts.length - 1] ?? 0)) throw unreadable('a table of offsets does not rise');
  return { start, end };
};

/** Entry `at`; empty outside the table. @throws {EditionFormatError} When its offsets are damaged. */
export const entryBytes = ({ starts, bytes }: TextTable, at: number): Uint8Array => {
  const { start, end } = entryRange(starts, at);
  return bytes.subarray(start, end);
};

/** Entry `at` as text; invalid UTF-8 becomes U+FFFD. @throws {EditionFormatError} When its offsets are damaged. */
export const entryText = (table: TextTable, at: number): string => new TextDecoder().decode(entryBytes(table, at));

/** Index of `key` in a table sorted by bytes, or -1. */
export const findEntry = (table: TextTable, key: Uint8Array): number => {
  const place = firstEntryFrom(table, key);
  return place < table.count && compareEntry(table, place, key) === 0 ? place : -1;
};

/** Index of the first entry that does not sort before `key`; the table's length if all do. */
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

/** Negative if entry `at` sorts before `key`. */
const compareEntry = ({ starts, bytes }: TextTable, at: number, key: Uint8Array): number => {
  const { start, end } = entryRange(starts, at);
  return compareBytes(bytes.subarray(start, end), key);
};

/** Negative if `left` sorts before `right`. */
export const compareBytes = (left: Uint8Array, right: Uint8Array): number => {
  const shared = Math.min(left.length, right.length);
  for (let place = 0; place < shared; place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

/** Compares texts by their UTF-8 bytes, i.e. by code point; plain `<` sorts surrogates before U+E000. */
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

/** Concatenates short texts, each preceded by its length in bytes as a varint. */
export const encodeStrings = (strings: readonly string[]): Uint8Array => {
  const encoder = new TextEncoder();
  const parts = strings.map((text) => encoder.encode(text));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length + 5, 0));
  let at = 0;
  for (const part of parts) {
    let rest = part.length;
    for (; rest >= 128; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.slice(0, at);
};

/** Parses the output of `encodeStrings`; damaged bytes give other texts, never more than there are bytes. */
export const decodeStrings = (bytes: Uint8Array): string[] => {
  const decoder = new TextDecoder();
  const strings: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    let length = 0;
    let shift = 0;
    let byte = 128;
    for (; byte >= 128 && shift < 35 && at < bytes.length; shift += 7) {
      byte = bytes[at++] ?? 0;
      length += (byte & 127) * 2 ** shift;
    }
    strings.push(decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return strings;
};

/**
 * Creates a decoder of varints with its own working memory.
 *
 * @returns A function from bytes to numbers; its result is a view that is valid until the next call. Damaged bytes give
 *   other numbers, never more than there are bytes.
 */
export const varintReader = (): ((bytes: Uint8Array) => Uint32Array) => {
  let scratch = new Uint32Array(1024);
  return (bytes) => {
    if (bytes.length > scratch.length) scratch = new Uint32Array(bytes.length * 2);
    let count = 0;
    let at = 0;
    while (at < bytes.length) {
      let byte = bytes[at++] ?? 0;
      let value = byte & 127;
      for (let shift = 7; byte >= 128 && at < bytes.length && shift < 35; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
      scratch[count++] = value;
    }
    return scratch.subarray(0, count);
  };
};

const NOTHING = new Uint8Array(0);

/** A section as 32-bit numbers. @throws {EditionFormatError} When its length is not a multiple of four. */
export const numbersView = (section: Uint8Array = NOTHING): Uint32Array => {
  if (section.byteLength % 4 !== 0) throw unreadable('a section of numbers has an odd length');
  return new Uint32Array(section.buffer, section.byteOffset, section.byteLength / 4);
};

/** Writes a varint: seven bits a byte, lowest first. @returns The index behind it. */
export const writeVarint = (bytes: Uint8Array, at: number, value: number): number => {
  let next = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) | 128;
  bytes[next++] = rest;
  return next;
};

/** Bytes of a varint. */
export const varintLength = (value: number): number =>
  value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : value < 268_435_456 ? 4 : 5;
