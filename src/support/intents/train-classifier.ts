import { seededRandom, shuffle } from '../../platform/seeded-random.ts';
import {
  contentHash,
  type PackedClassifier,
  packModel,
  type QuantisedWeights,
} from './packed-model.ts';
import {
  extractFeatures,
  type SparseRows,
  type TrainingFeatures,
  type TrainingSet,
  type TrainingSource,
  trainingSetOf,
} from './training-features.ts';

export interface TrainingOptions {
  /** The same seed gives the same bytes. */
  seed?: number | undefined;
  /** Confidence below which a message has no intent, 0 to 1. */
  threshold?: number | undefined;
  /** `quick`: six sweeps over the examples instead of thirty; .002 less accuracy in half the time. */
  effort?: 'quick' | 'full' | undefined;
}

/** For 10 to 20 examples an intent; `simulateThreshold` finds a better one. */
export const DEFAULT_THRESHOLD = 0.4;

const EFFORTS = { quick: { sweeps: 6, tolerance: 0.3 }, full: { sweeps: 30, tolerance: 0.1 } };

/**
 * Trains a linear classifier on the examples of a taxonomy. It takes some 100 ms for 20 intents of 20 examples, and
 * seconds for thousands of examples.
 */
export function trainClassifier(
  taxonomy: TrainingSource,
  options: TrainingOptions = {},
): PackedClassifier {
  const { features, weights } = trainOn(trainingSetOf(taxonomy), options);
  return packModel(features, weights, {
    contentHash: contentHash(taxonomy),
    threshold: options.threshold ?? DEFAULT_THRESHOLD,
  });
}

/** Trains on any set, without packing the model. */
export function trainOn(
  set: TrainingSet,
  { seed = 1, effort = 'full' }: TrainingOptions = {},
): { features: TrainingFeatures; weights: QuantisedWeights } {
  const features = extractFeatures(set);
  const random = seededRandom(seed);
  const dense = new Float64Array(features.hashes.length);
  const biases = new Float32Array(set.intentCount);
  const scales = new Float32Array(set.intentCount);
  const weights = Array.from({ length: set.intentCount }, (_, intent) => {
    const isOf = Uint8Array.from(set.examples, (example) => (example.intent === intent ? 1 : 0));
    const { bias } = trainSeparator(features.rows, isOf, {
      ...EFFORTS[effort],
      random,
      weights: dense,
    });
    const scale = (greatestOf(dense) || 1) / 127;
    biases[intent] = bias;
    scales[intent] = scale;
    const own = new Int8Array(dense.length);
    for (let at = 0; at < own.length; at += 1) own[at] = Math.round((dense[at] as number) / scale);
    return own;
  });
  return { features, weights: { biases, scales, weights } };
}

const greatestOf = (weights: Float64Array): number => {
  let greatest = 0;
  for (let at = 0; at < weights.length; at += 1)
    greatest = Math.max(greatest, Math.abs(weights[at] as number));
  return greatest;
};

/** The hyperplane between the rows of one intent and all others. */
interface Separator {
  /** Weights by feature. */
  weights: Float64Array;
  bias: number;
}

interface SeparatorOptions {
  /** Random numbers, 0 to 1, for the order of the rows. */
  random: () => number;
  /** Upper bound of passes over all rows. */
  sweeps: number;
  /** Largest violation of the optimality conditions at which training ends. */
  tolerance: number;
}

/** Cost of a misclassified row of the intent, and of another row. */
const POSITIVE_COST = 4;
const NEGATIVE_COST = 1;

/**
 * A linear support vector machine with squared hinge loss, by dual coordinate descent with shrinking: Hsieh, Chang, Lin, Keerthi,
 * Sundararajan, "A Dual Coordinate Descent Method for Large-scale Linear SVM" (ICML 2008), algorithm 3. The bias is the weight of
 * a constant feature of value 1.
 *
 * @param isOf 1 for the rows of the intent, 0 for the others.
 * @param weights One for each feature; overwritten and returned.
 */
export function trainSeparator(
  { starts, features, values, squares }: SparseRows,
  isOf: Uint8Array,
  { weights, random, sweeps, tolerance }: SeparatorOptions & { weights: Float64Array },
): Separator {
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
}
