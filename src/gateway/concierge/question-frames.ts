import { stem } from '../../text/stem.ts';

/**
 * The pairs of words that stand side by side in a question, function words among them, each pair as one word: `how many`,
 * `do we`, `in stock`. They carry how something is asked, which says more about whom to ask than the thing does. The first
 * word counts as a pair of its own; all numbers are alike.
 */
export const framesOf = (question: string): string[] => {
  const words = (question.slice(0, MAX_LENGTH).toLowerCase().match(WORD) ?? []).slice(0, MAX_WORDS);
  const stems = words.map((word) => (NUMBER.test(word) ? ANY_NUMBER : stem(word)));
  return stems.map((word, place) => `${stems[place - 1] ?? START}${JOINT}${word}`);
};

/** In UTF-16 units, and in words. */
const MAX_LENGTH = 2000;
const MAX_WORDS = 60;

/** A possessive ending is no word; of other scripts than Latin nothing is read. */
const WORD = /[a-z0-9]+(?=['’]s\b)|(?<!['’])[a-z0-9]+|(?<=['’])(?!s\b)[a-z0-9]+/g;
const NUMBER = /^\d+$/;
// Digits, so that nothing takes a pair for several words, or stems it.
const ANY_NUMBER = '9';
const START = '0';
const JOINT = '1';
