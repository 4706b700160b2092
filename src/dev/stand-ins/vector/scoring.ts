import type { SparseVector, StoredVector } from './vector-records.ts';

export type Similarity = 'COSINE' | 'DOT_PRODUCT' | 'EUCLIDEAN';
export interface Scored {
  record: StoredVector;
  score: number;
}

/**
 * How close two vectors are, 0 to 1 for what each similarity allows (unit vectors with DOT_PRODUCT). Sums are of 32 bits,
 * as on the service: its published scores come out in every digit.
 */
export const denseScore = (a: Float32Array, b: Float32Array, similarity: Similarity): number => {
  if (similarity === 'EUCLIDEAN') return single(1 / (1 + squaredDistance(a, b)));
  const product = dot(a, b);
  if (similarity === 'DOT_PRODUCT') return single((1 + product) / 2);
  const lengths = Math.sqrt(squaredLength(a) * squaredLength(b));
  const cosine = lengths === 0 ? 0 : single(product / lengths);
  return single((1 + Math.max(-1, Math.min(1, cosine))) / 2);
};

const single = Math.fround;

/** Four sums side by side, as nothing else is so often done here. */
const dot = (a: Float32Array, b: Float32Array): number => {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < a.length; at += 4) {
    first = single(first + single((a[at] ?? 0) * (b[at] ?? 0)));
    second = single(second + single((a[at + 1] ?? 0) * (b[at + 1] ?? 0)));
    third = single(third + single((a[at + 2] ?? 0) * (b[at + 2] ?? 0)));
    fourth = single(fourth + single((a[at + 3] ?? 0) * (b[at + 3] ?? 0)));
  }
  for (; at < a.length; at++) first = single(first + single((a[at] ?? 0) * (b[at] ?? 0)));
  return single(single(first + second) + single(third + fourth));
};

const squaredDistance = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum = single(sum + single(single((a[at] ?? 0) - (b[at] ?? 0)) ** 2));
  return sum;
};

const squaredLengths = new WeakMap<Float32Array, number>();
const squaredLength = (vector: Float32Array): number => {
  const known = squaredLengths.get(vector);
  if (known !== undefined) return known;
  const sum = dot(vector, vector);
  squaredLengths.set(vector, sum);
  return sum;
};

/** Inner product over the indices that both have, in 32 bits as on the service; `undefined` when they share none. */
export const sparseScore = (query: ReadonlyMap<number, number>, { indices, values }: SparseVector) => {
  let score: number | undefined;
  for (const [at, index] of indices.entries()) {
    const weight = query.get(index);
    if (weight !== undefined) score = single((score ?? 0) + single(weight * (values[at] ?? 0)));
  }
  return score;
};

/** How much an index that `matching` of `total` vectors have tells of one of them; not the form of the vendor's prose, which lacks `1 +`. */
export const inverseFrequency = (total: number, matching: number): number =>
  Math.log(1 + (total - matching + 0.5) / (matching + 0.5));

export type Fusion = 'RRF' | 'DBSF';

/** Joins ranked lists into one, best first. */
export const fuse = (lists: readonly (readonly Scored[])[], fusion: Fusion): Scored[] => {
  const sums = new Map<string, Scored>();
  for (const list of lists) {
    const scores = fusion === 'RRF' ? list.map((_, rank) => 1 / (60 + rank)) : normalised(list);
    for (const [rank, { record }] of list.entries()) {
      const sum = (sums.get(record.id)?.score ?? 0) + (scores[rank] ?? 0);
      sums.set(record.id, { record, score: sum });
    }
  }
  return best([...sums.values()]);
};

/** Position of each score between three standard deviations below the mean (0) and three above it (1), in 32 bits. */
const normalised = (list: readonly Scored[]): number[] => {
  const mean = single(list.reduce((sum, { score }) => single(sum + score), 0) / list.length);
  const squares = list.reduce((sum, { score }) => single(sum + single(single(score - mean) ** 2)), 0);
  const deviation = single(Math.sqrt(squares / (list.length - 1)));
  const low = single(mean - single(3 * deviation));
  const high = single(mean + single(3 * deviation));
  return list.map(({ score }) => (high > low ? single((score - low) / single(high - low)) : 0.5));
};

/** Best first; of equals the one that was written first. */
export const best = (scored: Scored[]): Scored[] =>
  scored.sort((a, b) => b.score - a.score || a.record.order - b.record.order);
