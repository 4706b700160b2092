import {
  type ContentHash,
  checksumOf,
  HEADER,
  HEADER_LENGTH,
  layoutOf,
  MODEL_MAGIC,
  MODEL_VERSION,
  type SectionName,
  sectionsOf,
  WEIGHT_STEP,
} from './packed-model.ts';
import type { TrainingFeatures } from './training-features.ts';

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

/** Upper bound of the weights of a model. With 77 intents, the strongest 350,000 of 8 million were as accurate (reference on intents). */
const MAX_WEIGHTS = 400_000;

export const packModel = (
  { hashes, gains, stems, exampleCount, words }: TrainingFeatures,
  { biases, scales, weights }: QuantisedWeights,
  { contentHash, threshold }: { contentHash: ContentHash; threshold: number },
): PackedClassifier => {
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
};

/** Inverse document frequency of a stem: `ln((1 + n) / (1 + df)) + 1`. */
export const rarity = (examples: number, exampleCount: number): number =>
  Math.log((1 + exampleCount) / (1 + examples)) + 1;

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

const binOf = (weight: number, scale: number, unit: number): number => Math.floor((Math.abs(weight) * scale) / unit);

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
