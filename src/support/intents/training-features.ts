import type { Taxonomy } from '../../contract/wire/taxonomy.ts';
import { splitSentences } from '../../language/split-sentences.ts';

/** A message whose intent is known. */
interface TrainingExample {
  text: string;
  /** Place of its intent; `OUT_OF_SCOPE` for none of them. */
  intent: number;
}

export interface TrainingSet {
  /** Number of intents. */
  intentCount: number;
  examples: readonly TrainingExample[];
}

const OUT_OF_SCOPE = -1;

/**
 * The training examples of a taxonomy: titles, sentences of descriptions, and examples of its intents, and examples of no intent. With few
 * examples, titles and descriptions matter: with 16 examples an intent, .57 of held-out examples are right with
 * titles, .63 with descriptions too, .67 with each of their sentences as an example of its own.
 */
export function trainingSetOf({
  intents,
  out_of_scope_examples: outOfScope,
}: TrainingSource): TrainingSet {
  return {
    intentCount: intents.length,
    examples: [
      ...intents.flatMap(({ title, description = '', examples }, intent) =>
        [title, ...sentencesOf(description), ...examples].map((text) => ({ text, intent })),
      ),
      ...outOfScope.map((text) => ({ text, intent: OUT_OF_SCOPE })),
    ],
  };
}

const sentencesOf = (text: string): string[] =>
  splitSentences(text).map(({ start, end }) => text.slice(start, end));

/** The part of a taxonomy that a classifier is trained from; a change of anything else does not affect it. */
export interface TrainingSource extends Pick<Taxonomy, 'out_of_scope_examples'> {
  intents: readonly Pick<
    Taxonomy['intents'][number],
    'id' | 'title' | 'description' | 'examples'
  >[];
}

/** A stem that occurs in examples. */
interface TrainingStem {
  hash: number;
  /** Number of examples with an intent that contain it. */
  examples: number;
  /** The intents of these examples, ascending. */
  intents: number[];
}

/** Sparse rows: row `i` has the features `features[starts[i]]` to before `starts[i + 1]`, with the values beside them. */
export interface SparseRows {
  starts: Uint32Array;
  features: Uint32Array;
  values: Float32Array;
  /** Squared length of each row. */
  squares: Float64Array;
}

/** The features of a training set. */
export interface TrainingFeatures {
  /** Hashes, ascending; the place of a hash is the number of its feature. */
  hashes: Uint32Array;
  /** Information gain by feature, 0 to 255, in units of `GAIN_UNIT`. */
  gains: Uint8Array;
  /** Feature vectors of the examples, in order. */
  rows: SparseRows;
  /** Stems of the examples with an intent, by hash. */
  stems: TrainingStem[];
  /** Number of examples with an intent. */
  exampleCount: number;
  /** Frequencies of words of four letters or more, to correct spelling mistakes. */
  words: ReadonlyMap<string, number>;
}

/** The gain that 1 stands for. */
export const GAIN_UNIT = 1.07 / 255;
/** Shorter words are not used to correct spelling mistakes. */
const LEAST_LETTERS = 4;

/** Extracts and weighs the features of all examples. */
export function extractFeatures(set: TrainingSet): TrainingFeatures {
  const read = set.examples.map(({ text }) => {
    const words = messageWords(text);
    return { words, features: messageFeatures(words) };
  });
  const blocks = read.flatMap(({ features }) => features.blocks);
  const hashes = distinct(blocks);
  const counted = countBlocks(blocks, hashes);
  const gains = gainsOf(counted, set, hashes.length);
  const stems = stemsOf(
    read.map(({ features }) => features.stems),
    set,
  );
  return {
    hashes,
    gains,
    rows: rowsOf(counted, gains),
    stems,
    exampleCount: set.examples.filter(({ intent }) => intent !== OUT_OF_SCOPE).length,
    words: wordsOf(read.map(({ words }) => words)),
  };
}

/** Ascending, each once. */
const distinct = (blocks: readonly (readonly number[])[]): Uint32Array => {
  const all = new Uint32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let end = 0;
  for (const block of blocks) {
    all.set(block, end);
    end += block.length;
  }
  return all.sort().filter((hash, at) => at === 0 || hash !== all[at - 1]);
};

/** Blocks of a message, see `messageFeatures`. */
const BLOCKS = 3;

/** The distinct features of all blocks: block `i` has those from `starts[i]` to before `starts[i + 1]`. */
interface CountedBlocks {
  starts: Uint32Array;
  features: Uint32Array;
  /** Frequency of each feature in its block. */
  counts: Uint16Array;
}

