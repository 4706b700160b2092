import { openVocabulary, type Vocabulary } from './vocabulary.ts';

/** Text <-> tokens of one vocabulary. */
export interface BytePairEncoding {
  count(text: string): number;
  encode(text: string): number[];
  /** @throws {RangeError} For a number that is not a token. */
  decode(tokens: readonly number[]): string;
}

/**
 * Byte pair encoding with the same pieces and merges as tiktoken, hence the same tokens. Special tokens (`<
 * endoftext
 * >`) in a text are plain text.
 *
 * Time is O(n log n) for every text: libraries search all pairs of a piece for the next merge, and a piece without spaces
 * can be as long as the text. Only the bytes of the last piece outlive a call.
 */
export const bytePairEncoding = (vocabulary: Vocabulary): BytePairEncoding => {
  const { rankOf, bytesOf } = openVocabulary(vocabulary);
  // Sticky, since the pieces cover the whole text: each begins at the end of the one before.
  const pieces = new RegExp(vocabulary.pat_str, 'uy');
  const merge = merging(rankOf);
  const room = growing((size) => new Uint8Array(size));

  /** Counts, and appends to `tokens` if there are any. */
  const run = (text: string, tokens: number[] | undefined): number => {
    let count = 0;
    for (let start = 0; start < text.length; ) {
      pieces.lastIndex = start;
      const end = pieceEnd(text, start, pieces.test(text) ? pieces.lastIndex : start + 1);
      const bytes = room(3 * (end - start));
      const length = writeUtf8(text, { start, end, bytes });
      const rank = rankOf(bytes, 0, length);
      if (rank >= 0) {
        tokens?.push(rank);
        count += 1;
      } else count += merge(bytes, length, tokens);
      start = end;
    }
    return count;
  };

  return {
    count: (text) => run(text, undefined),
    encode: (text) => {
      const tokens: number[] = [];
      run(text, tokens);
      return tokens;
    },
    decode: (tokens) => textOf(tokens.map(bytesOf)),
  };
};

/**
 * In UTF-16 units. Longer pieces are cut here, which bounds memory to 4 MB; up to this length, tokens are those of
 * tiktoken.
 */
export const MAX_PIECE_LENGTH = 65_536;

/** Surrogate pairs stay whole. */
const pieceEnd = (text: string, start: number, end: number): number => {
  if (end - start <= MAX_PIECE_LENGTH) return end;
  const cut = start + MAX_PIECE_LENGTH;
  const isInPair = (text.codePointAt(cut - 1) ?? 0) > 0xffff;
  return isInPair ? cut - 1 : cut;
};

const encoder = new TextEncoder();

/** Returns how many bytes were written. A half of a surrogate pair becomes U+FFFD, as in every UTF-8 text. */
const writeUtf8 = (
  text: string,
  { start, end, bytes }: { start: number; end: number; bytes: Uint8Array<ArrayBuffer> },
): number => {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return encoder.encodeInto(text.slice(start, end), bytes).written;
    bytes[at - start] = code;
  }
  return end - start;
};

const textOf = (parts: readonly Uint8Array[]): string => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  // A byte order mark is a character like others.
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
};

type RankOf = (bytes: Uint8Array, start: number, end: number) => number;

/** Larger than every place in a text, small enough for `rank * PLACES + place` to be exact. */
const PLACES = 2 ** 32;

/**
 * Merges the pair of the lowest rank, the leftmost of equals, until no pair is a token. Candidate pairs are in a heap;
 * a pair that has changed meanwhile stays there and is skipped.
 */
const merging = (rankOf: RankOf) => {
  const nextRoom = growing((size) => new Int32Array(size));
  const previousRoom = growing((size) => new Int32Array(size));
  const ranksRoom = growing((size) => new Int32Array(size));
  const heap = numberHeap();

  return (bytes: Uint8Array, length: number, tokens: number[] | undefined): number => {
    // By the start of a part: the start of the next part and of the one before, and the rank of it joined with the next.
    const next = nextRoom(length + 1);
    const previous = previousRoom(length + 1);
    const ranks = ranksRoom(length + 1);
    const endAfter = (part: number): number => (part < length ? (next[part] ?? length) : length);
    const look = (part: number): void => {
      const second = endAfter(part);
      const rank = second < length ? rankOf(bytes, part, endAfter(second)) : -1;
      ranks[part] = rank;
      if (rank >= 0) heap.push(rank * PLACES + part);
    };
    for (let place = 0; place < length; place += 1) {
      next[place] = place + 1;
      previous[place] = place - 1;
    }
    heap.clear();
    for (let place = 0; place < length; place += 1) look(place);
    let count = length;
    for (let lowest = heap.pop(); lowest !== undefined; lowest = heap.pop()) {
      const part = lowest % PLACES;
      if (ranks[part] !== (lowest - part) / PLACES) continue;
      const merged = endAfter(part);
      const after = endAfter(merged);
      next[part] = after;
      ranks[merged] = -1;
      if (after < length) previous[after] = part;
      count -= 1;
      look(part);
      const before = previous[part] ?? -1;
      if (before >= 0) look(before);
    }
    if (tokens !== undefined) {
      for (let part = 0; part < length; part = endAfter(part)) tokens.push(rankOf(bytes, part, endAfter(part)));
    }
    return count;
  };
};

/** Numbers, the least first. */
const numberHeap = () => {
  const room = growing((capacity) => new Float64Array(capacity));
  let items = room(0);
  let size = 0;
  const at = (place: number): number => items[place] ?? Number.POSITIVE_INFINITY;
  return {
    clear: (): void => {
      size = 0;
    },
    push: (item: number): void => {
      if (size === items.length) {
        const larger = room(2 * size);
        if (larger !== items) larger.set(items);
        items = larger;
      }
      let place = size;
      size += 1;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= item) break;
        items[place] = at(parent);
        place = parent;
      }
      items[place] = item;
    },
    pop: (): number | undefined => {
      if (size === 0) return undefined;
      const least = at(0);
      size -= 1;
      const item = at(size);
      let place = 0;
      for (let child = 1; child < size; child = 2 * place + 1) {
        if (child + 1 < size && at(child + 1) < at(child)) child += 1;
        if (item <= at(child)) break;
        items[place] = at(child);
        place = child;
      }
      items[place] = item;
      return least;
    },
  };
};

/** Reused between calls. */
const SMALL = 4096;

/** Room for at least `size` items: the same small buffer every time, a new one when more is needed. */
const growing = <T>(create: (size: number) => T): ((size: number) => T) => {
  const small = create(SMALL);
  return (size) => (size <= SMALL ? small : create(size));
};
