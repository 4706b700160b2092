import { editDistance } from '../platform/edit-distance.ts';
import { memo } from '../platform/lru-cache.ts';

/**
 * Finds the words of a vocabulary that begin with the letter of a word and differ from it by one letter more, less, changed or swapped with
 * the next, in the order of the vocabulary; none for a word that is in the vocabulary or too short.
 *
 * @param leastLength UTF-16 units of a word that may be corrected: a shorter one is more often another word.
 */
export function spellingIn(
  vocabulary: readonly string[],
  { leastLength }: { leastLength: number },
): (word: string) => readonly string[] {
  let byFirst: Map<string | undefined, { word: string; bytes: Uint8Array }[]> | undefined;
  const isCorrected = ({ length }: string) => length >= leastLength && length <= MAX_LENGTH;
  const similar = (word: string): readonly string[] => {
    byFirst ??= Map.groupBy(
      [...vocabulary].map((each) => ({ word: each, bytes: UTF8.encode(each) })),
      (each) => each.word[0],
    );
    const wordBytes = UTF8.encode(word);
    const candidates = (byFirst.get(word[0]) ?? []).filter(({ bytes }) =>
      isOneMistake(wordBytes, bytes),
    );
    return candidates.some((each) => each.word === word)
      ? NONE
      : candidates.map((each) => each.word);
  };
  const cached = memo(similar, { max: CACHED_WORDS });
  return (word) => (isCorrected(word) ? cached(word) : NONE);
}

/**
 * Whether two words of five letters or more differ by one letter added, dropped, changed or swapped. The first letter may be the wrong one.
 */
export function isMisspelling(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < MIN_LENGTH || !/^\p{L}+$/u.test(word)) return false;
  if (Math.abs(word.length - other.length) > 1) return false;
  // One mistake leaves either the first two letters or the last two as they are, which rules out most pairs cheaply.
  if (word.slice(0, 2) !== other.slice(0, 2) && word.slice(-2) !== other.slice(-2)) return false;
  return isOneMistake(UTF8.encode(word), UTF8.encode(other));
}

const isOneMistake = (word: Uint8Array, other: Uint8Array): boolean =>
  Math.abs(word.length - other.length) <= 2 &&
  editDistance(word, other, { from: 0, to: other.length, limit: 1 }) <= 1;

const MIN_LENGTH = 5;
const NONE: readonly string[] = [];
const UTF8 = new TextEncoder();
const MAX_LENGTH = 32;
/** Words whose correction is cached for a vocabulary. */
const CACHED_WORDS = 2000;
