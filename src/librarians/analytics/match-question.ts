import { isMisspelling } from '../../language/spelling.ts';
import type { Catalogue, NamedQuestion, Parameter } from './catalogue.ts';
import { type FilledParameters, fillParameters } from './fill-parameters.ts';
import type { ParsedQuestion, PlacedNumber } from './parse-question.ts';
import { type QuestionWord, wordsOfQuestion } from './question-words.ts';
import WORDS from './word-lists.json' with { type: 'json' };

/** A named question with everything that its statement needs. */
export interface QuestionMatch extends Readonly<Pick<FilledParameters, 'values' | 'labels'>> {
  question: NamedQuestion;
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
      const fits = (parameter: Parameter, number: PlacedNumber): boolean =>
        isInPlace(entry.places.get(parameter.name), number, index);
      const filled = fillParameters(entry.question.parameters, { parsed, fits });
      const terms = index.termsOf(wordsToMatch(parsed, filled));
      const isCovered = terms.every((term) => entry.terms.has(term) || !index.isKnown(term));
      const isFitting = isCovered && !filled.hasUnusedValue;
      return { entry, filled, isFitting, score: scoreOf(index, entry, new Set(terms)) };
    })
    .sort((a, b) => b.score - a.score);
  const fitting = scored.filter(({ isFitting }) => isFitting);
  const [best, second] = fitting.filter(({ filled }) => filled.missing === undefined);
  const near = scored.filter(({ score }) => score > MIN_SCORE / 2).slice(0, MAX_NEAREST);
  const nearest = near.map(({ entry }) => entry.question);
  const incomplete = fitting.find(
    ({ filled, score }) => filled.missing !== undefined && score >= MIN_SCORE,
  );
  if (incomplete && incomplete.score > (best?.score ?? 0) + CLEAR_LEAD)
    return { ok: false, nearest, missing: incomplete.filled.missing };
  // When a question that cannot use all values is far more similar, the best fitting one asks for something else.
  const isNearest = best !== undefined && best.score + CLEAR_LEAD >= (scored[0]?.score ?? 0);
  const isClear =
    isNearest && best.score >= MIN_SCORE && best.score - (second?.score ?? 0) >= MIN_MARGIN;
  if (!isClear || hasOtherNegation(best.entry, parsed)) return { ok: false, nearest };
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
  query: ReadonlySet<string>,
): number => {
  const sum = (list: Iterable<string>) =>
    [...list].reduce((total, term) => total + index.weightOf(term), 0);
  const total = sum(query);
  // A value alone is not a question.
  if (total === 0) return 0;
  const unknown = sum([...query].filter((term) => !terms.has(term)));
  const covered = (total - unknown) / (total + unknown);
  const similarities = phrases.map(
    (phrase) => (2 * sum([...query].filter((term) => phrase.has(term)))) / (total + sum(phrase)),
  );
  const nearest = Math.max(...similarities);
  return nearest < MIN_SIMILARITY ? 0 : (covered + nearest) / 2;
};

const NEGATIONS: ReadonlySet<string> = new Set(WORDS.negations.split(' '));

/** Only a named question with the same negation may answer a negated one. */
const hasOtherNegation = ({ terms }: IndexedQuestion, { words }: ParsedQuestion): boolean =>
  words.some(({ text, stem }) => NEGATIONS.has(text) && !terms.has(stem));

/** The named questions, prepared for matching by their words. */
interface QuestionIndex {
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
  const [term = ''] = before === undefined ? [] : termsOf([before]);
  if (places.before.has(term)) return true;
  const counted = termsOf(after).slice(0, WORDS_BEFORE_COUNTED + 1);
  return !places.after.has(term) && counted.some((each) => places.after.has(each));
};

/** Words that do not distinguish one question from another. Words that ask for a person, a reason or a way are not among them. */
const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.stopWords.split(' '));

export function indexQuestions({
  questions,
  synonyms,
}: Pick<Catalogue, 'questions' | 'synonyms'>): QuestionIndex {
  const stemOf = (word = ''): string => wordsOfQuestion(word)[0]?.stem ?? word;
  const canonical = new Map(
    synonyms.flatMap((group) => group.map((word) => [stemOf(word), stemOf(group[0])] as const)),
  );
  const termOf = ({ stem }: QuestionWord): string => canonical.get(stem) ?? stem;
  const plainTerms = (words: readonly QuestionWord[]): string[] =>
    words.filter(({ text }) => !STOP_WORDS.has(text)).map(termOf);
  const termsIn = (text: string): string[] => plainTerms(wordsOfQuestion(withoutPlaces(text)));
  const entries = questions.map((question): IndexedQuestion => {
    const texts = [question.description, ...question.examples];
    const phrases = texts.map((text) => new Set(termsIn(text))).filter(({ size }) => size > 0);
    const terms = new Set(phrases.flatMap((phrase) => [...phrase]));
    return { question, phrases, terms, places: placesIn(question, termsIn) };
  });
  const counts = Map.groupBy(
    entries.flatMap(({ terms }) => [...terms]),
    (term) => term,
  );
  const choices = questions
    .flatMap(({ parameters }) => parameters)
    .flatMap((each) => (each.kind === 'choice' ? Object.values(each.values).flat() : []));
  const choiceTerms = new Set(choices.flatMap(termsIn));
  const texts = questions.flatMap(({ description, examples }) => [description, ...examples]);
  const vocabulary = [...synonyms.flat(), ...texts.map(withoutPlaces)].flatMap(wordsOfQuestion);
  const isKnown = (term: string): boolean => counts.has(term) || choiceTerms.has(term);
  // One question is compared with every named one.
  const corrections = new WeakMap<QuestionWord, QuestionWord>();
  const correct = (word: QuestionWord): QuestionWord => {
    if (STOP_WORDS.has(word.text) || isKnown(termOf(word))) return word;
    const correction =
      corrections.get(word) ??
      vocabulary.find(({ text }) => isMisspelling(word.text, text)) ??
      word;
    corrections.set(word, correction);
    return correction;
  };
  return {
    entries,
    termsOf: (words) => plainTerms(words.map(correct)),
    isKnown,
    weightOf: (term) => Math.log(1 + entries.length / (counts.get(term)?.length ?? 0.5)),
  };
}

/** An example without the names of its parameters. */
const withoutPlaces = (text: string): string => text.replace(/\{\w+\}/g, ' ');

const placesIn = (
  { examples, parameters }: NamedQuestion,
  termsIn: (text: string) => string[],
): ReadonlyMap<string, Places> =>
  new Map(
    parameters.flatMap(({ name }) => {
      const around = examples
        .map((text) => text.split(`{${name}}`))
        .filter(({ length }) => length > 1);
      const before = around.flatMap(([text = '']) => termsIn(/\S+\s*$/.exec(text)?.[0] ?? ''));
      const after = around.flatMap(([, text = '']) => termsIn(text));
      return around.length === 0
        ? []
        : [[name, { before: new Set(before), after: new Set(after) }] as const];
    }),
  );
