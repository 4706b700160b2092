import { type FoundName, findNames, type NameLists, type SimilarNames, similarNames } from './find-names.ts';
import { type FoundPeriod, readPeriod } from './read-period.ts';
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
}

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
  const rest = found ? blank(nameless, found.start, found.end) : nameless;
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
  };
};

const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

const NUMBER_WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');

const numberOf = (word: string): number | undefined => {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  const place = NUMBER_WORDS.indexOf(word);
  return place < 0 ? undefined : place + 2;
};