const countBlocks = (
  blocks: readonly (readonly number[])[],
  hashes: Uint32Array,
): CountedBlocks => {
  const placeOf = new Map<number, number>();
  for (let place = 0; place < hashes.length; place += 1)
    placeOf.set(hashes[place] as number, place);
  const size = blocks.reduce((sum, block) => sum + block.length, 0);
  const starts = new Uint32Array(blocks.length + 1);
  const features = new Uint32Array(size);
  const counts = new Uint16Array(size);
  /** Place where a feature of the current block is counted, plus one; 0 for none yet. */
  const countedAt = new Uint32Array(hashes.length);
  let end = 0;
  for (const [at, block] of blocks.entries()) {
    const start = end;
    for (const hash of block) {
      const place = placeOf.get(hash) as number;
      if (countedAt[place] === 0) {
        features[end] = place;
        end += 1;
        countedAt[place] = end;
      }
      const entry = (countedAt[place] as number) - 1;
      counts[entry] = (counts[entry] as number) + 1;
    }
    for (let entry = start; entry < end; entry += 1) countedAt[features[entry] as number] = 0;
    starts[at + 1] = end;
  }
  return { starts, features: features.subarray(0, end), counts: counts.subarray(0, end) };
};

/**
 * `(0.1 + 1 - H / ln K) ^ 0.7`: H is the entropy of the intents among the examples with the feature, each count first raised by `1 / K`
 *. Examples of no intent count as an intent of their own.
 */
const gainsOf = (
  counted: CountedBlocks,
  { intentCount, examples }: TrainingSet,
  size: number,
): Uint8Array => {
  const rowsOfIntent = Map.groupBy(examples.keys(), (row) => examples[row]?.intent ?? OUT_OF_SCOPE);
  const classes = intentCount + (rowsOfIntent.has(OUT_OF_SCOPE) ? 1 : 0);
  const part = (count: number) => (count + 1 / classes) * Math.log(count + 1 / classes);
  const none = part(0);
  const total = new Uint32Array(size);
  /** Sum of the parts of all classes, minus the part of an empty class. */
  const parts = new Float64Array(size);
  const own = new Uint32Array(size);
  for (const rows of rowsOfIntent.values()) {
    const touched: number[] = [];
    for (const row of rows) {
      const end = counted.starts[(row + 1) * BLOCKS] ?? 0;
      for (let at = counted.starts[row * BLOCKS] ?? 0; at < end; at += 1) {
        const feature = counted.features[at] as number;
        if (own[feature] === 0) touched.push(feature);
        own[feature] = (own[feature] as number) + 1;
      }
    }
    for (const feature of touched) {
      const count = own[feature] as number;
      total[feature] = (total[feature] as number) + count;
      parts[feature] = (parts[feature] as number) + part(count) - none;
      own[feature] = 0;
    }
  }
  return Uint8Array.from(total, (count, feature) => {
    const entropy =
      Math.log(count + 1) - (classes * none + (parts[feature] as number)) / (count + 1);
    const share = classes < 2 ? 0 : Math.min(1, entropy / Math.log(classes));
    return Math.min(255, Math.round((0.1 + 1 - share) ** 0.7 / GAIN_UNIT));
  });
};

const rowsOf = ({ starts, features, counts }: CountedBlocks, gains: Uint8Array): SparseRows => {
  const rowCount = (starts.length - 1) / BLOCKS;
  const values = new Float32Array(features.length);
  const squares = new Float64Array(rowCount);
  const rowStarts = Uint32Array.from(
    { length: rowCount + 1 },
    (_, row) => starts[row * BLOCKS] ?? 0,
  );
  for (let row = 0; row < rowCount; row += 1) {
    const bounds = Array.from(starts.subarray(row * BLOCKS, (row + 1) * BLOCKS + 1));
    const filled = bounds.filter((end, at) => at > 0 && end > (bounds[at - 1] ?? 0)).length;
    for (let block = 0; block < BLOCKS; block += 1) {
      const [start = 0, end = 0] = bounds.slice(block, block + 2);
      let square = 0;
      for (let at = start; at < end; at += 1) {
        const value = featureValue(counts[at] as number, gains[features[at] as number] as number);
        values[at] = value;
        square += value * value;
      }
      const scale = 1 / Math.sqrt(square * filled);
      for (let at = start; at < end; at += 1) values[at] = (values[at] as number) * scale;
    }
    squares[row] = filled > 0 ? 1 : 0;
  }
  return { starts: rowStarts, features, values, squares };
};

/** Value of a feature before its block is scaled to length 1. */
export function featureValue(count: number, gain: number): number {
  return count === 1 ? gain : (1 + Math.log(count)) * gain;
}

