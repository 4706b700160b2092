import { hashOf } from '../../language/hash-bytes.ts';
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
export function openTextTable(starts: Uint32Array, bytes: Uint8Array): TextTable {
  checkStarts(starts, bytes.byteLength);
  return { count: starts.length - 1, starts, bytes };
}

/** @throws {EditionFormatError} When `starts` is empty, does not begin with 0 or does not end with `end`. */
export function checkStarts(starts: Uint32Array, end: number): void {
  if (starts[0] !== 0 || starts.at(-1) !== end) throw unreadable('a table of offsets has gaps');
}

/**
 * Position of entry `at` in a table whose ends `checkStarts` has checked; empty outside the table.
 *
 * @throws {EditionFormatError} When it ends before it begins, or outside the section that it refers to.
 */
export function entryRange(starts: Uint32Array, at: number): { start: number; end: number } {
  const start = starts[at] ?? 0;
  const end = starts[at + 1] ?? start;
  if (start > end || end > (starts[starts.length - 1] ?? 0))
    throw unreadable('a table of offsets does not rise');
  return { start, end };
}

/** Entry `at`; empty outside the table. @throws {EditionFormatError} When its offsets are damaged. */
export function entryBytes({ starts, bytes }: TextTable, at: number): Uint8Array {
  const { start, end } = entryRange(starts, at);
  return bytes.subarray(start, end);
}

/** Entry `at` as text; invalid UTF-8 becomes U+FFFD. @throws {EditionFormatError} When its offsets are damaged. */
export function entryText(table: TextTable, at: number): string {
  return new TextDecoder().decode(entryBytes(table, at));
}

/** Index of `key` in a table sorted by bytes, or -1. */
export function findEntry(table: TextTable, key: Uint8Array): number {
  const place = firstEntryFrom(table, key);
  return place < table.count && compareEntry(table, place, key) === 0 ? place : -1;
}

