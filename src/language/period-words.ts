import { withoutMarks } from './analyse-text.ts';
import { monthOrDay, type Period, type Unit } from './calendar.ts';
import LISTS from './lists/periods.json' with { type: 'json' };
import { monthsIn, numberWordsOf } from './number-values.ts';

/** A word of a text, as it matters for periods. */
export interface PeriodWord {
  /**
   * A letter for its class: those of `letters` in lists/periods.json; N for a number, n for an ordinal one, M month, Y year, Q quarter, I a
   * whole date. None for a word that may stand anywhere (`the`).
   */
  type: string;
  /** The number, the number of the month, the year, how many days ago. */
  value: number;
  unit?: Unit | undefined;
  /** The days of a whole date. */
  days?: Period | undefined;
  start: number;
  end: number;
}

type Meaning = Omit<PeriodWord, 'start' | 'end'>;

/** The type of any other word. */
export const PLAIN = ' ';
/** The type of a word about time that no pattern reads, and of one in a language without lists. */
const UNREADABLE: Meaning = { type: 'K', value: 0 };
const FOREIGN: Meaning = { type: 'k', value: 0 };

/** The languages whose periods can be read. */
export const PERIOD_LANGUAGES: readonly string[] = Object.keys(LISTS.languages);

const LETTERS: ReadonlyMap<string, string> = new Map(Object.entries(LISTS.letters));
const WORDS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries(LISTS.languages),
);
const DAYS_AGO: ReadonlyMap<string, number> = new Map(
  ['today', 'yesterday', 'dayBeforeYesterday'].map((list, ago) => [list, ago]),
);
const UNIT_OF_LIST: ReadonlyMap<string, Unit> = new Map([
  ['yearToDate', 'year'],
  ...(['day', 'week', 'month', 'quarter', 'year'] as const).map((unit) => [unit, unit] as const),
]);

interface Vocabulary {
  meanings: ReadonlyMap<string, Meaning>;
  /** Months that are frequent words too: `may`. */
  ambiguous: readonly string[];
}

/** The first four ordinals are listed in turn, for each ending; months are in order, with `/` between their names. */
const ORDINALS = 4;

const vocabularies = new Map<string, Vocabulary>();

const vocabularyOf = (language: string): Vocabulary => {
  const cached = vocabularies.get(language);
  if (cached !== undefined) return cached;
  const { ambiguous = '', ...lists } = WORDS.get(language) ?? {};
  const meanings = new Map<string, Meaning>();
  const add = (word: string, meaning: Meaning) => meanings.set(withoutMarks(word), meaning);
  numberWordsOf(language).forEach((word, value) => {
    add(word, { type: 'N', value });
  });
  for (const [list, words] of Object.entries(lists)) {
    const type = LETTERS.get(list) ?? PLAIN;
    words.split(' ').forEach((word, place) => {
      const value = type === 'O' ? (place % ORDINALS) + 1 : type === 'M' ? place + 1 : 0;
      const meaning = { type, value: DAYS_AGO.get(list) ?? value, unit: UNIT_OF_LIST.get(list) };
      for (const each of word.split('/')) add(each, meaning);
    });
  }
  const vocabulary = { meanings, ambiguous: ambiguous.split(' ') };
  vocabularies.set(language, vocabulary);
  return vocabulary;
};

