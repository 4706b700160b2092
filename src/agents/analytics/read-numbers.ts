import type { QuestionWord } from './words-of-question.ts';

/**
 * What a number may be taken for: `free` for all, `limit` as the limit of something (`over 100`, `100 euros`), `unclear` for nothing
 * (`-5`, `> 5`, `5k`, `5th`).
 */
export interface FoundNumber {
  value: number;
  use: 'free' | 'limit' | 'unclear';
}

/** The numbers among the words of a question, by their word; `text` is what the words were cut from. */
export const readNumbers = (words: readonly QuestionWord[], text: string): Map<QuestionWord, FoundNumber> =>
  new Map(
    words.flatMap((word, place) => {
      const value = numberOf(word.text);
      return value === undefined ? [] : [[word, { value, use: useOf(words, { place, text }) }] as const];
    }),
  );

const NUMBER_WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');

const numberOf = (word: string): number | undefined => {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const place = NUMBER_WORDS.indexOf(word);
  return place < 0 ? undefined : place + 2;
};

/** A minus or a comparison before it, but no hyphen between two words: `Top-5`, `order #7`. */
const SIGN_BEFORE =
  /(?:[<>≤≥≦≧=~≈±]|(?:^|[^\p{L}\p{N}\s])[-−–—]|\s[-−–—]|^[-−–—])\s*(?:[€$£]\s*)?$|(?:^|[^\p{L}\p{N}])[.,]$/u;
/** What makes it another number, or a part of a word: `100+`, `5k`, `5th`, `5 %`, `5.5`. */
const SIGN_AFTER = /^(?:\+|\p{L}|\s*%|[.,]\d)/u;

const useOf = (
  words: readonly QuestionWord[],
  { place, text }: { place: number; text: string },
): FoundNumber['use'] => {
  const { start = 0, end = 0 } = words[place] ?? {};
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (SIGN_BEFORE.test(before.slice(-8)) || SIGN_AFTER.test(after)) return 'unclear';
  const at = (each: number): string => words[each]?.text ?? '';
  if (NEGATIVE.has(at(place - 1)) || at(place + 1) === 'percent') return 'unclear';
  let back = place - 1;
  while (BETWEEN.has(at(back))) back--;
  let on = place + 1;
  while (CURRENCIES.has(at(on))) on++;
  const isAmount = CURRENCIES.has(at(place - 1)) || CURRENCIES.has(at(place + 1));
  const isCompared = COMPARING.has(at(back)) || (at(back) === 'to' && at(back - 1) === 'up');
  const isBound = (at(on) === 'or' || at(on) === 'and') && AND_BEYOND.has(at(on + 1));
  return isAmount || isCompared || isBound ? 'limit' : 'free';
};

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const NEGATIVE = setOf('minus negative');
const CURRENCIES = setOf('euros euro eur dollars dollar usd bucks cents');
/** `over the 100`, `more than EUR 100` */
const BETWEEN = new Set([...CURRENCIES, 'a', 'an', 'the', 'of']);
const COMPARING = setOf(
  'over above under below beneath beyond than least most more less fewer exceed exceeds exceeded exceeding minimum maximum min ' +
    'max between around about roughly nearly almost approximately circa exactly precisely not except without until till',
);
const AND_BEYOND = setOf(
  'more less fewer up above over upwards under below higher lower larger bigger smaller greater so',
);