/** Index of the first entry that does not sort before `key`; the table's length if all do. */
export function firstEntryFrom(table: TextTable, key: Uint8Array): number {
  let low = 0;
  let high = table.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareEntry(table, middle, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Negative if entry `at` sorts before `key`. */
const compareEntry = ({ starts, bytes }: TextTable, at: number, key: Uint8Array): number => {
  const { start, end } = entryRange(starts, at);
  return compareBytes(bytes.subarray(start, end), key);
};

/** Negative if `left` sorts before `right`. */
const compareBytes = (left: Uint8Array, right: Uint8Array): number => {
  const shared = Math.min(left.length, right.length);
  for (let place = 0; place < shared; place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

/** The same for entries, whose ranges are valid, without a view on either. */
const compareEntries = (table: TextTable, at: number, other: TextTable, otherAt: number) => {
  const start = table.starts[at] ?? 0;
  const otherStart = other.starts[otherAt] ?? 0;
  const length = (table.starts[at + 1] ?? 0) - start;
  const otherLength = (other.starts[otherAt + 1] ?? 0) - otherStart;
  const shared = Math.min(length, otherLength);
  for (let place = 0; place < shared; place++) {
    const difference = (table.bytes[start + place] ?? 0) - (other.bytes[otherStart + place] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
};

/** By entry of one sorted table: its place in another, larger one, or -1. Reads both once from front to back, in leaps. */
export function placesOf(entries: TextTable, table: TextTable): Int32Array {
  const places = new Int32Array(entries.count).fill(-1);
  let low = 0;
  for (let at = 0; at < entries.count; at++) {
    let leap = 1;
    while (low + leap < table.count && compareEntries(table, low + leap, entries, at) < 0)
      leap *= 2;
    let high = Math.min(table.count, low + leap);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareEntries(table, middle, entries, at) < 0) low = middle + 1;
      else high = middle;
    }
    if (low < table.count && compareEntries(table, low, entries, at) === 0) places[at] = low;
  }
  return places;
}

/** Compares texts by their UTF-8 bytes, i.e. by code point; plain `<` sorts surrogates before U+E000. */
export function compareByBytes(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return (a >= 0xd800 && b >= 0xd800 ? isSurrogate(a) - isSurrogate(b) : 0) || a - b;
  }
  return left.length - right.length;
}

const isSurrogate = (code: number): number => (code >= 0xd800 && code <= 0xdfff ? 1 : 0);

/** Concatenates short texts, each preceded by its length in bytes as a varint. */
export function encodeStrings(strings: readonly string[]): Uint8Array {
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
}

/** Parses the output of `encodeStrings`; damaged bytes give other texts, never more than there are bytes. */
export function decodeStrings(bytes: Uint8Array): string[] {
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
}

/**
 * Creates a decoder of varints with its own working memory.
 *
 * @returns A function from bytes to numbers; its result is a view that is valid until the next call. Damaged bytes give
 *   other numbers, never more than there are bytes.
 */
export function varintReader(): (bytes: Uint8Array) => Uint32Array {
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
}

const NOTHING = new Uint8Array(0);

/** A section as 32-bit numbers. @throws {EditionFormatError} When its length is not a multiple of four. */
export function numbersView(section: Uint8Array = NOTHING): Uint32Array {
  if (section.byteLength % 4 !== 0) throw unreadable('a section of numbers has an odd length');
  return new Uint32Array(section.buffer, section.byteOffset, section.byteLength / 4);
}

/** Writes a varint: seven bits a byte, lowest first. @returns The index behind it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) | 128;
  bytes[next++] = rest;
  return next;
}

/** Bytes of a varint. */
export function varintLength(value: number): number {
  return value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : value < 268_435_456 ? 4 : 5;
}

/** A table under construction: the end offset of each entry, and the bytes of all entries. */
export interface GrowingTable {
  ends: GrowingNumbers;
  bytes: GrowingBytes;
}

export function growingTable(): GrowingTable {
  return { ends: growingNumbers(), bytes: growingBytes() };
}

/** A growing buffer of bytes and numbers. */
interface GrowingBytes {
  length: () => number;
  /** Writes an integer from 0 to 2^32 - 1 as a varint: seven bits per byte, lowest first. */
  pushVarint: (value: number) => void;
  push: (bytes: Uint8Array) => void;
  /** Writes everything to the start of `target`. */
  copyTo: (target: Uint8Array) => void;
}

const BLOCK_BYTES = 65_536;

/** Stored in blocks, so that peak memory is the content plus one block. */
const growingBytes = (): GrowingBytes => {
  const blocks: Uint8Array[] = [];
  let block = new Uint8Array(0);
  let used = 0;
  let full = 0;
  const pushByte = (byte: number): void => {
    if (used === block.length) {
      full += used;
      block = new Uint8Array(BLOCK_BYTES);
      blocks.push(block);
      used = 0;
    }
    block[used++] = byte;
  };
  return {
    length: () => full + used,
    pushVarint: (value) => {
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) pushByte((rest % 128) | 128);
      pushByte(rest);
    },
    push: (bytes) => bytes.forEach(pushByte),
    copyTo: (target) => {
      let at = 0;
      for (const part of blocks) {
        const end = part === block ? used : part.length;
        target.set(part.subarray(0, end), at);
        at += end;
      }
    },
  };
};

export interface GrowingNumbers {
  length: () => number;
  push: (value: number) => void;
  get: (at: number) => number;
  set: (at: number, value: number) => void;
  /** A view, valid until the next push. */
  view: () => Uint32Array;
}

/** A growing array of unsigned 32-bit numbers; doubles when full. */
export function growingNumbers(): GrowingNumbers {
  let numbers = new Uint32Array(1024);
  let length = 0;
  return {
    length: () => length,
    push: (value) => {
      if (length === numbers.length) {
        const larger = new Uint32Array(length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = value;
    },
    get: (at) => numbers[at] ?? 0,
    set: (at, value) => {
      numbers[at] = value;
    },
    view: () => numbers.subarray(0, length),
  };
}

/** Different texts, numbered in order of appearance. */
export interface NumberedTexts {
  count: () => number;
  /** The number of a text; the next one, which is `count()` before the call, when it is new. */
  numberOf: (text: string) => number;
  /** All texts by number; valid until the next new one. */
  table: () => TextTable;
  /** The numbers of all texts, sorted by their bytes. Ends the numbering: what finds a text is released. */
  sorted: () => Uint32Array;
}

/** A hash table of typed arrays: half a million words take 12 MiB, a fifth of what a map of strings takes. */
export function numberedTexts(): NumberedTexts {
  const encoder = new TextEncoder();
  const starts = growingNumbers();
  starts.push(0);
  /** The texts one after another; room for the text that is looked for is behind the last. */
  let bytes = new Uint8Array(1024);
  /** At most half full; a number is stored as the one after it, since 0 is an empty slot. */
  let slots = new Uint32Array(1024);
  const count = (): number => starts.length() - 1;
  const table = (): TextTable => ({
    count: count(),
    starts: starts.view(),
    bytes: bytes.subarray(0, starts.get(count())),
  });
  const slotOf = (start: number, end: number): number => {
    const mask = slots.length - 1;
    let slot = hashOf(bytes, start, end) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const known = starts.get((slots[slot] ?? 0) - 1);
      if (starts.get(slots[slot] ?? 0) - known !== end - start) continue;
      let same = 0;
      while (same < end - start && bytes[known + same] === bytes[start + same]) same += 1;
      if (same === end - start) break;
    }
    return slot;
  };
  const grow = (): void => {
    slots = new Uint32Array(slots.length * 2);
    for (let at = 0; at < count(); at++) slots[slotOf(starts.get(at), starts.get(at + 1))] = at + 1;
  };
  return {
    count,
    numberOf: (text) => {
      const start = starts.get(count());
      // A UTF-16 unit takes up to three bytes.
      if (start + 3 * text.length > bytes.length)
        bytes = copyOf(bytes, 2 * bytes.length + 3 * text.length);
      const end = start + encoder.encodeInto(text, bytes.subarray(start)).written;
      const slot = slotOf(start, end);
      const known = slots[slot] ?? 0;
      if (known > 0) return known - 1;
      starts.push(end);
      slots[slot] = count();
      if (2 * count() > slots.length) grow();
      return count() - 1;
    },
    table,
    sorted: () => {
      slots = new Uint32Array(0);
      const texts = table();
      const numbers = Uint32Array.from({ length: texts.count }, (_, at) => at);
      return numbers.sort((left, right) => compareEntries(texts, left, texts, right));
    },
  };
}

const copyOf = (bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> => {
  const copy = new Uint8Array(length);
  copy.set(bytes);
  return copy;
};
