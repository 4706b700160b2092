import { stem } from '../../text/stem.ts';

/** A word or number of a question, and where it stands, in UTF-16 units. */
export interface QuestionWord {
  /** Lower case, without marks; letters and digits never mixed: `iphone17` is two words. */
  text: string;
  stem: string;
  start: number;
  end: number;
}

const MAX_WORDS = 200;

/** The words of a question or of a name, at most 200, with the signs of money and per cent. Roman numerals up to 9 read as digits, so that `Apollo 2` is `Apollo II`. */
export const wordsOfQuestion = (text: string): QuestionWord[] =>
  [...text.matchAll(/\p{L}+|\p{N}+|[€$%]/gu)].slice(0, MAX_WORDS).map(({ 0: raw, index }) => {
    const plain = raw
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase();
    const word = ROMAN[plain] ?? SIGNS[plain] ?? plain;
    return { text: word, stem: stem(word), start: index, end: index + raw.length };
  });

const SIGNS: Readonly<Record<string, string>> = { '€': 'euros', $: 'dollars', '%': 'percent' };

const ROMAN: Readonly<Record<string, string>> = {
  ii: '2',
  iii: '3',
  iv: '4',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
};
