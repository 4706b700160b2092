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
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const add = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      high = Math.imul(high ^ unit, 0x9e3779b1);
      low = Math.imul(low ^ unit, 0x5f356495);
    }
    // The length ends each text, so that no two lists read alike.
    high = Math.imul(high ^ text.length, 0x85ebca6b);
    low = Math.imul(low ^ ~text.length, 0xc2b2ae35);
  };
  const addAll = (texts: readonly string[]): void => {
    add(String(texts.length));
    for (const text of texts) add(text);
  };
  for (const { id, title, description = '', examples } of intents) {
    addAll([id, title, description]);
    addAll(examples);
  }
  addAll(outOfScope);
  return {
    high: (Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)) >>> 0,
    low: (Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)) >>> 0,
  };
};

/** 16 lower-case hex digits. */
export const hashText = ({ high, low }: ContentHash): string =>
  high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
