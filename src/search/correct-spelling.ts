import { letterMask } from '../text/analyse-text.ts';
import { editDistance } from '../text/edit-distance.ts';
import type { EditionIndex } from './open-index.ts';
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
/** A short word with another first letter is more often another word than a mistake. */
const MIN_LENGTH_ELSEWHERE = 5;
const MAX_LENGTH = 32;
const MAX_CORRECTIONS = 3;

/**
 * The words nearest to one that the knowledge base lacks: one edit away, or two from 8 letters on with the first letter the
 * same. At most three, all equally near, the more frequent first. Words one edit away that begin alike go before all others; a
 * wrong first letter goes before a second edit. Only words made of letters are corrected: another number or error code is
 * another thing, not a mistake.
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

/** Of the words from place `start` to `end`, those nearest to `wanted`, all at the same distance of at most `limit`. */
const wordsNear = (
  { words, wordMasks }: EditionIndex,
  wanted: Uint8Array,
  { start, end, limit }: { start: number; end: number; limit: number },
): Correction[] => {
  const mask = letterMask(wanted);
  let nearest = limit;
  let found: Correction[] = [];
  for (let place = start; place < end; place++) {
    // One edit changes two letters at most: clear that many bits less one, and see whether more than one is left.
    let differing = mask ^ (wordMasks[place] ?? 0);
    differing &= differing - 1;
    if (nearest > 1) {
      differing &= differing - 1;
      differing &= differing - 1;
    }
    if ((differing & (differing - 1)) !== 0) continue;
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
