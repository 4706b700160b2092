import { hashOf } from '../text/hash-bytes.ts';

/** The tokens of a model, as `js-tiktoken/ranks/*` contains them. */
export interface Vocabulary {
  /** The pattern that splits a text into pieces; tokens do not cross their borders. */
  pat_str: string;
  /** Lines of a marker, the rank of the first token, and tokens in rank order, base64; separated by spaces. */
  bpe_ranks: string;
}

export interface OpenVocabulary {
  /** The rank of the token with these bytes, or -1. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
  /** @throws {RangeError} For a number that is not a token. */
  bytesOf(rank: number): Uint8Array;
}

/** Reads a vocabulary into a hash table of typed arrays: 3 MB for 100,000 tokens, a tenth of what maps of strings take. */
export const openVocabulary = ({ bpe_ranks }: Vocabulary): OpenVocabulary => {
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
      if (!Number.isInteger(rank) || rank < 0 || rank >= count) throw new RangeError(`${rank} is not a token`);
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
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => (BASE64.indexOf(String.fromCharCode(code)) + 65) % 65);

/** Decodes a line of base64 in one pass; `atob` for each of 100,000 tokens takes longer than everything else. Returns the new length. */
const appendTokens = (line: string, from: number, { tokens, length }: { tokens: Tokens; length: number }): number => {
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
