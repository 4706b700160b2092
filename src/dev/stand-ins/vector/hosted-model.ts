import { analyseText } from '../../../text/analyse-text.ts';
import { stem } from '../../../text/stem.ts';
import type { SparseVector } from './vector-records.ts';

/** Dimensions of the dense models that the service hosts. */
export const DENSE_MODELS = {
  BGE_SMALL_EN_V1_5: 384,
  BGE_BASE_EN_V1_5: 768,
  BGE_LARGE_EN_V1_5: 1024,
  BGE_M3: 1024,
} as const;
export type DenseModel = keyof typeof DENSE_MODELS;
export type SparseModel = 'BM25' | 'BGE_M3';

/**
 * Stands in for a dense model: texts that share words, or parts of words, are close. Same text, same vector; of meaning it
 * knows nothing, so no quality is to be measured with it.
 */
export const embedDensely = (text: string, dimension: number): Float32Array => {
  const vector = new Float32Array(dimension);
  const add = (feature: string, weight: number) => {
    const hash = hashOf(feature);
    vector[hash % dimension] = (vector[hash % dimension] ?? 0) + (hash & 0x40000000 ? weight : -weight);
  };
  for (const [word, count] of countWords(text)) {
    add(word, 1 + Math.log(count));
    const framed = `^${word}$`;
    for (let at = 0; at + 3 <= framed.length; at++) add(framed.slice(at, at + 3), 0.3);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
};

const K1 = 1.2;
const B = 0.75;
const AVERAGE_WORDS = 32;

/** Weights of the words of a document by BM25 without its inverse frequency, which a query asks for (`IDF`); of a query, their counts. */
export const embedSparsely = (text: string, role: 'document' | 'query'): SparseVector => {
  const counts = countWords(text);
  const words = counts.values().reduce((sum, count) => sum + count, 0);
  const weights = new Map<number, number>();
  for (const [word, count] of counts) {
    const saturated = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * words) / AVERAGE_WORDS));
    weights.set(hashOf(word), role === 'document' ? saturated : count);
  }
  const entries = [...weights].slice(0, 1000);
  return {
    indices: Int32Array.from(entries, ([index]) => index),
    values: Float32Array.from(entries, ([, weight]) => weight),
  };
};

const countWords = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  analyseText(text, (word) => {
    const stemmed = stem(word);
    counts.set(stemmed, (counts.get(stemmed) ?? 0) + 1);
  });
  return counts;
};

/** FNV-1a (32 bits) with a last mixing step, without its sign. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & 0x7fffffff;
};
