import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import type { Taxonomy } from '../../contract/wire/taxonomy.ts';
import type { MessageFeatures } from './message-features.ts';

/** The part of a taxonomy that a classifier is trained from; a change of anything else does not affect it. */
export interface TrainingSource
  extends Pick<Taxonomy, 'out_of_scope_examples'>,
    Partial<Pick<Taxonomy, 'language'>> {
  intents: readonly Pick<
    Taxonomy['intents'][number],
    'id' | 'title' | 'description' | 'examples'
  >[];
}

/** A trained model is malformed, or was trained from another taxonomy. */
export class InvalidModel extends Error {
  override readonly name = 'InvalidModel';
}

/** Increased when features or weights change: older models are trained again. */
const MODEL_VERSION = 3;

const Finite = z.number().finite();

/** What a model has besides its weights. */
const ModelHeader = z.object({
  version: z.literal(MODEL_VERSION),
  /** `contentHash` of the taxonomy that it was trained from. */
  content: z.string(),
  /** Confidence below which a message has no intent, 0 to 1. */
  threshold: Finite,
  /** Bias by intent. */
  biases: z.array(Finite),
  /** The value of a weight of 1, by intent. */
  units: z.array(Finite),
  /** Words of all examples, the most frequent first, with spaces between them. */
  words: z.string(),
  /** Number of features. */
  size: z.int().nonnegative(),
});

/** The features that a classifier knows. */
export interface FeatureTable {
  /** Ascending. */
  hashes: Uint32Array;
  /** How much each tells of the intent, .2 to 1.07. */
  gains: Float32Array;
}

export interface IntentModel extends Omit<z.infer<typeof ModelHeader>, 'version' | 'size'> {
  table: FeatureTable;
  /** By feature, then intent: -127 to 127. */
  weights: Int8Array;
}

/** A model as bytes: a line of JSON, then hashes, gains and weights, little-endian. */
export type PackedClassifier = Uint8Array<ArrayBuffer>;

export function packModel({ table, weights, ...rest }: IntentModel): PackedClassifier {
  const size = table.hashes.length;
  const line = utf8ToBytes(`${JSON.stringify({ version: MODEL_VERSION, ...rest, size })}\n`);
  const packed = new Uint8Array(line.length + size * BYTES_OF_FEATURE + weights.length);
  packed.set(line);
  let at = line.length;
  for (const { buffer, byteOffset, byteLength } of [table.hashes, table.gains, weights]) {
    packed.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return packed;
}

/** Hash and gain. */
export const BYTES_OF_FEATURE = 8;

/** @throws {InvalidModel} When it has another version, is cut off or damaged, or was trained from another taxonomy. */
export function openModel(packed: Uint8Array, taxonomy: TrainingSource): IntentModel {
  const end = packed.indexOf(LINE_FEED);
  const line = new TextDecoder().decode(packed.subarray(0, Math.max(0, end)));
  const header = readAs(ModelHeader, parseJson(line));
  if (!header.ok) throw refused('it is no trained model of this version');
  const { version: _, size, ...model } = header.value;
  if (model.content !== contentHash(taxonomy))
    throw refused('it was trained from another taxonomy');
  const intents = taxonomy.intents.length;
  // A copy, since the arrays have to be aligned.
  const { buffer } = packed.slice(end + 1);
  const isWhole =
    model.biases.length === intents &&
    model.units.length === intents &&
    buffer.byteLength === size * (BYTES_OF_FEATURE + intents);
  if (!isWhole) throw refused('it is not as long as it says');
  const table = {
    hashes: new Uint32Array(buffer, 0, size),
    gains: new Float32Array(buffer, size * 4, size),
  };
  return { ...model, table, weights: new Int8Array(buffer, size * BYTES_OF_FEATURE) };
}

const LINE_FEED = 10;

const refused = (why: string): InvalidModel =>
  new InvalidModel(`Cannot open the trained model: ${why}`);

/** 16 hex digits: which version of the training data a model is of. */
export function contentHash({
  language = 'en',
  intents,
  out_of_scope_examples: outOfScope,
}: TrainingSource): string {
  const data = intents.map(({ id, title, description = '', examples }) => [
    id,
    title,
    description,
    examples,
  ]);
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([language, data, outOfScope])))).slice(0, 16);
}

/** A sparse vector of length 1, or of no features. */
export interface SparseVector {
  /** Places in the table of features. */
  places: number[];
  values: number[];
}

/** The vector of a text: features that the table lacks are dropped, each block is scaled to the same length. */
export function vectorOf(
  { blocks }: Pick<MessageFeatures, 'blocks'>,
  { hashes, gains }: FeatureTable,
): SparseVector {
  const places: number[] = [];
  const values: number[] = [];
  let blockCount = 0;
  for (const block of blocks) {
    const start = places.length;
    let square = 0;
    for (const hash of block) {
      const place = placeOf(hashes, hash);
      if (place < 0) continue;
      const gain = gains[place] as number;
      places.push(place);
      values.push(gain);
      square += gain * gain;
    }
    for (let at = start; at < values.length; at += 1)
      values[at] = (values[at] as number) / Math.sqrt(square);
    if (places.length > start) blockCount += 1;
  }
  const scale = 1 / Math.sqrt(blockCount);
  return { places, values: values.map((value) => value * scale) };
}

/** Place of a hash in an ascending list; -1 when it is missing. */
const placeOf = (hashes: Uint32Array, hash: number): number => {
  let low = 0;
  let high = hashes.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = hashes[middle] as number; // in range by the loop
    if (value === hash) return middle;
    if (value < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};