const WORD =
  /\d{4}-\d{1,2}(?:-\d{1,2})?(?![\d-])|\d{1,2}\.\d{1,2}\.\d{4}(?!\d)|\d+(?:[/:]\d+)+|[\p{L}\p{M}\p{N}]+|[^\s'’"]/gu;
/** Longest phrase of a list, in words. */
const MAX_PHRASE = 3;
const MAX_WORDS = 1000;

/** The first thousand words of a text as a language reads them. */
export function periodWordsOf(text: string, language: string): PeriodWord[] {
  const { meanings, ambiguous } = vocabularyOf(language);
  const raw = [...text.matchAll(WORD)].slice(0, MAX_WORDS);
  const plain = raw.map(([word]) => withoutMarks(word.toLowerCase()));
  const words: PeriodWord[] = [];
  for (let at = 0, length = 1; at < raw.length; at += length) {
    length = Math.min(MAX_PHRASE, raw.length - at);
    const phrase = () => plain.slice(at, at + length).join('_');
    while (length > 1 && !meanings.has(phrase())) length -= 1;
    const [first, last] = [raw[at], raw[at + length - 1]];
    const before = words.at(-1);
    // `3.` in German, and `Sept.`
    if (phrase() === '.' && (before?.type === 'N' || before?.type === 'M')) {
      words[words.length - 1] = { ...before, type: before.type === 'N' ? 'n' : 'M' };
      continue;
    }
    const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
    const isBeforeYear = /^20\d\d$/.test(plain[at + 1] ?? '');
    const meaning = meanings.get(phrase()) ?? meaningOf(phrase(), { isBeforeYear });
    words.push({ ...meaning, start: first?.index ?? 0, end });
  }
  return words.map((word, at) => {
    if (isHyphenBeforeYear(words, at)) return { ...word, type: '' };
    const isAmbiguous = ambiguous.includes(text.slice(word.start, word.end).toLowerCase());
    const following = words.slice(at + 1, at + MAX_FOLLOWING).map(({ type }) => type);
    // An article or a preposition stands before a noun: `of May`, and not `orders may`.
    const isBeside =
      !/[ UVWDK]/.test(words[at - 1]?.type ?? PLAIN) ||
      /^(?:[NnY]|[&,tX]+N?M)/.test(following.join(''));
    return isAmbiguous && !isBeside ? { ...word, type: PLAIN } : word;
  });
}

/** Words behind an ambiguous one that decide on it: `May, and June`. */
const MAX_FOLLOWING = 4;

/** That of `March-2025`, which is one point, unlike `March - 2025`. */
const isHyphenBeforeYear = (words: readonly PeriodWord[], at: number): boolean => {
  const [before, hyphen, year] = [words[at - 1], words[at], words[at + 1]];
  const letters = [before, hyphen, year].map((word) => word?.type).join('');
  return /^[MQV]tY$/.test(letters) && before?.end === hyphen?.start && hyphen?.end === year?.start;
};

/** What is written alike in all languages: numbers, dates, signs. */
const SIGNS: readonly (readonly [RegExp, (word: string) => Meaning])[] = [
  [/^20\d\d$/, (word) => ({ type: 'Y', value: Number(word) })],
  [/^\d{1,15}$/, (word) => ({ type: 'N', value: Number(word) })],
  [
    /^\d{1,2}(?:st|nd|rd|th|er?|o|a|ten?)$/,
    (word) => ({ type: 'n', value: Number.parseInt(word, 10) }),
  ],
  [/^[qt][1-4]$/, (word) => ({ type: 'Q', value: Number(word[1]) })],
  [/^q\d+$|^\d+[/:]/, () => UNREADABLE],
  [/^(?:h[12]|fy\d+)$/, () => ({ type: 'Z', value: 0 })],
  [/^[-–—]$/, () => ({ type: 't', value: 0 })],
  [/^,$/, () => ({ type: ',', value: 0 })],
  [/^\d{4}-/, (word) => dateOf(word.split('-'))],
  [/^\d+\.\d+\.\d+$/, (word) => dateOf(word.split('.').reverse())],
];

const dateOf = (parts: readonly string[]): Meaning => {
  const [year = 0, month = 0, day] = parts.map(Number);
  const days = monthOrDay(year, month, day);
  return days === undefined ? UNREADABLE : { type: 'I', value: year, days };
};

/** Shorter names of months are words of other languages too: `set`, `out`. The list of all languages takes 20 ms to make. */
const MIN_FOREIGN_MONTH = 5;

const meaningOf = (word: string, { isBeforeYear }: { isBeforeYear: boolean }): Meaning => {
  const sign = SIGNS.find(([pattern]) => pattern.test(word));
  if (sign !== undefined) return sign[1](word);
  const isForeign = isBeforeYear && word.length >= MIN_FOREIGN_MONTH && monthsIn([word]).size > 0;
  return isForeign ? FOREIGN : { type: PLAIN, value: 0 };
};
