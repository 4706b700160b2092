import { type FoundName, findNames, type NameLists, type SimilarNames, similarNames } from './find-names.ts';
import { type FoundPeriod, type Period, readPeriod, readPeriods } from './read-period.ts';
import { type QuestionWord, wordsOfQuestion } from './words-of-question.ts';

/** What a question is made of: words to match by, and values for parameters. */
export interface ReadQuestion {
  /** The words that are left when the values are taken out. */
  words: QuestionWord[];
  names: FoundName[];
  period: FoundPeriod | undefined;
  /** There is more than one period, and they do not make one. */
  hasManyPeriods: boolean;
  numbers: number[];
  /** By list, the names that the words left over may be parts of. */
  similar: Readonly<Record<string, SimilarNames>>;
  /** All of it in order. */
  parts: QuestionPart[];
}

/** A word, or what was read as a value. */
export type QuestionPart =
  | { kind: 'word'; word: QuestionWord }
  | { kind: 'name'; names: FoundName['names'] }
  | { kind: 'period'; period: Period }
  | { kind: 'number'; value: number };

/** Takes the values out of a question: the names of the lists, then a period, then numbers. */
export const readQuestion = (
  question: string,
  { names: lists, now }: { names: NameLists; now: number },
): ReadQuestion => {
  const all = wordsOfQuestion(question);
  const names = findNames(all, lists);
  // The digits of a name are no year.
  const nameless = names.reduce((text, { start, end }) => blank(text, start, end), question);
  const period = readPeriod(nameless, now);
  const found = typeof period === 'object' ? period : undefined;
  const periods = period === 'many' ? readPeriods(nameless, now) : found ? [found] : [];
  const rest = periods.reduce((text, { start, end }) => blank(text, start, end), nameless);
  const left = wordsOfQuestion(rest);
  const words = left.filter(({ text }) => numberOf(text) === undefined);
  const similar = Object.entries(lists).map(([list, known]) => [list, similarNames(words, known)] as const);
  return {
    words,
    names,
    period: found,
    hasManyPeriods: period === 'many',
    numbers: left.map(({ text }) => numberOf(text)).filter((number) => number !== undefined),
    similar: Object.fromEntries(similar),
    parts: partsInOrder({ names, periods, left }),
  };
};

const partsInOrder = ({
  names,
  periods,
  left,
}: {
  names: readonly FoundName[];
  periods: readonly FoundPeriod[];
  left: readonly QuestionWord[];
}): QuestionPart[] => {
  const placed: { start: number; part: QuestionPart }[] = [
    ...names.map((name) => ({ start: name.start, part: { kind: 'name' as const, names: name.names } })),
    ...periods.map((period) => ({ start: period.start, part: { kind: 'period' as const, period } })),
    ...left.map((word) => {
      const value = numberOf(word.text);
      const part: QuestionPart = value === undefined ? { kind: 'word', word } : { kind: 'number', value };
      return { start: word.start, part };
    }),
  ];
  return placed.sort((a, b) => a.start - b.start).map(({ part }) => part);
};

const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

const NUMBER_WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');

const numberOf = (word: string): number | undefined => {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const place = NUMBER_WORDS.indexOf(word);
  return place < 0 ? undefined : place + 2;
};
