import { withoutMarks } from '../../language/analyse-text.ts';
import { stem } from '../../language/stem.ts';

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
