import type { SparseVector, StoredVector } from './vector-records.ts';

export type Similarity = 'COSINE' | 'DOT_PRODUCT' | 'EUCLIDEAN';
export interface Scored {
  record: StoredVector;
  score: number;
}

/** How close two vectors are, 0 to 1 for what each similarity allows (unit vectors with DOT_PRODUCT). */
export const denseScore = (a: Float32Array, b: Float32Array, similarity: Similarity): number => {
  let dot = 0;
  let squares = 0;
  if (similarity === 'EUCLIDEAN') {
    for (let i = 0; i < a.length; i++) squares += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
    return 1 / (1 + squares);
  }
  for (let i = 0; i < a.length; i++) dot += (a[i] ?? 0) * (b[i] ?? 0);
  if (similarity === 'DOT_PRODUCT') return (1 + dot) / 2;
  const lengths = lengthOf(a) * lengthOf(b);
  return lengths === 0 ? 0.5 : (1 + Math.max(-1, Math.min(1, dot / lengths))) / 2;
};

const lengths = new WeakMap<Float32Array, number>();
const lengthOf = (vector: Float32Array): number => {
  const known = lengths.get(vector);
  if (known !== undefined) return known;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  lengths.set(vector, length);
  return length;
};

/** Inner product over the indices that both have; `undefined` when they share none. */
export const sparseScore = (query: ReadonlyMap<number, number>, { indices, values }: SparseVector) => {
  let score: number | undefined;
  for (const [at, index] of indices.entries()) {
    const weight = query.get(index);
    if (weight !== undefined) score = (score ?? 0) + weight * (values[at] ?? 0);
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

/** Where each score lies between three standard deviations below the mean (0) and three above it (1). */
const normalised = (list: readonly Scored[]): number[] => {
  const mean = list.reduce((sum, { score }) => sum + score, 0) / list.length;
  const squares = list.reduce((sum, { score }) => sum + (score - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (list.length - 1));
  return list.map(({ score }) => (deviation > 0 ? 0.5 + (score - mean) / (6 * deviation) : 0.5));
};

/** Best first; of equals the one that was written first. */
export const best = (scored: Scored[]): Scored[] =>
  scored.sort((a, b) => b.score - a.score || a.record.order - b.record.order);
