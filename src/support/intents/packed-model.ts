import type { TrainingFeatures, TrainingSource } from './training-features.ts';

/** A packed model is malformed, damaged, or was trained from another taxonomy. */
export class InvalidModel extends Error {
  override readonly name = 'InvalidModel';
}

/** A packed model, read in place. */
export interface OpenModel {
  intentCount: number;
  /** 0 to 1. */
  threshold: number;
  /** Number of examples that it was trained from. */
  exampleCount: number;
  biases: Float32Array;
  scales: Float32Array;
  hashes: Uint32Array;
  weightStarts: Uint32Array;
  stemHashes: Uint32Array;
  stemRarity: Float32Array;
  stemStarts: Uint32Array;
  wordCounts: Uint32Array;
  gains: Uint8Array;
  weightCounts: Uint8Array;
  weightIntents: Uint8Array;
  weights: Int8Array;
  stemIntents: Uint8Array;
  /** Sorted by UTF-16 units. */
  words: readonly string[];
}

/**
 * Opens a packed model without copying it, unless it is misaligned in its buffer.
 *
 * @throws {InvalidModel} When it has another version, is cut off or damaged, or was trained from anything but `contentHash`.
 */
export function openModel(
  packed: Uint8Array,
  { contentHash }: { contentHash: ContentHash },
): OpenModel {
  const bytes = packed.byteOffset % 4 === 0 ? packed : packed.slice();
  if (bytes.byteLength < HEADER_LENGTH * 4 || bytes.byteLength % 4 !== 0)
    throw refused('it is cut off');
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const read = (name: keyof typeof HEADER): number => numbers[HEADER[name]] ?? 0;
  if (read('magic') !== MODEL_MAGIC) throw refused('it is no trained model');
  if (read('version') !== MODEL_VERSION)
    throw refused(`its version is ${read('version')}, not ${MODEL_VERSION}`);
  if (read('contentHigh') !== contentHash.high || read('contentLow') !== contentHash.low)
    throw refused('it was trained from another taxonomy');
  const { starts, byteLength } = layoutOf(numbers.subarray(0, HEADER_LENGTH));
  if (byteLength !== bytes.byteLength) throw refused('it is not as long as it says');
  if (read('checksum') !== checksumOf(numbers)) throw refused('it is damaged');

  const at = (name: SectionName): number => bytes.byteOffset + starts[name];
  const { buffer } = bytes;
  const intentCount = read('intents');
  const features = read('features');
  const stems = read('stems');
  const model: OpenModel = {
    intentCount,
    threshold: new Float32Array(buffer, bytes.byteOffset + HEADER.threshold * 4, 1)[0] ?? 0,
    exampleCount: read('examples'),
    biases: new Float32Array(buffer, at('biases'), intentCount),
    scales: new Float32Array(buffer, at('scales'), intentCount),
    hashes: new Uint32Array(buffer, at('hashes'), features),
    weightStarts: new Uint32Array(
      buffer,
      at('weightStarts'),
      (at('stemHashes') - at('weightStarts')) / 4,
    ),
    stemHashes: new Uint32Array(buffer, at('stemHashes'), stems),
    stemRarity: new Float32Array(buffer, at('stemRarity'), stems),
    stemStarts: new Uint32Array(buffer, at('stemStarts'), stems + 1),
    wordCounts: new Uint32Array(buffer, at('wordCounts'), read('words')),
    gains: new Uint8Array(buffer, at('gains'), features),
    weightCounts: new Uint8Array(buffer, at('weightCounts'), features),
    weightIntents: new Uint8Array(buffer, at('weightIntents'), read('weights')),
    weights: new Int8Array(buffer, at('weights'), read('weights')),
    stemIntents: new Uint8Array(buffer, at('stemIntents'), read('stemIntents')),
    words: wordsIn(new Uint8Array(buffer, at('wordBytes'), read('wordBytes'))),
  };
  const isSound =
    isAscending(model.stemStarts, model.stemIntents.length) &&
    isAscending(model.weightStarts, model.weights.length) &&
    [model.threshold, ...model.biases, ...model.scales].every(Number.isFinite) &&
    model.words.length === model.wordCounts.length;
  if (!isSound) throw refused('its parts do not fit together');
  return model;
}

