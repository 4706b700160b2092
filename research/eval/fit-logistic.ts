import type { LogisticModel } from '../../src/knowledge/search/logistic.ts';

/** One labelled example. */
export interface Example {
  features: number[];
  label: boolean;
}

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

/**
 * Fits logistic regression by gradient descent on standardised features.
 *
 * @param l2 Strength of L2 regularisation.
 * @param weigh Whether both classes or all examples weigh the same; in the latter case probabilities match the examples.
 * @param signs By feature: 1 or -1 constrains the sign of its weight; 0 does not.
 * @returns A model for raw features. With examples of one class only, weights are zero and the bias predicts that class.
 */
export function fitLogistic(
  examples: readonly Example[],
  {
    l2 = 1e-3,
    steps = 300,
    rate = 1,
    signs = [],
    weigh = 'classes',
  }: {
    l2?: number;
    steps?: number;
    rate?: number;
    signs?: readonly number[];
    weigh?: 'classes' | 'examples';
  } = {},
): LogisticModel {
  const count = examples[0]?.features.length ?? 0;
  const { rows, means, scales } = standardise(examples, count);
  const positives = examples.reduce((sum, { label }) => sum + (label ? 1 : 0), 0);
  if (positives === 0 || positives === examples.length) {
    return { weights: new Array<number>(count).fill(0), bias: positives === 0 ? -4 : 4 };
  }
  const share =
    weigh === 'classes'
      ? { positive: 0.5 / positives, negative: 0.5 / (examples.length - positives) }
      : { positive: 1 / examples.length, negative: 1 / examples.length };
  const model = { weights: new Array<number>(count).fill(0), bias: 0 };
  const slope = new Float64Array(count + 1);
  for (let step = 0; step < steps; step += 1) {
    slope.fill(0);
    for (let index = 0; index < examples.length; index += 1) {
      const isPositive = examples[index]?.label === true;
      addSlope(
        slope,
        model,
        rows.subarray(index * count, (index + 1) * count),
        isPositive ? share.positive : -share.negative,
      );
    }
    for (let feature = 0; feature < count; feature += 1) {
      const weight = model.weights[feature] ?? 0;
      const next = weight - rate * ((slope[feature] ?? 0) + l2 * weight);
      model.weights[feature] = next * (signs[feature] ?? 0) < 0 ? 0 : next;
    }
    model.bias -= rate * (slope[count] ?? 0);
  }
  return unstandardise(model, means, scales);
}

/** Adds the gradient of one example; `share` is its weight, negative for a negative example. */
const addSlope = (
  slope: Float64Array,
  { weights, bias }: LogisticModel,
  row: Float64Array,
  share: number,
): void => {
  const count = row.length;
  let z = bias;
  for (let feature = 0; feature < count; feature += 1)
    z += (weights[feature] ?? 0) * (row[feature] ?? 0);
  const error = (sigmoid(z) - (share > 0 ? 1 : 0)) * Math.abs(share);
  for (let feature = 0; feature < count; feature += 1)
    slope[feature] = (slope[feature] ?? 0) + error * (row[feature] ?? 0);
  slope[count] = (slope[count] ?? 0) + error;
};

const standardise = (examples: readonly Example[], count: number) => {
  const means = Array.from({ length: count }, (_, feature) =>
    mean(examples.map(({ features }) => features[feature] ?? 0)),
  );
  const scales = means.map((average, feature) => {
    const variance = mean(
      examples.map(({ features }) => ((features[feature] ?? 0) - average) ** 2),
    );
    return Math.sqrt(variance) || 1;
  });
  const rows = new Float64Array(examples.length * count);
  examples.forEach(({ features }, index) => {
    for (let feature = 0; feature < count; feature += 1) {
      rows[index * count + feature] =
        ((features[feature] ?? 0) - (means[feature] ?? 0)) / (scales[feature] ?? 1);
    }
  });
  return { rows, means, scales };
};

const unstandardise = (
  { weights, bias }: LogisticModel,
  means: number[],
  scales: number[],
): LogisticModel => {
  const raw = weights.map((weight, feature) => weight / (scales[feature] ?? 1));
  return {
    weights: raw,
    bias: bias - raw.reduce((sum, weight, feature) => sum + weight * (means[feature] ?? 0), 0),
  };
};

const mean = (values: number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
