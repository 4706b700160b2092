import { ALL_DAYS, dayAfter, type Period } from '../../language/calendar.ts';
import { readPeriod } from '../../language/read-period.ts';
import type { SqlParameter } from '../../platform/storage/sql-database.ts';
import type { Catalogue, NamedQuestion, Parameter } from './catalogue.ts';
import {
  type FoundName,
  findNames,
  isMisspelling,
  type NameLists,
  type QuestionWord,
  type SimilarNames,
  similarNames,
  wordsOfQuestion,
} from './find-names.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** A named question with everything that its statement needs. */
export interface QuestionMatch {
  question: NamedQuestion;
  /** By parameter of the statement. */
  values: Readonly<Record<string, SqlParameter>>;
  /** The values as they are worded in the answer; parameters without a value are absent. */
  labels: Readonly<Record<string, string>>;
  /** 0 to 1: how much of the question the named one accounts for. */
  score: number;
}

export type MatchOutcome =
  | { ok: true; match: QuestionMatch }
  /** `nearest` are the most similar named questions, the best first; `missing` is the parameter that the best one lacks. */
  | { ok: false; nearest: NamedQuestion[]; missing?: Parameter | undefined };

/** Below this score no named question is taken. Chosen on the development half of the labelled questions. */
export const MIN_SCORE = 0.65;
/** To the nearest example; below it the words are the same but probably ask something else. */
const MIN_SIMILARITY = 0.65;
const MIN_MARGIN = 0.02;
/** By how much an incomplete or unfit question must lead for the best complete one to be rejected. */
const CLEAR_LEAD = 0.1;
const MAX_NEAREST = 3;

/**
 * Finds the named question that asks the same, with its values. Only a question that uses every value can match: an answer that
 * ignored a product, a place or a month would answer another question. The words decide among those.
 */
export function matchQuestion(index: QuestionIndex, parsed: ParsedQuestion): MatchOutcome {
  const scored = index.entries
    .map((entry) => {
      const filled = fillParameters(entry.question.parameters, {
        parsed,
        fits: (parameter, number) => isInPlace(entry.places.get(parameter.name), number, index),
      });
      const terms = index.termsOf(wordsToMatch(parsed, filled));
      const isCovered = terms.every((term) => entry.terms.has(term) || !index.isKnown(term));
      return { entry, filled, isCovered, score: scoreOf(index, entry, terms) };
    })
    .sort((a, b) => b.score - a.score);
  const fitting = scored.filter(({ filled, isCovered }) => isCovered && !filled.hasUnusedValue);
  const [best, second] = fitting.filter(({ filled }) => filled.missing === undefined);
  const near = scored.filter(({ score }) => score > MIN_SCORE / 2).slice(0, MAX_NEAREST);
  const nearest = near.map(({ entry }) => entry.question);
  const incomplete = fitting.find(
    ({ filled, score }) => filled.missing !== undefined && score >= MIN_SCORE,
  );
  if (incomplete && incomplete.score > (best?.score ?? 0) + CLEAR_LEAD) {
    return { ok: false, nearest, missing: incomplete.filled.missing };
  }
  // When a question that cannot use all values is far more similar, the best fitting one asks for something else.
  const isNearest = best !== undefined && best.score + CLEAR_LEAD >= (scored[0]?.score ?? 0);
  const isClear =
    isNearest && best.score >= MIN_SCORE && best.score - (second?.score ?? 0) >= MIN_MARGIN;
  if (!isClear || hasNegation(best.entry, parsed)) return { ok: false, nearest };
  const { values, labels } = best.filled;
  const score = Math.round(best.score * 1000) / 1000;
  return { ok: true, match: { question: best.entry.question, values, labels, score } };
}

/** The words that no choice has taken and that cannot belong to the missing name. */
const wordsToMatch = ({ words, similar }: ParsedQuestion, { taken, missing }: FilledParameters) => {
  const nameWords = missing?.kind === 'name' ? similar[missing.list]?.words : undefined;
  return words.filter((word) => !taken.has(word) && nameWords?.has(word) !== true);
};

/**
 * The mean of how much of the question the named one covers and how similar its nearest example is. Words that the named question
 * lacks count twice, since they may change what is asked.
 */
