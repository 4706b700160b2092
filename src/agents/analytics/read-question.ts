import { type FoundName, findNames, type NameLists, type SimilarNames, similarNames } from './find-names.ts';
import { type FoundNumber, readNumbers } from './read-numbers.ts';
import { type FoundPeriod, type Period, readPeriod, readPeriods } from './read-period.ts';
import { type QuestionWord, wordsOfQuestion } from './words-of-question.ts';

/** What a question is made of: words to match by, and values for parameters. */
export interface ReadQuestion {
  /** The words that are left when the values are taken out. */
  words: QuestionWord[];
  names: FoundName[];
  period: FoundPeriod | undefined;
  /** There is more than one period, and they do not make one; or a period is limited in a way that is not understood. */
  hasUnclearPeriod: boolean;
  /** Without those that limit something or are unclear. */
  numbers: number[];
  /** A number limits something, or nobody knows what it is for: `over 100`, `-5`. No parameter may take it. */
  hasBoundNumber: boolean;
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
  const numbers = readNumbers(left, rest);
  const words = left.filter((word) => !numbers.has(word));
  const uses = [...numbers.values()];
  const similar = Object.entries(lists).map(([list, known]) => [list, similarNames(words, known)] as const);
  return {
    words,
    names,
    period: found,
    hasUnclearPeriod: period === 'many' || period === 'unclear',
    numbers: uses.filter(({ use }) => use === 'free').map(({ value }) => value),
    hasBoundNumber: uses.some(({ use }) => use !== 'free'),
    similar: Object.fromEntries(similar),
    parts: partsInOrder({ names, periods, left, numbers }),
  };
};

const partsInOrder = ({
  names,
  periods,
  left,
  numbers,
}: {
  names: readonly FoundName[];
  periods: readonly FoundPeriod[];
  left: readonly QuestionWord[];
  numbers: ReadonlyMap<QuestionWord, FoundNumber>;
}): QuestionPart[] => {
  const placed: { start: number; part: QuestionPart }[] = [
    ...names.map((name) => ({ start: name.start, part: { kind: 'name' as const, names: name.names } })),
    ...periods.map((period) => ({ start: period.start, part: { kind: 'period' as const, period } })),
    ...left.map((word) => {
      const number = numbers.get(word);
      // An unclear number stays a word, which is none that is known.
      const isValue = number !== undefined && number.use !== 'unclear';
      const part: QuestionPart = isValue ? { kind: 'number', value: number.value } : { kind: 'word', word };
      return { start: word.start, part };
    }),
  ];
  return placed.sort((a, b) => a.start - b.start).map(({ part }) => part);
};

const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
