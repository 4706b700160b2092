import { letterMask } from '../text/analyse-text.ts';
import { editDistance } from '../text/edit-distance.ts';
import type { EditionIndex } from './open-index.ts';
import { firstEntryFrom } from './text-table.ts';

/** A word of the knowledge base that a misspelt word may stand for. */
export interface Correction {
  /** Index into the edition's sorted words. */
  place: number;
  /** Number of letters inserted, deleted, substituted or transposed: 1 or 2. */
  distance: number;
}

const MIN_LENGTH = 4;
const MIN_LENGTH_OF_TWO = 8;
/** A short word with a different first letter is more often another word than a misspelling. */
const MIN_LENGTH_ELSEWHERE = 5;
const MAX_LENGTH = 32;
const MAX_CORRECTIONS = 3;

/**
 * Finds the words closest to one that the knowledge base lacks: one edit away or, from 8 letters on and with the same
 * first letter, two. At most three, all at the same distance, most frequent first; words one edit away with the same first
 * letter take precedence over all others. Only words made of letters are corrected: a different number or error code is a
 * different thing.
 */
export const correctSpelling = (index: EditionIndex, word: string): Correction[] => {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  const { words, wordCounts } = index;
  const wanted = new TextEncoder().encode(word);
  const initial = new TextEncoder().encode(String.fromCodePoint(word.codePointAt(0) ?? 0));
  const start = firstEntryFrom(words, initial);
  const end = firstEntryFrom(words, initial.with(-1, (initial.at(-1) ?? 0) + 1));
  let found = wordsNear(index, wanted, { start, end, limit: word.length >= MIN_LENGTH_OF_TWO ? 2 : 1 });
  if (found[0]?.distance !== 1 && word.length >= MIN_LENGTH_ELSEWHERE) {
    const elsewhere = [
      ...wordsNear(index, wanted, { start: 0, end: start, limit: 1 }),
      ...wordsNear(index, wanted, { start: end, end: words.count, limit: 1 }),
    ];
    if (elsewhere.length > 0) found = elsewhere;
  }
  return found
    .sort((left, right) => (wordCounts[right.place] ?? 0) - (wordCounts[left.place] ?? 0) || left.place - right.place)
    .slice(0, MAX_CORRECTIONS);
};

/** The words in `[start, end)` nearest to `wanted`, all at the same distance of at most `limit`. */
const wordsNear = (
  { words, wordMasks, wordCounts }: EditionIndex,
  wanted: Uint8Array,
  { start, end, limit }: { start: number; end: number; limit: number },
): Correction[] => {
  const mask = letterMask(wanted);
  let nearest = limit;
  let found: Correction[] = [];
  for (let place = start; place < end; place++) {
    // One edit changes at most two letters: clear all but one of the allowed bits and check whether more than that remain.
    let differing = mask ^ (wordMasks[place] ?? 0);
    differing &= differing - 1;
    if (nearest > 1) {
      differing &= differing - 1;
      differing &= differing - 1;
    }
    if ((differing & (differing - 1)) !== 0) continue;
    if (wordCounts[place] === 0) continue;
    const from = words.starts[place] ?? 0;
    const to = words.starts[place + 1] ?? 0;
    if (Math.abs(to - from - wanted.length) > nearest) continue;
    const distance = editDistance(wanted, words.bytes, { from, to, limit: nearest });
    if (distance > nearest) continue;
    if (distance < nearest) found = [];
    nearest = distance;
    found.push({ place, distance });
  }
  return found;
};
