import { seededRandom } from '../../runtime/seeded-random.ts';
import { contentHash } from './content-hash.ts';
import { type LearntFeatures, learnFeatures } from './learnt-features.ts';
import { type PackedClassifier, packModel, type QuantisedWeights } from './pack-model.ts';
import { trainSeparator } from './train-separator.ts';
import { type LearntFrom, type TrainingSet, trainingSetOf } from './training-set.ts';

export interface TrainingOptions {
  /** The same seed gives the same bytes. */
  seed?: number | undefined;
  /** Confidence below which a message is of no intent, 0 to 1. */
  threshold?: number | undefined;
  /** `quick`: six sweeps over the examples instead of thirty; .002 less accuracy in half the time (reference on intents). */
  effort?: 'quick' | 'full' | undefined;
}

/** For 10 to 20 examples an intent; a simulation finds a better one (reference on intents). */
export const DEFAULT_THRESHOLD = 0.4;

const EFFORTS = { quick: { sweeps: 6, tolerance: 0.3 }, full: { sweeps: 30, tolerance: 0.1 } };

/**
 * Learns to tell the intents of a taxonomy apart, by its examples alone (reference on intents). Takes some 100 ms for 20 intents of
 * 20 examples, seconds for thousands of examples.
 */
export const trainClassifier = (taxonomy: LearntFrom, options: TrainingOptions = {}): PackedClassifier => {
  const { features, weights } = trainOn(trainingSetOf(taxonomy), options);
  return packModel(features, weights, {
    contentHash: contentHash(taxonomy),
    threshold: options.threshold ?? DEFAULT_THRESHOLD,
  });
};

/** Trains on any set, not packed yet. */
export const trainOn = (
  set: TrainingSet,
  { seed = 1, effort = 'full' }: TrainingOptions = {},
): { features: LearntFeatures; weights: QuantisedWeights } => {
  const features = learnFeatures(set);
  const random = seededRandom(seed);
  const dense = new Float64Array(features.hashes.length);
  const biases = new Float32Array(set.intentCount);
  const scales = new Float32Array(set.intentCount);
  const weights = Array.from({ length: set.intentCount }, (_, intent) => {
    const isOf = Uint8Array.from(set.examples, (example) => (example.intent === intent ? 1 : 0));
    const { bias } = trainSeparator(features.rows, isOf, { ...EFFORTS[effort], random, weights: dense });
    const scale = (greatestOf(dense) || 1) / 127;
    biases[intent] = bias;
    scales[intent] = scale;
    const own = new Int8Array(dense.length);
    for (let at = 0; at < own.length; at += 1) own[at] = Math.round((dense[at] as number) / scale);
    return own;
  });
  return { features, weights: { biases, scales, weights } };
};

const greatestOf = (weights: Float64Array): number => {
  let greatest = 0;
  for (let at = 0; at < weights.length; at += 1) greatest = Math.max(greatest, Math.abs(weights[at] as number));
  return greatest;
};
