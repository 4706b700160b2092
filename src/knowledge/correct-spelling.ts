import { letterMask, maskDistance } from './letter-mask.ts';
import type { EditionIndex } from './open-edition.ts';
import { firstEntryFrom } from './text-table.ts';

/** A word of the knowledge base that a misspelt one may stand for. */
export interface Correction {
  /** Place among the edition's sorted words. */
  place: number;
  /** Letters added, dropped, changed or swapped with their neighbour: 1 or 2. */
  distance: number;
}

const MIN_LENGTH = 4;
const MIN_LENGTH_OF_TWO = 8;
const MAX_LENGTH = 32;
const MAX_CORRECTIONS = 3;

/**
 * The words nearest to one that the knowledge base lacks: same first letter, one edit away (two from 8 letters on), the
 * more frequent first, at most three and all equally near. Only words made of letters are corrected: another number or error code
 * is another thing, not a mistake.
 */
export const correctSpelling = (index: EditionIndex, word: string): Correction[] => {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  const wanted = new TextEncoder().encode(word);
  const initial = new TextEncoder().encode(String.fromCodePoint(word.codePointAt(0) ?? 0));
  const past = initial.with(-1, (initial.at(-1) ?? 0) + 1);
  const { words, wordMasks, wordCounts } = index;
  const mask = letterMask(wanted);
  const end = firstEntryFrom(words, past);
  let limit = word.length >= MIN_LENGTH_OF_TWO ? 2 : 1;
  let found: Correction[] = [];
  for (let place = firstEntryFrom(words, initial); place < end; place++) {
    if (maskDistance(mask, wordMasks[place] ?? 0) > 2 * limit) continue;
    const start = words.starts[place] ?? 0;
    const length = (words.starts[place + 1] ?? 0) - start;
    if (Math.abs(length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, words.bytes.subarray(start, start + length), limit);
    if (distance > limit) continue;
    if (distance < limit) found = [];
    limit = distance;
    found.push({ place, distance });
  }
  return found
    .sort((left, right) => (wordCounts[right.place] ?? 0) - (wordCounts[left.place] ?? 0) || left.place - right.place)
    .slice(0, MAX_CORRECTIONS);
};

/**
 * Damerau-Levenshtein distance in which no part is edited twice, over UTF-8 bytes; any value above `limit` means "more".
 */
export const editDistance = (left: Uint8Array, right: Uint8Array, limit: number): number => {
  const width = right.length + 1;
  let beforeLast = new Uint8Array(width);
  let last = Uint8Array.from({ length: width }, (_, column) => column);
  let current = new Uint8Array(width);
  for (let row = 1; row <= left.length; row++) {
    current[0] = row;
    let smallest = row;
    for (let column = 1; column < width; column++) {
      const same = left[row - 1] === right[column - 1];
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = distance;
      smallest = Math.min(smallest, distance);
    }
    if (smallest > limit) return limit + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[width - 1] ?? limit + 1;
};
