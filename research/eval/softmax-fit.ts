/** One labelled example of binary features. */
export interface SparseExample {
  /** Features that it has, each once. */
  features: readonly number[];
  /** Its class, from 0. */
  label: number;
  /** How much it counts. */
  weight: number;
}

export interface SoftmaxModel {
  /** By feature, then class. */
  weights: Float32Array;
  bias: Float32Array;
}

interface FitOptions {
  /** Number of features. */
  size: number;
  classes: number;
  /** What each feature counts in an example with so many. */
  scaleOf: (count: number) => number;
  epochs?: number;
}

const RATE = 0.1;
const L2 = 1e-5;
/** A class whose probability is so nearly right is not corrected: most of the time goes there. */
const LEAST_ERROR = 0.004;

/** Fits softmax regression by AdaGrad, one example after another in an order that is the same each time. */
export function fitSoftmax(
  examples: readonly SparseExample[],
  { size, classes, scaleOf, epochs = 15 }: FitOptions,
): SoftmaxModel {
  const weights = new Float32Array(size * classes);
  const squares = new Float32Array(size * classes).fill(1e-8);
  const bias = new Float32Array(classes);
  const biasSquares = new Float32Array(classes).fill(1e-8);
  const random = randomNumbers(1);
  const order = [...examples];
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random);
    for (const { features, label, weight } of order) {
      const scale = scaleOf(features.length);
      const odds = scoresOf({ weights, bias }, features, scale);
      for (let kind = 0; kind < classes; kind += 1) {
        const error = ((odds[kind] ?? 0) - (kind === label ? 1 : 0)) * weight;
        biasSquares[kind] = (biasSquares[kind] ?? 0) + error * error;
        bias[kind] = (bias[kind] ?? 0) - (RATE * error) / Math.sqrt(biasSquares[kind] ?? 1);
        if (Math.abs(error) < LEAST_ERROR) continue;
        for (const feature of features) {
          const at = feature * classes + kind;
          const slope = error * scale + L2 * (weights[at] ?? 0);
          const square = (squares[at] ?? 0) + slope * slope;
          squares[at] = square;
          weights[at] = (weights[at] ?? 0) - (RATE * slope) / Math.sqrt(square);
        }
      }
    }
  }
  return { weights, bias };
}

/** Probability of each class. */
export function scoresOf(
  { weights, bias }: SoftmaxModel,
  features: readonly number[],
  scale: number,
): Float64Array {
  const classes = bias.length;
  const sums = new Float64Array(classes);
  for (const feature of features)
    for (let kind = 0; kind < classes; kind += 1)
      sums[kind] = (sums[kind] ?? 0) + (weights[feature * classes + kind] ?? 0);
  const scores = sums.map((sum, kind) => sum * scale + (bias[kind] ?? 0));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** A linear congruential generator (Numerical Recipes), 0 to 1: the same numbers at each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Fisher and Yates. */
const shuffle = <T>(list: T[], random: () => number): void => {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const moved = list[at] as T;
    list[at] = list[other] as T;
    list[other] = moved;
  }
};

/** Vectors of `width` numbers each, assigned to the nearest of `count` means (k-means, 12 rounds). */
export function codebookOf(
  vectors: Float32Array,
  { width, count, shares }: { width: number; count: number; shares: readonly number[] },
): { means: Float32Array; codes: Uint8Array } {
  const rows = vectors.length / width;
  const means = new Float32Array(count * width);
  for (let code = 0; code < count; code += 1) {
    const row = Math.floor(((code + 0.5) / count) * rows);
    means.set(vectors.subarray(row * width, (row + 1) * width), code * width);
  }
  const codes = new Uint8Array(rows);
  for (let round = 0; round < 12; round += 1) {
    const sums = new Float64Array(count * width);
    const totals = new Float64Array(count);
    for (let row = 0; row < rows; row += 1) {
      const code = nearest(vectors, row * width, means, width);
      codes[row] = code;
      totals[code] = (totals[code] ?? 0) + (shares[row] ?? 0);
      for (let at = 0; at < width; at += 1)
        sums[code * width + at] =
          (sums[code * width + at] ?? 0) + (shares[row] ?? 0) * (vectors[row * width + at] ?? 0);
    }
    sums.forEach((sum, at) => {
      const total = totals[Math.floor(at / width)] ?? 0;
      if (total > 0) means[at] = sum / total;
    });
  }
  return { means, codes };
}

const nearest = (
  vectors: Float32Array,
  start: number,
  means: Float32Array,
  width: number,
): number => {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let code = 0; code * width < means.length; code += 1) {
    let distance = 0;
    for (let at = 0; at < width; at += 1)
      distance += ((vectors[start + at] ?? 0) - (means[code * width + at] ?? 0)) ** 2;
    if (distance < least) {
      least = distance;
      best = code;
    }
  }
  return best;
};
