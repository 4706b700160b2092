import { stemWord } from './stem-word.ts';

/** What of a message counts for its intent, as 32-bit hashes; a feature that occurs twice stands twice. */
export interface MessageFeatures {
  /** Of the distinct stems, in order of appearance; each is also in the first block. */
  stems: number[];
  /** Words with their neighbours, parts of words, pairs of words: each block is scaled on its own. */
  blocks: readonly [number[], number[], number[]];
}

/**
 * The features of a message (reference on intents, step 3): stems and pairs of neighbouring stems; runs of 2 to 5 characters within
 * each word and its bounds; unordered pairs of different content stems, wherever they stand.
 *
 * @param words Of `messageWords`.
 * @param options.isKnown Whether a stem, by its hash, occurs in any example: pairs with one that does not are left out, since no
 *   example has them. Absent: all are known.
 */
export const messageFeatures = (
  words: readonly string[],
  { isKnown = () => true }: { isKnown?: (stemHash: number) => boolean } = {},
): MessageFeatures => {
  const stems = words.map(stemWord);
  const hashes = stems.map((stem) => finished(hashed(stem, STEM_SEED)));
  const grams = [...hashes];
  for (let at = 1; at < stems.length; at += 1) grams.push(neighbours(stems[at - 1] ?? '', stems[at] ?? ''));
  const content = new Set<number>();
  for (const [at, hash] of hashes.entries()) {
    if (!STOP_STEMS.has(stems[at] ?? '') && !STOP_STEMS.has(words[at] ?? '') && isKnown(hash)) content.add(hash);
  }
  return { stems: [...new Set(hashes)], blocks: [grams, partsOf(words), pairsOf([...content])] };
};

const STEM_SEED = 0x811c9dc5;
const NEIGHBOURS_SEED = 0x2c1b3c6d;
const PARTS_SEED = 0x297a2d39;
const PAIR_SEED = 0x85ebca6b;
/** FNV-1a, 32 bits: G. Fowler, L. C. Noll, K.-P. Vo, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/** In pairs these say nothing. */
const STOP_STEMS: ReadonlySet<string> = new Set(
  'a an the is are was were be been am to of in on at for and or it its this that i my me you your we our do did'.split(
    ' ',
  ),
);

/** Longest run of characters. */
const MAX_PART = 5;
const BOUND = 0x3c;
const BOUND_END = 0x3e;
const SPACE = 0x20;

/** FNV-1a by UTF-16 units, from `state` on. */
const hashed = (text: string, state: number): number => {
  let hash = state;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
};

/** Spreads what FNV leaves in the low bits (the last step of MurmurHash3). */
const finished = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const neighbours = (left: string, right: string): number =>
  finished(hashed(right, Math.imul(hashed(left, NEIGHBOURS_SEED) ^ SPACE, FNV_PRIME)));

const partsOf = (words: readonly string[]): number[] => {
  const parts: number[] = [];
  for (const word of words) {
    const end = word.length + 2;
    const unit = (at: number): number => (at === 0 ? BOUND : at === end - 1 ? BOUND_END : word.charCodeAt(at - 1));
    for (let start = 0; start < end - 1; start += 1) {
      let hash = Math.imul(PARTS_SEED ^ unit(start), FNV_PRIME);
      for (let at = start + 1; at < Math.min(end, start + MAX_PART); at += 1) {
        hash = Math.imul(hash ^ unit(at), FNV_PRIME);
        parts.push(finished(hash));
      }
    }
  }
  return parts;
};

const pairsOf = (content: readonly number[]): number[] => {
  const pairs: number[] = [];
  for (const [at, left] of content.entries()) {
    for (let other = at + 1; other < content.length; other += 1) {
      const right = content[other] ?? 0;
      const first = Math.min(left, right);
      pairs.push(finished(Math.imul(Math.imul(PAIR_SEED ^ first, FNV_PRIME) ^ Math.max(left, right), FNV_PRIME)));
    }
  }
  return pairs;
};
