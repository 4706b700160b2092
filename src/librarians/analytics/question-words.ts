import { withoutMarks } from '../../language/analyse-text.ts';
import { stem } from '../../language/stem.ts';
import { editDistance } from '../../platform/edit-distance.ts';

/** A word or number of a question, with its position in UTF-16 units. */
export interface QuestionWord {
  /** Lower case, without diacritics. Letters and digits are separate words: `iphone17` is two. */
  text: string;
  stem: string;
  start: number;
  end: number;
}

const MAX_WORDS = 200;

/**
 * The first 200 words of a question or a name, with currency and per cent signs as words. Roman numerals up to 9 become digits,
 * so that `Model 2` equals `Model II`.
 */
export function wordsOfQuestion(text: string): QuestionWord[] {
  return [...text.matchAll(/\p{L}+|\p{N}+|[€$%]/gu)]
    .slice(0, MAX_WORDS)
    .map(({ 0: raw, index }) => {
      const plain = withoutMarks(raw).toLowerCase();
      const word = REPLACEMENTS[plain] ?? plain;
      return { text: word, stem: stem(word), start: index, end: index + raw.length };
    });
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  '€': 'euros',
  $: 'dollars',
  '%': 'percent',
  ii: '2',
  iii: '3',
  iv: '4',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
};

const MIN_LENGTH = 5;
const encoder = new TextEncoder();

/** Whether two words of five letters or more differ by one letter added, dropped, changed or swapped. */
export function isMisspelling(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < MIN_LENGTH || !/^\p{L}+$/u.test(word)) return false;
  if (Math.abs(word.length - other.length) > 1) return false;
  // One mistake leaves either the first two letters or the last two as they are, which rules out most pairs cheaply.
  if (word.slice(0, 2) !== other.slice(0, 2) && word.slice(-2) !== other.slice(-2)) return false;
  const bytes = encoder.encode(other);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
}
