/** The tokens of a model, as `js-tiktoken/ranks/*` brings them. */
export interface Vocabulary {
  /** What cuts a text into pieces; tokens do not reach over their borders. */
  pat_str: string;
  /** Lines of a mark, the rank of the first token, and tokens in rank order, base64; separated by spaces. */
  bpe_ranks: string;
}

export interface OpenVocabulary {
  /** The token that these bytes are, or -1. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
  /** @throws {RangeError} For a number that is no token. */
  bytesOf(rank: number): Uint8Array;
}

/** Reads a vocabulary into a hash table of typed arrays: 3 MB for 100,000 tokens, where maps of texts take ten times that. */
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

/** FNV-1a; the upper bits are mixed into the lower ones, which are used. */
const hashOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
};

interface Tokens {
  /** All tokens one after another. */
  bytes: Uint8Array;
  /** By rank, where a token starts; it ends where the next one starts. A rank without a token has no bytes. */
  starts: Uint32Array;
  count: number;
  maxLength: number;
}

/** @throws {RangeError} When ranks go back, so that this is no vocabulary of the known form. */
const readTokens = (ranks: string): Tokens => {
  const lines = ranks.split('\n').filter((line) => line !== '');
  const bytes = new Uint8Array(Math.ceil(ranks.length * 0.75));
  const starts: number[] = [];
  let length = 0;
  let maxLength = 0;
  for (const line of lines) {
    const offsetAt = line.indexOf(' ') + 1;
    const tokensAt = line.indexOf(' ', offsetAt) + 1;
    const offset = Number(line.slice(offsetAt, tokensAt - 1));
    if (!Number.isInteger(offset) || offset < starts.length || offset > 2 ** 20)
      throw new RangeError('The ranks of a vocabulary do not ascend');
    while (starts.length < offset) starts.push(length);
    for (let at = tokensAt; at < line.length; at += 1) {
      starts.push(length);
      const end = line.indexOf(' ', at) === -1 ? line.length : line.indexOf(' ', at);
      const written = decodeBase64(line, { start: at, end, bytes, to: length });
      maxLength = Math.max(maxLength, written);
      length += written;
      at = end;
    }
  }
  const count = starts.length;
  return { bytes: bytes.slice(0, length), starts: Uint32Array.from([...starts, length]), count, maxLength };
};

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, BASE64.indexOf(String.fromCharCode(code))));

/** `atob` for each of 100,000 tokens takes longer than all the rest. */
const decodeBase64 = (
  text: string,
  { start, end, bytes, to }: { start: number; end: number; bytes: Uint8Array; to: number },
): number => {
  let bits = 0;
  let value = 0;
  let written = 0;
  for (let at = start; at < end && text[at] !== '='; at += 1) {
    value = ((value << 6) | (VALUES[text.charCodeAt(at)] ?? 0)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[to + written] = value >> bits;
    written += 1;
  }
  return written;
};
