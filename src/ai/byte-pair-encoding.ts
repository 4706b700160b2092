import { hashOf } from '../language/hash-bytes.ts';

/** Text <-> tokens of one vocabulary. */
export interface BytePairEncoding {
  count(text: string): number;
  encode(text: string): number[];
  /** @throws {RangeError} For a number that is not a token. */
  decode(tokens: readonly number[]): string;
}

/**
 * Byte pair encoding with the same pieces and merges as tiktoken, hence the same tokens. Names of special tokens in a text are plain text.
 *
 * Time is O(n log n) for every text: libraries search all pairs of a piece for the next merge, and a piece without spaces
 * can be as long as the text. Only the bytes of the last piece outlive a call.
 */
export function bytePairEncoding(vocabulary: Vocabulary): BytePairEncoding {
  const { rankOf, bytesOf } = openVocabulary(vocabulary);
  // Sticky, since the pieces cover the whole text: each begins at the end of the one before.
  const pieces = new RegExp(vocabulary.pat_str, 'uy');
  const merge = merging(rankOf);
  const bytesBuffer = reusableBuffer((size) => new Uint8Array(size));

  /** Counts, and appends to `tokens` if there are any. */
  const run = (text: string, tokens: number[] | undefined): number => {
    let count = 0;
    for (let start = 0; start < text.length; ) {
      pieces.lastIndex = start;
      const end = pieceEnd(text, start, pieces.test(text) ? pieces.lastIndex : start + 1);
      const bytes = bytesBuffer(3 * (end - start));
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
}

/**
 * In UTF-16 units. Longer pieces are cut here, which bounds memory to 4 MB; up to this length, tokens are those of
 * tiktoken.
 */
const MAX_PIECE_LENGTH = 65_536;

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

/** Larger than every position in a text, small enough for `rank * PLACES + place` to be exact. */
const PLACES = 2 ** 32;

/**
 * Merges the pair of the lowest rank, the leftmost of equals, until no pair is a token. Candidate pairs are in a heap;
 * a pair that has changed meanwhile stays there and is skipped.
 */
const merging = (rankOf: RankOf) => {
  const nextBuffer = reusableBuffer((size) => new Int32Array(size));
  const previousBuffer = reusableBuffer((size) => new Int32Array(size));
  const ranksBuffer = reusableBuffer((size) => new Int32Array(size));
  const heap = numberHeap();

  return (bytes: Uint8Array, length: number, tokens: number[] | undefined): number => {
    // By the start of a part: the start of the next part and of the one before, and the rank of it joined with the next.
    const next = nextBuffer(length + 1);
    const previous = previousBuffer(length + 1);
    const ranks = ranksBuffer(length + 1);
    const endAfter = (part: number): number => (part < length ? (next[part] ?? length) : length);
    const rankPair = (part: number): void => {
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
    for (let place = 0; place < length; place += 1) rankPair(place);
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
      rankPair(part);
      const before = previous[part] ?? -1;
      if (before >= 0) rankPair(before);
    }
    if (tokens !== undefined) {
      for (let part = 0; part < length; part = endAfter(part))
        tokens.push(rankOf(bytes, part, endAfter(part)));
    }
    return count;
  };
};

/** Numbers, the least first. */
const numberHeap = () => {
  const bytesBuffer = reusableBuffer((capacity) => new Float64Array(capacity));
  let items = bytesBuffer(0);
  let size = 0;
  const at = (place: number): number => items[place] ?? Number.POSITIVE_INFINITY;
  return {
    clear: (): void => {
      size = 0;
    },
    push: (item: number): void => {
      if (size === items.length) {
        const larger = bytesBuffer(2 * size);
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

/** A buffer for at least `size` items: the same small buffer every time, a new one when more is needed. */
const reusableBuffer = <T>(create: (size: number) => T): ((size: number) => T) => {
  const small = create(SMALL);
  return (size) => (size <= SMALL ? small : create(size));
};

/** The tokens of a model, as `js-tiktoken/ranks/*` contains them. */
export interface Vocabulary {
  /** The pattern that splits a text into pieces; tokens do not cross their borders. */
  pat_str: string;
  /** Each line: a marker, the rank of the first token, and tokens in rank order, base64; separated by spaces. */
  bpe_ranks: string;
}

interface OpenVocabulary {
  /** The rank of the token with these bytes, or -1. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
  /** @throws {RangeError} For a number that is not a token. */
  bytesOf(rank: number): Uint8Array;
}

/** Reads a vocabulary into a hash table of typed arrays: 3 MB for 100,000 tokens, a tenth of what maps of strings take. */
const openVocabulary = ({ bpe_ranks }: Vocabulary): OpenVocabulary => {
  const { bytes, starts, count, maxLength } = readTokens(bpe_ranks);
  // At most half full, so that a search ends after a step or two.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1))).fill(-1);
  const mask = slots.length - 1;
  const startOf = (rank: number): number => starts[rank] ?? 0;

  for (let rank = 0; rank < count; rank += 1) {
    if (startOf(rank) === startOf(rank + 1)) continue;
    let slot = hashOf(bytes, startOf(rank), startOf(rank + 1)) & mask;
    while (slots[slot] !== -1) slot = (slot + 1) & mask;
    slots[slot] = rank;
  }

  return {
    rankOf: (text, start, end) => {
      const length = end - start;
      if (length > maxLength) return -1;
      for (let slot = hashOf(text, start, end) & mask; ; slot = (slot + 1) & mask) {
        const rank = slots[slot] ?? -1;
        if (rank === -1) return -1;
        const token = startOf(rank);
        if (startOf(rank + 1) - token !== length) continue;
        let same = 0;
        while (same < length && bytes[token + same] === text[start + same]) same += 1;
        if (same === length) return rank;
      }
    },
    bytesOf: (rank) => {
      if (!Number.isInteger(rank) || rank < 0 || rank >= count)
        throw new RangeError(`${rank} is not a token`);
      return bytes.subarray(startOf(rank), startOf(rank + 1));
    },
  };
};

interface Tokens {
  /** All tokens one after another. */
  bytes: Uint8Array;
  /** By rank, the start of a token, which ends at the start of the next one. A rank without a token has no bytes. */
  starts: Uint32Array;
  count: number;
  maxLength: number;
}

/** @throws {RangeError} When ranks do not ascend, so this is not a vocabulary of the known form. */
const readTokens = (ranks: string): Tokens => {
  const tokens: Tokens = {
    bytes: new Uint8Array(ranks.length),
    starts: new Uint32Array(ranks.length),
    count: 0,
    maxLength: 0,
  };
  let length = 0;
  for (const line of ranks.split('\n')) {
    if (line === '') continue;
    const offsetAt = line.indexOf(' ') + 1;
    const tokensAt = line.indexOf(' ', offsetAt) + 1;
    const offset = Number(line.slice(offsetAt, tokensAt - 1));
    if (!(offset >= tokens.count && offset <= MAX_RANK))
      throw new RangeError('The ranks of a vocabulary do not ascend');
    tokens.starts.fill(length, tokens.count, offset);
    tokens.count = offset;
    length = appendTokens(line, tokensAt, { tokens, length });
  }
  tokens.starts[tokens.count] = length;
  const { bytes, starts, count } = tokens;
  return { ...tokens, bytes: bytes.slice(0, length), starts: starts.slice(0, count + 1) };
};

const MAX_RANK = 2 ** 19;
const SPACE = 32;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By character code; 64 for characters that are not in it, such as the padding. */
const VALUES = Uint8Array.from(
  { length: 128 },
  (_, code) => (BASE64.indexOf(String.fromCharCode(code)) + 65) % 65,
);

/** Decodes a line of base64 in one pass; `atob` for each of 100,000 tokens takes longer than everything else. Returns the new length. */
const appendTokens = (
  line: string,
  from: number,
  { tokens, length }: { tokens: Tokens; length: number },
): number => {
  const { bytes, starts } = tokens;
  let end = length;
  let start = length;
  let bits = 0;
  let value = 0;
  for (let at = from; at <= line.length; at += 1) {
    const code = at < line.length ? line.charCodeAt(at) : SPACE;
    if (code === SPACE) {
      starts[tokens.count] = start;
      tokens.count += 1;
      tokens.maxLength = Math.max(tokens.maxLength, end - start);
      start = end;
      bits = 0;
      continue;
    }
    const sextet = VALUES[code] ?? 64;
    if (sextet === 64) continue;
    value = ((value << 6) | sextet) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[end] = value >> bits;
    end += 1;
  }
  return end;
};
