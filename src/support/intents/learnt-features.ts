import { messageFeatures } from './message-features.ts';
import { messageWords } from './message-words.ts';
import type { SparseRows } from './train-separator.ts';
import { OUT_OF_SCOPE, type TrainingSet } from './training-set.ts';

/** A stem of the examples. */
export interface LearntStem {
  hash: number;
  /** Examples of intents that hold it. */
  examples: number;
  /** Which intents those are of, ascending. */
  intents: number[];
}

/** What the examples of a training set are made of. */
export interface LearntFeatures {
  /** Hashes, ascending; a feature is named by its place here. */
  hashes: Uint32Array;
  /** By feature, 0 to 255: how much it tells about the intent, in `GAIN_UNIT`. */
  gains: Uint8Array;
  /** The examples as the classifier sees them, in order. */
  rows: SparseRows;
  /** Of the examples that belong to an intent, by hash. */
  stems: LearntStem[];
  /** Examples that belong to an intent. */
  exampleCount: number;
  /** Words of four letters or more, with how often they occur; for typing mistakes. */
  words: ReadonlyMap<string, number>;
}

/** A gain of 255 is this many times it. */
export const GAIN_UNIT = 1.07 / 255;
/** Shorter words stand for no misspelt one. */
const LEAST_LETTERS = 4;

/** Reads all examples, and weighs what they are made of. */
export const learnFeatures = (set: TrainingSet): LearntFeatures => {
  const read = set.examples.map(({ text }) => {
    const words = messageWords(text);
    return { words, features: messageFeatures(words) };
  });
  const hashes = sortedHashes(read.map(({ features }) => features.blocks));
  const placeOf = new Map<number, number>();
  for (let place = 0; place < hashes.length; place += 1) placeOf.set(hashes[place] ?? 0, place);
  const counted = read.map(({ features: { blocks } }) => blocks.map((block) => countPlaces(block, placeOf)));
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
};

const sortedHashes = (
  examples: readonly (readonly number[][])[] | readonly (readonly (readonly number[])[])[],
): Uint32Array => {
  const distinct = new Set<number>();
  for (const blocks of examples) for (const block of blocks) for (const hash of block) distinct.add(hash);
  return Uint32Array.from(distinct).sort();
};

/** Feature -> how often it stands in one block of one example. */
type Counts = Map<number, number>;

const countPlaces = (block: readonly number[], placeOf: ReadonlyMap<number, number>): Counts => {
  const counts: Counts = new Map();
  for (const hash of block) {
    const place = placeOf.get(hash);
    if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
};

/**
 * `(0.1 + 1 - H / ln K) ^ 0.7`: H is the entropy of the intents among the examples that hold the feature, each count first given
 * `1 / K` (reference on intents, step 4). What belongs to no intent counts as one of its own.
 */
const gainsOf = (
  counted: readonly Counts[][],
  { intentCount, examples }: TrainingSet,
  features: number,
): Uint8Array => {
  const hasOutOfScope = examples.some(({ intent }) => intent === OUT_OF_SCOPE);
  const classes = intentCount + (hasOutOfScope ? 1 : 0);
  const perFeature: Counts[] = Array.from({ length: features }, () => new Map());
  for (const [row, blocks] of counted.entries()) {
    const { intent = OUT_OF_SCOPE } = examples[row] ?? {};
    for (const block of blocks) {
      for (const place of block.keys()) perFeature[place]?.set(intent, (perFeature[place].get(intent) ?? 0) + 1);
    }
  }
  return Uint8Array.from(perFeature, (counts) => {
    const gain = (0.1 + 1 - shareOfEntropy(counts, classes)) ** 0.7;
    return Math.min(255, Math.round(gain / GAIN_UNIT));
  });
};

/** Entropy of smoothed counts as a share of the greatest that so many classes can have, 0 to 1. */
const shareOfEntropy = (counts: Counts, classes: number): number => {
  if (classes < 2) return 0;
  let total = 1;
  for (const count of counts.values()) total += count;
  const part = (share: number) => -share * Math.log(share);
  let entropy = (classes - counts.size) * part(1 / classes / total);
  for (const count of counts.values()) entropy += part((count + 1 / classes) / total);
  return Math.min(1, entropy / Math.log(classes));
};

const rowsOf = (counted: readonly Counts[][], gains: Uint8Array): SparseRows => {
  const size = counted.reduce((sum, blocks) => sum + blocks.reduce((inner, block) => inner + block.size, 0), 0);
  const starts = new Uint32Array(counted.length + 1);
  const features = new Uint32Array(size);
  const values = new Float32Array(size);
  const squares = new Float64Array(counted.length);
  let at = 0;
  for (const [row, blocks] of counted.entries()) {
    const filled = blocks.filter((block) => block.size > 0);
    for (const block of filled) {
      const from = at;
      let square = 0;
      for (const [place, count] of block) {
        const value = featureValue(count, gains[place] ?? 0);
        features[at] = place;
        values[at] = value;
        square += value * value;
        at += 1;
      }
      const scale = 1 / Math.sqrt(square * filled.length);
      for (let place = from; place < at; place += 1) values[place] = (values[place] ?? 0) * scale;
    }
    squares[row] = filled.length > 0 ? 1 : 0;
    starts[row + 1] = at;
  }
  return { starts, features, values, squares };
};

/** Before its block is scaled to length 1. */
export const featureValue = (count: number, gain: number): number => (1 + Math.log(count)) * gain;

const stemsOf = (stemsOfExamples: readonly (readonly number[])[], { examples }: TrainingSet): LearntStem[] => {
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
