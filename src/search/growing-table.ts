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
