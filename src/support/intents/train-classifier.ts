import { seededRandom, shuffle } from '../../runtime/seeded-random.ts';
import { type PackedClassifier, packModel, type QuantisedWeights } from './pack-model.ts';
import { contentHash } from './packed-model.ts';
import {
  type LearntFeatures,
  type LearntFrom,
  learnFeatures,
  type TrainingSet,
  trainingSetOf,
} from './training-features.ts';

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

/** Sparse rows: row `i` has the features `features[starts[i]]` to before `starts[i + 1]`, with the values beside them. */
export interface SparseRows {
  starts: Uint32Array;
  features: Uint32Array;
  values: Float32Array;
  /** Squared length of each row. */
  squares: Float64Array;
}

/** A plane between the rows of one intent and all others. */
export interface Separator {
  /** By feature. */
  weights: Float64Array;
  bias: number;
}

export interface SeparatorOptions {
  /** 0 to 1; the order in which rows are looked at. */
  random: () => number;
  /** At most so many times over all rows. */
  sweeps: number;
  /** When no row pulls harder than this any more, it is done. */
  tolerance: number;
}

/** What a wrong row of the intent costs, and what one of the others does. */
const POSITIVE_COST = 4;
const NEGATIVE_COST = 1;

/**
 * A linear support vector machine with squared hinge loss, by dual coordinate descent with shrinking: Hsieh, Chang, Lin, Keerthi,
 * Sundararajan, "A Dual Coordinate Descent Method for Large-scale Linear SVM" (ICML 2008), algorithm 3. The bias is the weight of
 * a constant feature of value 1.
 *
 * @param isOf 1 for the rows of the intent, 0 for the others.
 * @param weights Is overwritten and handed back: as many as there are features.
 */
export const trainSeparator = (
  { starts, features, values, squares }: SparseRows,
  isOf: Uint8Array,
  { weights, random, sweeps, tolerance }: SeparatorOptions & { weights: Float64Array },
): Separator => {
  const count = squares.length;
  const duals = new Float64Array(count);
  const order = Uint32Array.from({ length: count }, (_, row) => row);
  weights.fill(0);
  let bias = 0;
  let active = count;
  let limit = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    shuffle(order.subarray(0, active), random);
    let greatest = Number.NEGATIVE_INFINITY;
    let smallest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < active; at += 1) {
      const row = order[at] ?? 0;
      const sign = isOf[row] === 1 ? 1 : -1;
      const softness = 0.5 / (sign === 1 ? POSITIVE_COST : NEGATIVE_COST);
      const dual = duals[row] ?? 0;
      const start = starts[row] ?? 0;
      const end = starts[row + 1] ?? 0;
      let score = bias;
      for (let place = start; place < end; place += 1) {
        score += (weights[features[place] as number] as number) * (values[place] as number);
      }
      const gradient = sign * score - 1 + dual * softness;
      if (dual === 0 && gradient > limit) {
        active -= 1;
        order[at] = order[active] ?? 0;
        order[active] = row;
        at -= 1;
        continue;
      }
      const pull = dual === 0 ? Math.min(gradient, 0) : gradient;
      greatest = Math.max(greatest, pull);
      smallest = Math.min(smallest, pull);
      if (pull === 0) continue;
      const moved = Math.max(0, dual - gradient / ((squares[row] ?? 0) + 1 + softness));
      const step = (moved - dual) * sign;
      duals[row] = moved;
      bias += step;
      for (let place = start; place < end; place += 1) {
        const feature = features[place] as number;
        weights[feature] = (weights[feature] as number) + step * (values[place] as number);
      }
    }
    if (greatest - smallest > tolerance) {
      limit = greatest > 0 ? greatest : Number.POSITIVE_INFINITY;
    } else if (active === count) {
      break;
    } else {
      active = count;
      limit = Number.POSITIVE_INFINITY;
    }
  }
  return { weights, bias };
};