const stemsOf = (
  stemsOfExamples: readonly (readonly number[])[],
  { examples }: TrainingSet,
): TrainingStem[] => {
  const found = new Map<number, { hash: number; examples: number; intents: Set<number> }>();
  for (const [row, stems] of stemsOfExamples.entries()) {
    const { intent = OUT_OF_SCOPE } = examples[row] ?? {};
    if (intent === OUT_OF_SCOPE) continue;
    for (const hash of stems) {
      const stem = found.get(hash) ?? { hash, examples: 0, intents: new Set() };
      stem.examples += 1;
      stem.intents.add(intent);
      found.set(hash, stem);
    }
  }
  return [...found.values()]
    .sort((left, right) => left.hash - right.hash)
    .map((stem) => ({ ...stem, intents: [...stem.intents].sort((left, right) => left - right) }));
};

const wordsOf = (wordsOfExamples: readonly (readonly string[])[]): Map<string, number> => {
  const words = new Map<string, number>();
  for (const word of wordsOfExamples.flat()) {
    if (word.length >= LEAST_LETTERS) words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
};

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
export function messageParts(message: string): MessageParts {
  const text = withoutQuotes(message.slice(0, MAX_READ));
  const sentences = splitSentences(text)
    .slice(0, MAX_SENTENCES)
    .map(({ start, end }) => messageWords(text.slice(start, Math.min(end, start + MAX_SENTENCE))))
    .filter((words) => words.length > 0);
  const whole = sentences.flat();
  return { whole, sentences: whole.length > FEW_WORDS && sentences.length > 1 ? sentences : [] };
}

const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n');

/** The words of a message in lower case: runs of letters and digits. Contractions are expanded: `can't` and `cant` are `can not`. */
export function messageWords(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replace(APOSTROPHES, "'");
  return expandContractions(plain).match(WORD) ?? [];
}

const APOSTROPHES = /[\u2018\u2019\u201b\u02bc\u00b4\u2032`]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

const expandContractions = (text: string): string => {
  const apart = text.replace(/\b(?:can't|cant)\b/g, 'can not');
  if (!apart.includes("'")) return apart;
  return apart
    .replace(/n't\b/g, ' not')
    .replace(/'(m|re|ve|ll|d|s)\b/g, (_, short: string) => ` ${LONG_FORMS[short] ?? short}`);
};

const LONG_FORMS: Readonly<Record<string, string>> = {
  m: 'am',
  re: 'are',
  ve: 'have',
  ll: 'will',
  d: 'would',
};

/**
 * The stem of an English word: without plural, one of its common endings and a final `e`. Lighter than Porter's, which joins
 * words that customers use for different things; measured for intents. Words of up to three letters, and
 * words in other scripts, are hardly changed.
 *
 * @param word Lower case.
 */
export function stemWord(word: string): string {
  if (word.length <= 3) return word;
  const stem = withoutEnding(withoutPlural(word));
  const bare = stem.endsWith('e') ? stem.slice(0, -1) : stem;
  return bare.endsWith('y') ? `${bare.slice(0, -1)}i` : bare;
}

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
  /** Stems and adjacent stems, character runs, pairs of stems; each block is scaled on its own. */
  blocks: readonly [number[], number[], number[]];
}

/**
 * The features of a message: stems and pairs of adjacent stems; runs of 2 to 5 characters within
 * each word and its bounds; unordered pairs of different content stems, wherever they stand.
 *
 * @param words From `messageWords`.
 * @param options.isKnown Whether any example has a stem, by its hash; pairs with an unknown stem are omitted, since no example has
 *   them. Absent: all stems are known.
 */
export function messageFeatures(
  words: readonly string[],
  { isKnown = () => true }: { isKnown?: (stemHash: number) => boolean } = {},
): MessageFeatures {
  const stems = words.map(stemWord);
  const hashes = stems.map((stem) => finished(hashed(stem, STEM_SEED)));
  const stemsAndPairs = [...hashes];
  for (let at = 1; at < stems.length; at += 1)
    stemsAndPairs.push(neighbours(stems[at - 1] ?? '', stems[at] ?? ''));
  const content = new Set<number>();
  for (const [at, hash] of hashes.entries()) {
    if (!STOP_STEMS.has(stems[at] ?? '') && !STOP_STEMS.has(words[at] ?? '') && isKnown(hash))
      content.add(hash);
  }
  return {
    stems: [...new Set(hashes)],
    blocks: [stemsAndPairs, characterRuns(words), pairsOf([...content])],
  };
}

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
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
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
    const unit = (at: number): number =>
      at === 0 ? BOUND : at === end - 1 ? BOUND_END : word.charCodeAt(at - 1);
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
      pairs.push(
        finished(
          Math.imul(Math.imul(PAIR_SEED ^ first, FNV_PRIME) ^ Math.max(left, right), FNV_PRIME),
        ),
      );
    }
  }
  return pairs;
};