const scoreOf = (
  index: QuestionIndex,
  { terms, phrases }: IndexedQuestion,
  queryTerms: readonly string[],
): number => {
  const query = new Set(queryTerms);
  // A value alone is not a question.
  if (query.size === 0) return 0;
  const sum = (list: Iterable<string>) =>
    [...list].reduce((total, term) => total + index.weightOf(term), 0);
  const total = sum(query);
  const unknown = sum([...query].filter((term) => !terms.has(term)));
  const covered = (total - unknown) / (total + unknown);
  const nearest = Math.max(
    ...phrases.map(
      (phrase) => (2 * sum([...query].filter((term) => phrase.has(term)))) / (total + sum(phrase)),
    ),
  );
  return nearest < MIN_SIMILARITY ? 0 : (covered + nearest) / 2;
};

const NEGATIONS: ReadonlySet<string> = new Set(WORDS.negations.split(' '));

/** Only a named question with the same negation may answer a negated one. */
const hasNegation = ({ terms }: IndexedQuestion, { words }: ParsedQuestion): boolean =>
  words.some(({ text, stem }) => NEGATIONS.has(text) && !terms.has(stem));

/** The named questions, prepared for matching by their words. */
export interface QuestionIndex {
  entries: IndexedQuestion[];
  /** Terms in order: synonyms become the first of their group, misspelt words the known one; stop words are dropped. */
  termsOf(words: readonly QuestionWord[]): string[];
  /** Whether a named question or a choice uses the term. */
  isKnown(term: string): boolean;
  /** Inverse frequency among the named questions; greatest for an unknown term. */
  weightOf(term: string): number;
}

interface IndexedQuestion {
  question: NamedQuestion;
  /** The terms of the description and of each example. */
  phrases: ReadonlySet<string>[];
  terms: ReadonlySet<string>;
  /** Positions of each parameter's value in the examples. */
  places: ReadonlyMap<string, Places>;
}

/** Terms around a value in the examples. */
interface Places {
  /** Directly before: `order {order_number}`, `top {number}`. */
  before: ReadonlySet<string>;
  /** All that follow: `{number} customers with the most orders`. */
  after: ReadonlySet<string>;
}

/** Words that may stand between a count and what is counted: `the 3 most loyal customers`. */
const WORDS_BEFORE_COUNTED = 2;

/**
 * Whether a number stands where the examples have it: behind the same word, or before what they count. Directly behind what they count it
 * is an identifier: `customer 7` is not `7 customers`.
 */
const isInPlace = (
  places: Places | undefined,
  { before, after }: PlacedNumber,
  { termsOf }: QuestionIndex,
): boolean => {
  if (places === undefined) return true;
  const [named] = before === undefined ? [] : termsOf([before]);
  if (named !== undefined && places.before.has(named)) return true;
  if (named !== undefined && places.after.has(named)) return false;
  return termsOf(after)
    .slice(0, WORDS_BEFORE_COUNTED + 1)
    .some((term) => places.after.has(term));
};

