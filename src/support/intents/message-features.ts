import { splitSentences } from '../../text/split-sentences.ts';

/** UTF-16 units of a message that are read. */
const MAX_READ = 4000;
/** The first sentences say what a message is about. */
const MAX_SENTENCES = 8;
const MAX_SENTENCE = 300;
/** Messages up to this many words are classified as a whole. */
const FEW_WORDS = 25;

/** The words by which a message is classified. */
interface MessageParts {
  /** Words of the first sentences. */
  whole: string[];
  /** Words by sentence when the message is long, so that a request is not lost among other sentences; else empty. */
  sentences: string[][];
}

/** The words that a message is classified by: those of its first sentences, without quoted mail. */
export const messageParts = (message: string): MessageParts => {
  const text = withoutQuotes(message.slice(0, MAX_READ));
  const sentences = splitSentences(text)
    .slice(0, MAX_SENTENCES)
    .map(({ start, end }) => messageWords(text.slice(start, Math.min(end, start + MAX_SENTENCE))))
    .filter((words) => words.length > 0);
  const whole = sentences.flat();
  return { whole, sentences: whole.length > FEW_WORDS && sentences.length > 1 ? sentences : [] };
};

const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n');

/** The words of a message in lower case: runs of letters and digits. Contractions are expanded: `can't` and `cant` are `can not`. */
export const messageWords = (text: string): string[] => {
  const plain = text.normalize('NFKC').toLowerCase().replace(APOSTROPHES, "'");
  return expandContractions(plain).match(WORD) ?? [];
};

const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u00b4\u2032`]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

const expandContractions = (text: string): string => {
  const apart = text.replace(/\b(?:can't|cant)\b/g, 'can not');
  if (!apart.includes("'")) return apart;
  return apart
    .replace(/n't\b/g, ' not')
    .replace(/'(m|re|ve|ll|d|s)\b/g, (_, short: string) => ` ${LONG_FORMS[short] ?? short}`);
};

const LONG_FORMS: Readonly<Record<string, string>> = { m: 'am', re: 'are', ve: 'have', ll: 'will', d: 'would' };

/**
 * The stem of an English word: without plural, one of its common endings and a final `e`. Lighter than Porter's, which joins
 * words that customers use for different things; measured for intents (reference on intents, step 2). Words of up to three letters, and
 * words in other scripts, are hardly changed.
 *
 * @param word Lower case.
 */
export const stemWord = (word: string): string => {
  if (word.length <= 3) return word;
  const stem = withoutEnding(withoutPlural(word));
  const bare = stem.endsWith('e') ? stem.slice(0, -1) : stem;
  return bare.endsWith('y') ? `${bare.slice(0, -1)}i` : bare;
};

const withoutPlural = (word: string): string => {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('sses')) return word.slice(0, -2);
  return /[sui]s$/.test(word) ? word : word.slice(0, -1);
};

const withoutEnding = (word: string): string => {
  const ending = /(?:ing|ed)$/.exec(word)?.[0];
  if (ending !== undefined) {
    const rest = word.slice(0, -ending.length);
    if (!/[aeiouy]/.test(rest)) return word;
    return /([^aeiouls])\1$/.test(rest) ? rest.slice(0, -1) : rest;
  }
  if (word.endsWith('ly')) return word.slice(0, -2);
  return word.endsWith('ment') ? word.slice(0, -4) : word;
};

/** The features of a message as 32-bit hashes; a feature that occurs twice is listed twice. */
interface MessageFeatures {
  /** Hashes of the distinct stems, in order of appearance; each is also in the first block. */
  stems: number[];
  /** Stems and neighbouring stems, character runs, pairs of stems; each block is scaled on its own. */
  blocks: readonly [number[], number[], number[]];
}

/**
 * The features of a message (reference on intents, step 3): stems and pairs of neighbouring stems; runs of 2 to 5 characters within
 * each word and its bounds; unordered pairs of different content stems, wherever they stand.
 *
 * @param words From `messageWords`.
 * @param options.isKnown Whether any example has a stem, by its hash; pairs with an unknown stem are omitted, since no example has
 *   them. Absent: all stems are known.
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
  return { stems: [...new Set(hashes)], blocks: [grams, characterRuns(words), pairsOf([...content])] };
};

const STEM_SEED = 0x811c9dc5;
const NEIGHBOURS_SEED = 0x2c1b3c6d;
const RUNS_SEED = 0x297a2d39;
const PAIR_SEED = 0x85ebca6b;
/** FNV-1a, 32 bits: G. Fowler, L. C. Noll, K.-P. Vo, http://www.isthe.com/chongo/tech/comp/fnv/ */
const FNV_PRIME = 0x01000193;

/** Stems that are not paired. */
const STOP_STEMS: ReadonlySet<string> = new Set(
  'a an the is are was were be been am to of in on at for and or it its this that i my me you your we our do did'.split(
    ' ',
  ),
);

/** Longest run of characters. */
const MAX_RUN = 5;
const BOUND = 0x3c;
const BOUND_END = 0x3e;
const SPACE = 0x20;

/** FNV-1a by UTF-16 units, from `state` on. */
const hashed = (text: string, state: number): number => {
  let hash = state;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
};

/** Mixes the bits of an FNV hash (the last step of MurmurHash3). */
const finished = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const neighbours = (left: string, right: string): number =>
  finished(hashed(right, Math.imul(hashed(left, NEIGHBOURS_SEED) ^ SPACE, FNV_PRIME)));

const characterRuns = (words: readonly string[]): number[] => {
  const parts: number[] = [];
  for (const word of words) {
    const end = word.length + 2;
    const unit = (at: number): number => (at === 0 ? BOUND : at === end - 1 ? BOUND_END : word.charCodeAt(at - 1));
    for (let start = 0; start < end - 1; start += 1) {
      let hash = Math.imul(RUNS_SEED ^ unit(start), FNV_PRIME);
      for (let at = start + 1; at < Math.min(end, start + MAX_RUN); at += 1) {
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
