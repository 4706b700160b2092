import type { LearntFrom } from './training-set.ts';

/** Two numbers of 32 bits. */
export interface ContentHash {
  high: number;
  low: number;
}

/**
 * Names what a classifier is trained from: ids, titles, descriptions and examples, in order, and what belongs to no intent. Tells one
 * taxonomy of a workspace from its next; it is no cryptographic hash, so nothing of another workspace may be looked up by it.
 */
export const contentHash = ({ intents, out_of_scope_examples: outOfScope }: LearntFrom): ContentHash => {
  const sums = Uint32Array.of(0xdeadbeef, 0x41c6ce57);
  for (const { id, title, description = '', examples } of intents) {
    addAll(sums, [id, title, description]);
    addAll(sums, examples);
  }
  addAll(sums, outOfScope);
  const [high = 0, low = 0] = sums;
  return {
    high: (Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)) >>> 0,
    low: (Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)) >>> 0,
  };
};

const addAll = (sums: Uint32Array, texts: readonly string[]): void => {
  add(sums, String(texts.length));
  for (const text of texts) add(sums, text);
};

const add = (sums: Uint32Array, text: string): void => {
  let [high = 0, low = 0] = sums;
  // Two units at a time; behind the last there is none, which counts as 0.
  for (let at = 0; at < text.length; at += 2) {
    const units = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    high = Math.imul(high ^ units, 0x9e3779b1);
    low = Math.imul((low << 7) | (low >>> 25), 0x5f356495) ^ units;
  }
  // The length ends each text, so that no two lists read alike.
  sums[0] = Math.imul(high ^ text.length, 0x85ebca6b);
  sums[1] = Math.imul(low ^ ~text.length, 0xc2b2ae35);
};

/** 16 lower-case hex digits. */
export const hashText = ({ high, low }: ContentHash): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