export function indexQuestions({
  questions,
  synonyms,
}: Pick<Catalogue, 'questions' | 'synonyms'>): QuestionIndex {
  const canonical = new Map(
    synonyms.flatMap((group) => {
      const stems = group.map((word) => wordsOfQuestion(word)[0]?.stem ?? word);
      return stems.map((stem) => [stem, stems[0] ?? stem] as const);
    }),
  );
  const termOf = ({ stem }: QuestionWord): string => canonical.get(stem) ?? stem;
  const plainTerms = (words: readonly QuestionWord[]): string[] =>
    words.filter(({ text }) => !STOP_WORDS.has(text)).map(termOf);
  const placesIn = ({ examples, parameters }: NamedQuestion): ReadonlyMap<string, Places> =>
    new Map(
      parameters.flatMap(({ name }) => {
        const around = examples
          .filter((text) => text.includes(`{${name}}`))
          .map((text) => text.split(`{${name}}`));
        if (around.length === 0) return [];
        const terms = (text = '') => plainTerms(wordsOfQuestion(text.replace(/\{\w+\}/g, ' ')));
        const before = around.flatMap(([text = '']) => terms(/\S+\s*$/.exec(text)?.[0]));
        const after = around.flatMap(([, text]) => terms(text));
        return [[name, { before: new Set(before), after: new Set(after) }]];
      }),
    );
  const entries = questions.map((question) => {
    const phrases = textsOf(question)
      .map((text) => new Set(plainTerms(wordsOfQuestion(text))))
      .filter(({ size }) => size > 0);
    const terms = new Set(phrases.flatMap((phrase) => [...phrase]));
    return { question, phrases, terms, places: placesIn(question) };
  });
  const counts = new Map<string, number>();
  for (const { terms } of entries)
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const choices = questions.flatMap(({ parameters }) =>
    parameters.flatMap((each) => (each.kind === 'choice' ? Object.values(each.values).flat() : [])),
  );
  const choiceTerms = new Set(choices.flatMap((text) => plainTerms(wordsOfQuestion(text))));
  const vocabulary = [...synonyms.flat(), ...questions.flatMap(textsOf)].flatMap(wordsOfQuestion);
  const isKnown = (term: string): boolean => counts.has(term) || choiceTerms.has(term);
  const corrected = new WeakMap<QuestionWord, QuestionWord>();
  const correct = (word: QuestionWord): QuestionWord => {
    if (STOP_WORDS.has(word.text) || isKnown(termOf(word))) return word;
    // One question is compared with every named one, hence the cache.
    const found =
      corrected.get(word) ?? vocabulary.find(({ text }) => isMisspelling(word.text, text)) ?? word;
    corrected.set(word, found);
    return found;
  };
  return {
    entries,
    termsOf: (words) => plainTerms(words.map(correct)),
    isKnown,
    weightOf: (term) => Math.log(1 + entries.length / (counts.get(term) ?? 0.5)),
  };
}

const textsOf = ({ description, examples }: NamedQuestion): string[] =>
  [description, ...examples].map((text) => text.replace(/\{\w+\}/g, ' '));

/** Words that do not distinguish one question from another. Words that ask for a person, a reason or a way are not among them. */
const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.stopWords.split(' '));

interface FilledParameters {
  values: Record<string, SqlParameter>;
  labels: Record<string, string>;
  /** The words that were taken as a choice. */
  taken: Set<QuestionWord>;
  /** The first required parameter without a value. */
  missing: Parameter | undefined;
  /** The question names a value that no parameter takes. */
  hasUnusedValue: boolean;
}

/** Assigns the values of a question to parameters, each value once. */
const fillParameters = (
  parameters: readonly Parameter[],
  { parsed, fits }: Pick<Supply, 'parsed' | 'fits'>,
): FilledParameters => {
  const unused = { names: [...parsed.names], numbers: [...parsed.numbers] };
  const filled: FilledParameters = {
    values: {},
    labels: {},
    taken: new Set(),
    missing: undefined,
    hasUnusedValue: false,
  };
  for (const parameter of parameters) {
    const found = takeValue(parameter, { ...unused, parsed, fits, taken: filled.taken });
    if (found === undefined) filled.missing ??= parameter;
    else Object.assign(filled.values, found.values);
    if (found?.label !== undefined) filled.labels[parameter.name] = found.label;
  }
  const usesPeriod = parameters.some(({ kind }) => kind === 'period');
  const isPeriodUnused = parsed.hasUnclearPeriod || (parsed.period !== undefined && !usesPeriod);
  filled.hasUnusedValue =
    unused.names.length > 0 ||
    unused.numbers.length > 0 ||
    parsed.hasUnusableNumber ||
    isPeriodUnused;
  return filled;
};

interface Supply {
  parsed: ParsedQuestion;
  /** A value that is taken is removed. */
  names: ParsedQuestion['names'];
  numbers: PlacedNumber[];
  /** Whether the words around a number are those of the parameter. */
  fits: (parameter: Parameter, number: PlacedNumber) => boolean;
  taken: Set<QuestionWord>;
}

interface TakenValue {
  values: Record<string, SqlParameter>;
  label?: string | undefined;
}

