import { quantise, signsOf, signWords } from './quantise.ts';

/** A chunk with how close it is to what was asked. */
export interface NearChunk {
  chunk: number;
  /** Cosine, -1 to 1. */
  similarity: number;
}

interface Rows {
  dimensions: number;
  /** By chunk; 0 where there is no vector. */
  scales: Float32Array;
  /** `dimensions` numbers a chunk. */
  rows: Int8Array;
  /** Their signs, `signWords(dimensions)` a chunk. */
  signs: Int32Array;
}

export interface NearestOptions {
  limit: number;
  /** Leaves chunks out; all count when it is missing. */
  isAllowed?: ((chunk: number) => boolean) | undefined;
}

/** Up to so many numbers all are multiplied: some 3 ms. 16,000 vectors of 1,536 take 20 ms, and 2 ms once signs have chosen. */
const MULTIPLIED_ALL = 4_000_000;
/** What signs choose: this share of the chunks, and no fewer than so many. */
const CHOSEN_SHARE = 0.05;
const CHOSEN_LEAST = 500;

/** Finds the closest chunks, best first. @throws {RangeError} For a vector without a direction or of another dimension. */
export const nearestRows =
  (views: Rows) =>
  (vector: readonly number[] | Float32Array, { limit, isAllowed }: NearestOptions): NearChunk[] => {
    const { dimensions, scales, rows } = views;
    if (vector.length !== dimensions)
      throw new RangeError(`Cannot compare: the vector has ${vector.length} numbers, not ${dimensions}`);
    const { scale, row } = quantise(vector);
    const usable = (chunk: number): boolean => scales[chunk] !== 0 && isAllowed?.(chunk) !== false;
    const chosen = rows.length <= MULTIPLIED_ALL ? undefined : chooseBySigns(views, signsOf(row), usable);
    const best: NearChunk[] = [];
    let threshold = Number.NEGATIVE_INFINITY;
    const compare = (chunk: number): void => {
      const similarity = dot(rows, chunk * dimensions, row) * (scales[chunk] ?? 0) * scale;
      if (!(similarity > threshold)) return;
      let place = best.length;
      while (place > 0 && (best[place - 1]?.similarity ?? 0) < similarity) place--;
      best.splice(place, 0, { chunk, similarity: Math.max(-1, Math.min(1, similarity)) });
      if (best.length > limit) best.pop();
      if (best.length === limit) threshold = best[limit - 1]?.similarity ?? threshold;
    };
    if (chosen !== undefined) chosen.forEach(compare);
    else for (let chunk = 0; chunk < scales.length; chunk++) if (usable(chunk)) compare(chunk);
    return best;
  };

/** The products of 8-bit numbers sum up exactly in 32 bits. */
const dot = (rows: Int8Array, from: number, row: Int8Array): number => {
  let sum = 0;
  // In range by the sections' checked lengths; `?? 0` here would cost as much as the product.
  for (let at = 0; at < row.length; at++) sum = (sum + (rows[from + at] as number) * (row[at] as number)) | 0;
  return sum;
};

/** The chunks whose signs differ in the fewest places, rising: what is close is among them. */
const chooseBySigns = (
  { dimensions, scales, signs }: Rows,
  asked: Int32Array,
  usable: (chunk: number) => boolean,
): number[] => {
  const distances = new Uint16Array(scales.length);
  const counts = new Uint32Array(dimensions + 1);
  const words = signWords(dimensions);
  for (let chunk = 0; chunk < scales.length; chunk++) {
    if (!usable(chunk)) {
      distances[chunk] = NOT_USABLE;
      continue;
    }
    const distance = differences(signs, chunk * words, asked);
    distances[chunk] = distance;
    counts[distance] = (counts[distance] ?? 0) + 1;
  }
  const wanted = Math.max(CHOSEN_LEAST, Math.ceil(scales.length * CHOSEN_SHARE));
  let limit = 0;
  for (let sum = counts[0] ?? 0; sum < wanted && limit < dimensions; sum += counts[limit] ?? 0) limit++;
  const chosen: number[] = [];
  for (let chunk = 0; chunk < distances.length; chunk++) if ((distances[chunk] ?? 0) <= limit) chosen.push(chunk);
  return chosen;
};

/** More than any distance. */
const NOT_USABLE = 65_535;

/** Bits that differ, counted 32 at once. */
const differences = (signs: Int32Array, from: number, asked: Int32Array): number => {
  let sum = 0;
  for (let at = 0; at < asked.length; at++) {
    // In range, as above.
    let bits = (signs[from + at] as number) ^ (asked[at] as number);
    bits = (bits - ((bits >>> 1) & 0x55555555)) | 0;
    bits = ((bits & 0x33333333) + ((bits >>> 2) & 0x33333333)) | 0;
    sum = (sum + (Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24)) | 0;
  }
  return sum;
};
