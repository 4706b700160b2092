import type { SqlParameter } from '../../storage/sql-database.ts';
import type { NamedQuestion, Parameter } from './catalogue.ts';
import { type FilledParameters, fillParameters } from './fill-parameters.ts';
import type { IndexedQuestion, QuestionIndex } from './question-index.ts';
import type { ReadQuestion } from './read-question.ts';

/** A named question with all it needs to be asked. */
export interface QuestionMatch {
  question: NamedQuestion;
  /** By parameter of the statement. */
  values: Readonly<Record<string, SqlParameter>>;
  /** What the values are called in a sentence. */
  told: Readonly<Record<string, string>>;
  /** 0 to 1: how much of the question the named one accounts for. */
  score: number;
}

export type MatchOutcome =
  | { ok: true; match: QuestionMatch }
  /** `close` are named questions like it, the nearest first; `missing` what the nearest lacks. */
  | { ok: false; close: NamedQuestion[]; missing?: Parameter | undefined };

/** Below this score a question counts as none of the catalogue. Set on the development half of the labelled questions. */
export const MIN_SCORE = 0.65;
const MIN_MARGIN = 0.02;
/** By so much a question that lacks a value must be nearer than all that lack none. */
const CLEARLY_BETTER = 0.1;
const MAX_CLOSE = 3;

/**
 * The named question that asks the same, with its values. Only one that uses every value which the question names can be it: an
 * answer that leaves out a product, a place or a month would be one to another question. The rest is decided by the words.
 */
export const matchQuestion = (index: QuestionIndex, asked: ReadQuestion): MatchOutcome => {
  const scored = index.entries
    .map((entry) => {
      const filled = fillParameters(entry.question.parameters, asked);
      return { entry, filled, score: scoreOf(index, entry, index.termsOf(wordsLeft(asked, filled))) };
    })
    .sort((a, b) => b.score - a.score);
  const fitting = scored.filter(({ filled }) => !filled.hasLeftOver);
  const [best, second] = fitting.filter(({ filled }) => filled.missing === undefined);
  const close = scored.filter(({ score }) => score > MIN_SCORE / 2).slice(0, MAX_CLOSE);
  const questions = close.map(({ entry }) => entry.question);
  const unfinished = fitting.find(({ filled, score }) => filled.missing !== undefined && score >= MIN_SCORE);
  if (unfinished && unfinished.score > (best?.score ?? 0) + CLEARLY_BETTER) {
    return { ok: false, close: questions, missing: unfinished.filled.missing };
  }
  // A question that is much nearer but cannot take all values: the one at hand would be about something else.
  const isNearest = best !== undefined && best.score + CLEARLY_BETTER >= (scored[0]?.score ?? 0);
  const isClear = isNearest && best.score >= MIN_SCORE && best.score - (second?.score ?? 0) >= MIN_MARGIN;
  if (!isClear || hasNegation(best.entry, asked)) return { ok: false, close: questions };
  const { values, told } = best.filled;
  return {
    ok: true,
    match: { question: best.entry.question, values, told, score: Math.round(best.score * 1000) / 1000 },
  };
};

/** The words that no parameter has taken as a choice, nor may be a part of the name that is missing. */
const wordsLeft = ({ words, similar }: ReadQuestion, { taken, missing }: FilledParameters) => {
  const parts = missing?.kind === 'name' ? similar[missing.list]?.words : undefined;
  return words.filter((word) => !taken.has(word) && parts?.has(word) !== true);
};

/**
 * Half how much of the question the named one knows, half how alike the nearest of its examples is. What the question says beyond the
 * named one counts twice: it may well change what is asked.
 */
const scoreOf = (index: QuestionIndex, { terms, phrases }: IndexedQuestion, asked: readonly string[]): number => {
  const question = new Set(asked);
  // A value alone is no question.
  if (question.size === 0) return 0;
  const sum = (list: Iterable<string>) => [...list].reduce((total, term) => total + index.weightOf(term), 0);
  const total = sum(question);
  const foreign = sum([...question].filter((term) => !terms.has(term)));
  const covered = (total - foreign) / (total + foreign);
  const nearest = Math.max(
    ...phrases.map((phrase) => (2 * sum([...question].filter((term) => phrase.has(term)))) / (total + sum(phrase))),
  );
  return (covered + nearest) / 2;
};

const NEGATIONS: ReadonlySet<string> = new Set([
  'not',
  'no',
  'without',
  'except',
  'excluding',
  'never',
  'nobody',
  'non',
  'n',
]);

/** What is asked for is what is not so: only a question that says the same may answer that. */
const hasNegation = ({ terms }: IndexedQuestion, { words }: ReadQuestion): boolean =>
  words.some(({ text, stem }) => NEGATIONS.has(text) && !terms.has(stem));
