import { editDistance } from '../../text/edit-distance.ts';

const MIN_LENGTH = 5;
const encoder = new TextEncoder();

/** Whether a word of five letters or more is another one with one letter added, dropped, changed or swapped. */
export const isNearWord = (word: string, other: string): boolean => {
  if (Math.min(word.length, other.length) < MIN_LENGTH || !/^\p{L}+$/u.test(word)) return false;
  if (Math.abs(word.length - other.length) > 1) return false;
  // One mistake leaves the first two letters as they are, or the last two: most pairs need no look at the rest.
  if (word.slice(0, 2) !== other.slice(0, 2) && word.slice(-2) !== other.slice(-2)) return false;
  const bytes = encoder.encode(other);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
};