/** Whether the starts ascend up to the length. */
const isAscending = (starts: Uint32Array, length: number): boolean => {
  for (let at = 1; at < starts.length; at += 1)
    if ((starts[at] ?? 0) < (starts[at - 1] ?? 0)) return false;
  return (starts.at(-1) ?? 0) === length;
};

const wordsIn = (bytes: Uint8Array): string[] => {
  const words = new TextDecoder().decode(bytes).split('\n');
  words.pop();
  return words;
};

const refused = (why: string): InvalidModel =>
  new InvalidModel(`Cannot open the trained model: ${why}`);

/** The first four bytes of a packed model, read as a little-endian number: `CIN1`. */
const MODEL_MAGIC = 0x314e4943;
/** Increased when features, weights or layout change: older models are trained again. */
const MODEL_VERSION = 1;
/** Length of the header, in numbers of four bytes. */
const HEADER_LENGTH = 16;

/** Fields of the header and their places. */
export const HEADER = {
  magic: 0,
  version: 1,
  /** The two halves of the hash of the training data. */
  contentHigh: 2,
  contentLow: 3,
  /** Checksum of everything after it. */
  checksum: 4,
  intents: 5,
  features: 6,
  weights: 7,
  stems: 8,
  /** Pairs of stem and intent. */
  stemIntents: 9,
  words: 10,
  /** Bytes of the words, in UTF-8, each ended by a line feed. */
  wordBytes: 11,
  examples: 12,
  /** Bits of a Float32: the confidence below which a message has no intent. */
  threshold: 13,
} as const;

/** The start of the weights is stored for every 16th feature; in between, counts are added up. */
export const WEIGHT_STEP = 16;

/** Section -> [bytes of an entry, number of entries]. Sections with wider entries come first, so that all are aligned. */
const sectionsOf = (header: Uint32Array) => {
  const count = (name: keyof typeof HEADER): number => header[HEADER[name]] ?? 0;
  return {
    biases: [4, count('intents')],
    /** The value of a weight of 1, by intent. */
    scales: [4, count('intents')],
    hashes: [4, count('features')],
    weightStarts: [4, Math.ceil(count('features') / WEIGHT_STEP) + 1],
    stemHashes: [4, count('stems')],
    stemRarity: [4, count('stems')],
    stemStarts: [4, count('stems') + 1],
    wordCounts: [4, count('words')],
    gains: [1, count('features')],
    weightCounts: [1, count('features')],
    weightIntents: [1, count('weights')],
    weights: [1, count('weights')],
    stemIntents: [1, count('stemIntents')],
    wordBytes: [1, count('wordBytes')],
  } as const satisfies Record<string, readonly [number, number]>;
};

type SectionName = keyof ReturnType<typeof sectionsOf>;

/** The start of each section and the length of all, in bytes; padded to a multiple of four. */
export function layoutOf(header: Uint32Array): {
  starts: Record<SectionName, number>;
  byteLength: number;
} {
  let at = HEADER_LENGTH * 4;
  const starts = Object.entries(sectionsOf(header)).map(([name, [size, count]]) => {
    const start = at;
    at += size * count;
    return [name, start] as const;
  });
  // Object.fromEntries loses the key type, which is that of the table above.
  return {
    starts: Object.fromEntries(starts) as Record<SectionName, number>,
    byteLength: Math.ceil(at / 4) * 4,
  };
}

/**
 * FNV-1a by numbers of four bytes, of everything after the checksum; the fields before it are compared by themselves. Four interleaved
 * sums take half the time of one.
 */
