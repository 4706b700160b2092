import { type FoundName, findNames, type NameLists, type SimilarNames, similarNames } from './find-names.ts';
import { type QuestionWord, wordsOfQuestion } from './question-words.ts';
import { type FoundPeriod, readPeriod } from './read-period.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** A question, separated into values for parameters and words to match by. */
export interface ParsedQuestion {
  /** The words that remain when the values are removed. */
  words: QuestionWord[];
  names: FoundName[];
  period: FoundPeriod | undefined;
  /** The question has several periods, or one whose days are unclear. */
  hasUnclearPeriod: boolean;
  /** The numbers that a parameter may take. */
  numbers: PlacedNumber[];
  /** A number is a limit or unclear (`over 100`, `-5`), so that no parameter may take it. */
  hasUnusableNumber: boolean;
  /** By list, the names that the remaining words may be parts of. */
  similar: Readonly<Record<string, SimilarNames>>;
}

/** A number with the words around it, which tell a count (`7 customers`) from an identifier (`customer 7`). */
export interface PlacedNumber {
  value: number;
  before: QuestionWord | undefined;
  /** All that follow. */
  after: readonly QuestionWord[];
}

/** Extracts names from the lists first, then a period, then numbers. */
export const parseQuestion = (
  question: string,
  { names: lists, now }: { names: NameLists; now: number },
): ParsedQuestion => {
  const names = findNames(wordsOfQuestion(question), lists);
  // Digits in a name are not a year.
  const withoutNames = names.reduce((text, { start, end }) => blank(text, start, end), question);
  const found = readPeriod(withoutNames, now);
  const period = typeof found === 'object' ? found : undefined;
  const rest = period === undefined ? withoutNames : blank(withoutNames, period.start, period.end);
  const remaining = wordsOfQuestion(rest);
  const numbers = readNumbers(remaining, rest);
  const words = remaining.filter((word) => !numbers.has(word));
  const uses = [...numbers.values()];
  const similar = Object.entries(lists).map(([list, known]) => [list, similarNames(words, known)] as const);
  return {
    words,
    names,
    period,
    hasUnclearPeriod: found === 'several' || found === 'unclear',
    numbers: [...numbers]
      .filter(([, { isUsable }]) => isUsable)
      .map(([word, { value }]) => {
        const place = remaining.indexOf(word);
        return { value, before: remaining[place - 1], after: remaining.slice(place + 1) };
      }),
    hasUnusableNumber: uses.some(({ isUsable }) => !isUsable),
    similar: Object.fromEntries(similar),
  };
};

const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

interface FoundNumber {
  value: number;
  /** False for a limit (`over 100`, `100 euros`) and for what is unclear (`-5`, `> 5`, `5k`, `5th`). */
  isUsable: boolean;
}

/** The numbers among the words of a question, by word; `text` is what the words were cut from. */
const readNumbers = (words: readonly QuestionWord[], text: string): Map<QuestionWord, FoundNumber> =>
  new Map(
    words.flatMap((word, place) => {
      const value = numberOf(word.text);
      return value === undefined ? [] : [[word, { value, isUsable: isUsable(words, { place, text }) }] as const];
    }),
  );

const NUMBER_WORDS = WORDS.numbersFromTwo.split(' ');

const numberOf = (word: string): number | undefined => {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const place = NUMBER_WORDS.indexOf(word);
  return place < 0 ? undefined : place + 2;
};

/** A minus or comparison sign before a number, but not a hyphen between words or a number sign: `Top-5`, `order #7`. */
const SIGN_BEFORE =
  /(?:[<>≤≥≦≧=~≈±]|(?:^|[^\p{L}\p{N}\s])[-−–—]|\s[-−–—]|^[-−–—])\s*(?:[€$£]\s*)?$|(?:^|[^\p{L}\p{N}])[.,]$/u;
/** What makes it another number or a part of a word: `100+`, `5k`, `5th`, `5 %`, `5.5`. */
const SIGN_AFTER = /^(?:\+|\p{L}|\s*%|[.,]\d)/u;

const isUsable = (words: readonly QuestionWord[], { place, text }: { place: number; text: string }): boolean => {
  const { start = 0, end = 0 } = words[place] ?? {};
  if (SIGN_BEFORE.test(text.slice(0, start).slice(-8)) || SIGN_AFTER.test(text.slice(end))) return false;
  const at = (each: number): string => words[each]?.text ?? '';
  if (NEGATIVE.has(at(place - 1)) || at(place + 1) === 'percent') return false;
  let back = place - 1;
  while (BETWEEN.has(at(back))) back--;
  let on = place + 1;
  while (CURRENCIES.has(at(on))) on++;
  const isAmount = CURRENCIES.has(at(place - 1)) || CURRENCIES.has(at(place + 1));
  const isCompared = COMPARING.has(at(back)) || (at(back) === 'to' && at(back - 1) === 'up');
  const isLimit = (at(on) === 'or' || at(on) === 'and') && AND_BEYOND.has(at(on + 1));
  return !isAmount && !isCompared && !isLimit;
};

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const NEGATIVE = setOf(WORDS.negativeSigns);
const CURRENCIES = setOf(WORDS.currencies);
/** `over the 100`, `more than EUR 100` */
const BETWEEN = new Set([...CURRENCIES, 'a', 'an', 'the', 'of']);
const COMPARING = setOf(WORDS.comparing);
const AND_BEYOND = setOf(WORDS.orMore);
