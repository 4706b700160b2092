import { hashOf } from '../text/hash-bytes.ts';
import { compareBytes, entryBytes, type TextTable } from './text-table.ts';

/** A table under construction: the end offset of each entry, and the bytes of all entries. */
export interface GrowingTable {
  ends: GrowingNumbers;
  bytes: GrowingBytes;
}

export const growingTable = (): GrowingTable => ({ ends: growingNumbers(), bytes: growingBytes() });

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
export const growingNumbers = (): GrowingNumbers => {
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
};

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
export const numberedTexts = (): NumberedTexts => {
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
      if (start + 3 * text.length > bytes.length) bytes = copyOf(bytes, 2 * bytes.length + 3 * text.length);
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
      return numbers.sort((left, right) => compareBytes(entryBytes(texts, left), entryBytes(texts, right)));
    },
  };
};

const copyOf = (bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> => {
  const copy = new Uint8Array(length);
  copy.set(bytes);
  return copy;
};