/** `undefined` when a required parameter has no value. */
const takeValue = (
  parameter: Parameter,
  { parsed, names, numbers, fits, taken }: Supply,
): TakenValue | undefined => {
  const { name, isOptional } = parameter;
  const single = (value: string | number | undefined): TakenValue | undefined => {
    if (value !== undefined) return { values: { [name]: value }, label: String(value) };
    return isOptional ? { values: { [name]: null } } : undefined;
  };
  switch (parameter.kind) {
    case 'number': {
      const place = numbers.findIndex(
        (number) =>
          number.value >= parameter.least &&
          number.value <= parameter.most &&
          fits(parameter, number),
      );
      return single(place < 0 ? parameter.default : numbers.splice(place, 1)[0]?.value);
    }
    case 'period': {
      const period = parsed.period ?? (isOptional ? ALL_DAYS : undefined);
      return (
        period && {
          values: { [`${name}_from`]: period.from, [`${name}_to`]: period.to },
          label: labelOf(period),
        }
      );
    }
    case 'name': {
      const place = names.findIndex(({ names: byList }) => byList[parameter.list] !== undefined);
      return single(place < 0 ? undefined : names.splice(place, 1)[0]?.names[parameter.list]);
    }
    case 'choice': {
      const phrases = Object.entries(parameter.values)
        .flatMap(([value, texts]) => texts.map((text) => ({ value, words: text.split(' ') })))
        .sort((a, b) => b.words.length - a.words.length);
      const values = new Set<string>();
      for (const { value, words } of phrases) {
        for (const place of parsed.words.keys()) {
          const run = parsed.words.slice(place, place + words.length);
          const isFound =
            words.every((word, at) => run[at]?.text === word) &&
            !run.some((word) => taken.has(word));
          if (!isFound) continue;
          for (const word of run) taken.add(word);
          values.add(value);
        }
      }
      // Two different choices are ambiguous.
      return values.size > 1 ? undefined : single([...values][0]);
    }
  }
};

/** `in March 2026`, `on 2026-05-03`, `since 2027-01-01`: by the days alone, however the question names them. */
const labelOf = ({ from, to }: Period): string => {
  const [year = '', month = '', day] = from.split('-');
  const hasEnds = from !== ALL_DAYS.from && to !== ALL_DAYS.to;
  if (from === to) return `on ${from}`;
  if (hasEnds && day === '01' && dayAfter(to, 1).endsWith('-01')) {
    const months =
      12 * (Number(to.slice(0, 4)) - Number(year)) + Number(to.slice(5, 7)) - Number(month) + 1;
    if (months === 12 && month === '01') return `in ${year}`;
    if (months === 3 && Number(month) % 3 === 1) return `in Q${(Number(month) + 2) / 3} ${year}`;
    if (months === 1) return `in ${new Date(from).toLocaleDateString('en-GB', MONTH_AND_YEAR)}`;
  }
  if (from === ALL_DAYS.from) return to === ALL_DAYS.to ? 'so far' : `until ${to}`;
  return to === ALL_DAYS.to ? `since ${from}` : `from ${from} to ${to}`;
};

const MONTH_AND_YEAR = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

/** A question, separated into values for parameters and words to match by. */
interface ParsedQuestion {
  /** The words that remain when the values are removed. */
  words: QuestionWord[];
  names: FoundName[];
  period: Period | undefined;
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
interface PlacedNumber {
  value: number;
  before: QuestionWord | undefined;
  /** All that follow. */
  after: readonly QuestionWord[];
}

/** Extracts names from the lists first, then a period, then numbers. */
export function parseQuestion(
  question: string,
  { names: lists, now }: { names: NameLists; now: number },
): ParsedQuestion {
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
  const similar = Object.entries(lists).map(
    ([list, known]) => [list, similarNames(words, known)] as const,
  );
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
}

const blank = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

interface FoundNumber {
  value: number;
  /** False for a limit (`over 100`, `100 euros`) and for what is unclear (`-5`, `> 5`, `5k`, `5th`). */
  isUsable: boolean;
}

/** The numbers among the words of a question, by word; `text` is what the words were cut from. */
const readNumbers = (
  words: readonly QuestionWord[],
  text: string,
): Map<QuestionWord, FoundNumber> =>
  new Map(
    words.flatMap((word, place) => {
      const value = numberOf(word.text);
      return value === undefined
        ? []
        : [[word, { value, isUsable: isUsable(words, { place, text }) }] as const];
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

const isUsable = (
  words: readonly QuestionWord[],
  { place, text }: { place: number; text: string },
): boolean => {
  const { start = 0, end = 0 } = words[place] ?? {};
  if (SIGN_BEFORE.test(text.slice(0, start).slice(-8)) || SIGN_AFTER.test(text.slice(end)))
    return false;
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
