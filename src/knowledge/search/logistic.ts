/** `probability = sigmoid(bias + sum of weights[i] * features[i])`. */
export interface LogisticModel {
  weights: number[];
  bias: number;
}

/** Evaluates a model; features and weights have the same order. */
export function applyLogistic(
  { weights, bias }: LogisticModel,
  features: readonly number[],
): number {
  const sum = weights.reduce((total, weight, at) => total + weight * (features[at] ?? 0), bias);
  return 1 / (1 + Math.exp(-sum));
}
