import type { BytePairEncoding } from './byte-pair-encoding.ts';

/** Each under 100 bytes, so that all of them take at most 1 MB. */
const MAX_COUNTS = 10_000;

/** Shorter texts are counted faster than looked up. */
const MIN_LENGTH = 32;

/**
 * Remembers how many tokens a text has, for the 10,000 texts that were asked for last: under a hash, so that no text stays
 * behind when a memory is erased. The hash starts from a secret of this process; nobody can look for two texts that share one.
 */
export const memoCounts = (encoding: BytePairEncoding): BytePairEncoding => {
  const counts = new Map<string, number>();
  const [seed = 0, otherSeed = 0] = crypto.getRandomValues(new Uint32Array(2));

  const count = (text: string): number => {
    if (text.length < MIN_LENGTH) return encoding.count(text);
    const key = `${hashOf(text, seed)} ${hashOf(text, otherSeed)} ${text.length}`;
    const known = counts.get(key);
    const value = known ?? encoding.count(text);
    // The one asked for last stands last.
    if (known !== undefined) counts.delete(key);
    else if (counts.size >= MAX_COUNTS) counts.delete(counts.keys().next().value ?? '');
    counts.set(key, value);
    return value;
  };

  return { ...encoding, count };
};

/** MurmurHash3's mixing, a UTF-16 unit at a time; 32 bits. */
const hashOf = (text: string, seed: number): number => {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    hash ^= Math.imul((unit << 15) | (unit >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};
