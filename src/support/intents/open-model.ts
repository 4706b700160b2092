import type { ContentHash } from './content-hash.ts';
import {
  checksumOf,
  HEADER,
  HEADER_LENGTH,
  layoutOf,
  MODEL_MAGIC,
  MODEL_VERSION,
  type SectionName,
} from './model-format.ts';

/** A packed model is not one, is damaged, or was trained from something else. */
export class ModelRefused extends Error {
  override readonly name = 'ModelRefused';
}

/** A packed model, read where it lies. */
export interface OpenModel {
  intentCount: number;
  /** 0 to 1. */
  threshold: number;
  /** Examples it was trained from. */
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
 * Opens a packed model without copying it, unless it lies askew in its buffer.
 *
 * @throws {ModelRefused} When it is not of this version, not whole, damaged, or trained from anything but `contentHash`.
 */
export const openModel = (packed: Uint8Array, { contentHash }: { contentHash: ContentHash }): OpenModel => {
  const bytes = packed.byteOffset % 4 === 0 ? packed : packed.slice();
  if (bytes.byteLength < HEADER_LENGTH * 4 || bytes.byteLength % 4 !== 0) throw refused('it is cut off');
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const read = (name: keyof typeof HEADER): number => numbers[HEADER[name]] ?? 0;
  if (read('magic') !== MODEL_MAGIC) throw refused('it is none');
  if (read('version') !== MODEL_VERSION) throw refused(`its version is ${read('version')}, not ${MODEL_VERSION}`);
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
    weightStarts: new Uint32Array(buffer, at('weightStarts'), (at('stemHashes') - at('weightStarts')) / 4),
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
    rises(model.stemStarts, model.stemIntents.length) &&
    rises(model.weightStarts, model.weights.length) &&
    [model.threshold, ...model.biases, ...model.scales].every(Number.isFinite) &&
    model.words.length === model.wordCounts.length;
  if (!isSound) throw refused('its parts do not fit together');
  return model;
};

/** Whether these are starts within something of this length, none before the last. */
const rises = (starts: Uint32Array, length: number): boolean => {
  for (let at = 1; at < starts.length; at += 1) if ((starts[at] ?? 0) < (starts[at - 1] ?? 0)) return false;
  return (starts.at(-1) ?? 0) === length;
};

const wordsIn = (bytes: Uint8Array): string[] => {
  const words = new TextDecoder().decode(bytes).split('\n');
  words.pop();
  return words;
};

const refused = (why: string): ModelRefused => new ModelRefused(`Cannot open the trained model: ${why}`);