export function checksumOf(numbers: Uint32Array): number {
  let [first, second, third, fourth] = [1, 2, 3, 4];
  let at = HEADER.checksum + 1;
  for (; at + 3 < numbers.length; at += 4) {
    first = Math.imul(first ^ (numbers[at] as number), FNV_PRIME);
    second = Math.imul(second ^ (numbers[at + 1] as number), FNV_PRIME);
    third = Math.imul(third ^ (numbers[at + 2] as number), FNV_PRIME);
    fourth = Math.imul(fourth ^ (numbers[at + 3] as number), FNV_PRIME);
  }
  let sum = first;
  for (const part of [second, third, fourth, ...numbers.subarray(at)])
    sum = Math.imul(sum ^ part, FNV_PRIME);
  return sum >>> 0;
}

const FNV_PRIME = 0x01000193;

/** A hash of 64 bits, as two numbers. */
interface ContentHash {
  high: number;
  low: number;
}

/**
 * Hashes the training data of a classifier: ids, titles, descriptions and examples in order, and the examples of no intent. It tells
 * versions of a workspace's taxonomy apart; it is not cryptographic, so it must not be used to look up data of another workspace.
 */
export function contentHash({
  intents,
  out_of_scope_examples: outOfScope,
}: TrainingSource): ContentHash {
  const sums = Uint32Array.of(0xdeadbeef, 0x41c6ce57);
  for (const { id, title, description = '', examples } of intents) {
    addAll(sums, [id, title, description]);
    addAll(sums, examples);
  }
  addAll(sums, outOfScope);
  const [high = 0, low = 0] = sums;
  return {
    high:
      (Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)) >>>
      0,
    low:
      (Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)) >>>
      0,
  };
}

const addAll = (sums: Uint32Array, texts: readonly string[]): void => {
  addText(sums, String(texts.length));
  for (const text of texts) addText(sums, text);
};

const addText = (sums: Uint32Array, text: string): void => {
  let [high = 0, low = 0] = sums;
  // Two units at a time; a missing one counts as 0.
  for (let at = 0; at < text.length; at += 2) {
    const units = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    high = Math.imul(high ^ units, 0x9e3779b1);
    low = Math.imul((low << 7) | (low >>> 25), 0x5f356495) ^ units;
  }
  // The length ends each text, so that different lists never hash the same input.
  sums[0] = Math.imul(high ^ text.length, 0x85ebca6b);
  sums[1] = Math.imul(low ^ ~text.length, 0xc2b2ae35);
};

/** 16 lower-case hex digits. */
export function hashText({ high, low }: ContentHash): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** The quantised weights of all intents. */
export interface QuantisedWeights {
  /** Bias by intent. */
  biases: Float32Array;
  /** The value of a weight of 1, by intent. */
  scales: Float32Array;
  /** By intent, then by feature: -127 to 127. */
  weights: readonly Int8Array[];
}

/** A packed model: a header, then typed arrays that are read in place. Little-endian. */
export type PackedClassifier = Uint8Array<ArrayBuffer>;

/** Upper bound of the weights of a model. With 77 intents, the strongest 350,000 of 8 million were as accurate. */
const MAX_WEIGHTS = 400_000;

