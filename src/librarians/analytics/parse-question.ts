import { numberWordsOf } from '../../language/number-values.ts';
import { type PeriodReading, readPeriod } from '../../language/read-period.ts';
import {
  type FoundName,
  findNames,
  type NameLists,
  type SimilarNames,
  similarNames,
} from './find-names.ts';
import { type QuestionWord, wordsOfQuestion } from './question-words.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** A question, separated into values for parameters and words to match by. */
export interface ParsedQuestion {
  /** The words that remain when the values are removed. */
  words: QuestionWord[];
  names: FoundName[];
  period: PeriodReading;
  numbers: PlacedNumber[];
  /** By list, the names that the remaining words may be parts of. */
  similar: Readonly<Record<string, SimilarNames>>;
}

/** A number with the words around it, which tell a count (`7 customers`) from an identifier (`customer 7`). */
export interface PlacedNumber {
  value: number;
  word: QuestionWord;
  before: QuestionWord | undefined;
  /** All that follow. */
  after: readonly QuestionWord[];
  /** False for a limit (`over 100`, `100 euros`) and for what is unclear (`-5`, `> 5`, `5k`, `5th`): no parameter may take it. */
  isUsable: boolean;
}

/** Extracts names from the lists first, then a period, then numbers. */
export function parseQuestion(
  question: string,
  { names: lists, now }: { names: NameLists; now: number },
): ParsedQuestion {
  const names = findNames(wordsOfQuestion(question), lists);
  // Digits in a name are not a year.
  const withoutNames = names.reduce(blank, question);
  const period = readPeriod(withoutNames, now);
  const rest = typeof period === 'object' ? blank(withoutNames, period) : withoutNames;
  const remaining = wordsOfQuestion(rest);
  const numbers = remaining.flatMap((word, place): PlacedNumber[] => {
    const value = numberOf(word.text);
    if (value === undefined) return [];
    const before = remaining[place - 1];
    const after = remaining.slice(place + 1);
    const isUsable = isCount(word, { text: rest, words: remaining, place });
    return [{ value, word, before, after, isUsable }];
  });
  const words = remaining.filter((word) => !numbers.some((number) => number.word === word));
  const similar = Object.entries(lists).map(
    ([list, known]) => [list, similarNames(words, known)] as const,
  );
  return { words, names, period, numbers, similar: Object.fromEntries(similar) };
}

const blank = (text: string, { start, end }: { start: number; end: number }): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

/** `one` is a pronoun too. */
const LEAST_IN_WORDS = 2;

const numberOf = (word: string): number | undefined => {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const value = numberWordsOf('en').indexOf(word);
  return value < LEAST_IN_WORDS ? undefined : value;
};

/** A sign before a number makes it another one, but not a hyphen between words or a number sign: `Top-5`, `order #7`. */
const PLAIN_BEFORE =
  /(?:^|[\p{L}\p{N})"']|[\p{L}\p{N}][:;,.!?]|\p{L}-)$|(?:^|[\p{L}\p{N}:;,.!?)"'])\s+["'(#]?$|#$/u;
/** What makes it another number or a part of a word: `100+`, `5k`, `5th`, `5 %`, `5.5`. */
const CHANGED_AFTER = /^(?:\+|\p{L}|\s*%|[.,]\d)/u;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words before a number that make it a limit or an amount, and words after it. */
const NO_COUNT_BEFORE = setOf(WORDS.noCountBefore);
const NO_COUNT_AFTER = setOf(WORDS.noCountAfter);
const ARTICLES = setOf('a an the of');

const isCount = (
  { start, end }: QuestionWord,
  { text, words, place }: { text: string; words: readonly QuestionWord[]; place: number },
): boolean => {
  if (!PLAIN_BEFORE.test(text.slice(Math.max(0, start - 8), start))) return false;
  if (CHANGED_AFTER.test(text.slice(end))) return false;
  const before = words.slice(0, place).findLast(({ text: word }) => !ARTICLES.has(word));
  const after = words[place + 1];
  return !NO_COUNT_BEFORE.has(before?.text ?? '') && !NO_COUNT_AFTER.has(after?.text ?? '');
};