export function packModel(
  { hashes, gains, stems, exampleCount, words }: TrainingFeatures,
  { biases, scales, weights }: QuantisedWeights,
  { contentHash, threshold }: { contentHash: ContentHash; threshold: number },
): PackedClassifier {
  const kept = strongest(weights, scales);
  const sortedWords = [...words.keys()].sort();
  const wordBytes = new TextEncoder().encode(sortedWords.map((word) => `${word}\n`).join(''));
  const header = new Uint32Array(HEADER_LENGTH);
  const write = (name: keyof typeof HEADER, value: number) => header.set([value], HEADER[name]);
  write('magic', MODEL_MAGIC);
  write('version', MODEL_VERSION);
  write('contentHigh', contentHash.high);
  write('contentLow', contentHash.low);
  write('intents', biases.length);
  write('features', hashes.length);
  write('weights', kept.weights.length);
  write('stems', stems.length);
  write(
    'stemIntents',
    stems.reduce((sum, { intents }) => sum + intents.length, 0),
  );
  write('words', sortedWords.length);
  write('wordBytes', wordBytes.length);
  write('examples', exampleCount);
  write('threshold', new Uint32Array(Float32Array.of(threshold).buffer)[0] ?? 0);

  const sections: Record<SectionName, ArrayBufferView> = {
    biases,
    scales,
    hashes: Uint32Array.from(hashes),
    weightStarts: kept.starts,
    stemHashes: Uint32Array.from(stems, ({ hash }) => hash),
    stemRarity: Float32Array.from(stems, ({ examples }) => rarity(examples, exampleCount)),
    stemStarts: startsOf(stems.map(({ intents }) => intents.length)),
    wordCounts: Uint32Array.from(sortedWords, (word) => words.get(word) ?? 0),
    gains: Uint8Array.from(gains),
    weightCounts: kept.counts,
    weightIntents: kept.intents,
    weights: kept.weights,
    stemIntents: Uint8Array.from(stems.flatMap(({ intents }) => intents)),
    wordBytes,
  };
  const { starts, byteLength } = layoutOf(header);
  const packed = new Uint8Array(byteLength);
  packed.set(new Uint8Array(header.buffer));
  for (const name of Object.keys(sectionsOf(header)) as SectionName[]) {
    const { buffer, byteOffset, byteLength: length } = sections[name];
    packed.set(new Uint8Array(buffer, byteOffset, length), starts[name]);
  }
  const numbers = new Uint32Array(packed.buffer);
  numbers[HEADER.checksum] = checksumOf(numbers);
  return packed;
}

/** Inverse document frequency of a stem: `ln((1 + n) / (1 + df)) + 1`. */
export function rarity(examples: number, exampleCount: number): number {
  return Math.log((1 + exampleCount) / (1 + examples)) + 1;
}

const startsOf = (counts: readonly number[]): Uint32Array<ArrayBuffer> => {
  const starts = new Uint32Array(counts.length + 1);
  for (const [at, count] of counts.entries()) starts[at + 1] = (starts[at] ?? 0) + count;
  return starts;
};

/** The strongest weights up to the upper bound, by feature. */
const strongest = (weights: readonly Int8Array[], scales: Float32Array) => {
  const features = weights[0]?.length ?? 0;
  const { least, total } = leastStrength(weights, scales);
  const counts = new Uint8Array(features);
  const starts = new Uint32Array(Math.ceil(features / WEIGHT_STEP) + 1);
  const intents = new Uint8Array(total);
  const values = new Int8Array(total);
  let end = 0;
  for (let feature = 0; feature < features; feature += 1) {
    if (feature % WEIGHT_STEP === 0) starts[feature / WEIGHT_STEP] = end;
    const start = end;
    for (let intent = 0; intent < weights.length; intent += 1) {
      const weight = (weights[intent] as Int8Array)[feature] as number;
      if (weight === 0 || binOf(weight, scales[intent] as number, least.unit) < least.bin) continue;
      intents[end] = intent;
      values[end] = weight;
      end += 1;
    }
    counts[feature] = end - start;
  }
  starts[starts.length - 1] = end;
  return { starts, counts, intents, weights: values };
};

/** Steps of the histogram of weights. */
const BINS = 4096;

const binOf = (weight: number, scale: number, unit: number): number =>
  Math.floor((Math.abs(weight) * scale) / unit);

/** The least strength that is stored, and the number of weights with at least this strength. */
const leastStrength = (weights: readonly Int8Array[], scales: Float32Array) => {
  const strongestOfAll = scales.reduce((most, scale) => Math.max(most, scale * 127), 0);
  const unit = strongestOfAll / (BINS - 1) || 1;
  const histogram = new Uint32Array(BINS + 1);
  let total = 0;
  for (const [intent, own] of weights.entries()) {
    const scale = scales[intent] as number;
    for (let at = 0; at < own.length; at += 1) {
      const weight = own[at] as number;
      if (weight === 0) continue;
      const bin = binOf(weight, scale, unit);
      histogram[bin] = (histogram[bin] as number) + 1;
      total += 1;
    }
  }
  let bin = 0;
  for (; total > MAX_WEIGHTS; bin += 1) total -= histogram[bin] as number;
  return { least: { bin, unit }, total };
};
