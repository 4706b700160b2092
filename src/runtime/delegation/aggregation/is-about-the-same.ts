import type { Assertion } from './assertions-of.ts';

/** What two statements are compared under. */
interface Comparison {
  /** How many words they have in common. */
  shared: number;
  /** What their two answers were asked; undefined when they were asked different things. */
  question: AskedInCommon | undefined;
}

/** A question that two answers have in common. */
export interface AskedInCommon {
  words: readonly number[];
  /** Both answers are so short that all they say answers it. */
  isBriefly: boolean;
}

/** Share of words that two statements have in common from which on they are about the same. */
const SAME_FROM = 0.6;
const LEAST_SHARED = 2;
/** The same of the shorter of two answers to one question, which tells most of what they are about. */
const SAME_FROM_WHEN_ASKED_THE_SAME = 0.5;

/**
 * Whether two statements speak about the same thing under the same conditions.
 *
 * Of a long answer not every statement answers the question: where two have not most of their words in common, one of
 * those that they have must be a word of the question. What a step or a row is about stands around it: both are
 * compared under one question alone, and steps need most words in common, rows the same words and, where both are rows, the same head.
 */
export const isAboutTheSame = (one: Assertion, other: Assertion, { shared, question }: Comparison): boolean => {
  const all = one.words.length + other.words.length - shared;
  if (question === undefined && (one.place !== 'prose' || other.place !== 'prose')) return false;
  if (one.place === 'row' || other.place === 'row') return shared > 0 && shared === all && mayBeSameRow(one, other);
  const isClose =
    (shared >= LEAST_SHARED && shared >= SAME_FROM * all) ||
    (question !== undefined && answerIt(one, other, { shared, question }));
  return isClose && haveSameSubject(one, other, question !== undefined);
};

/** A row, and the same told as a line of text or under the same head. */
const mayBeSameRow = (one: Assertion, other: Assertion): boolean =>
  one.place === other.place ? one.head === other.head : one.place === 'prose' || other.place === 'prose';

/** Whether both say the same of what was asked. */
const answerIt = (
  one: Assertion,
  other: Assertion,
  { shared, question }: { shared: number; question: AskedInCommon },
): boolean => {
  const smaller = Math.min(one.words.length, other.words.length);
  if (shared < (smaller <= 1 ? smaller : SAME_FROM_WHEN_ASKED_THE_SAME * smaller)) return false;
  if (question.isBriefly) return true;
  if (one.place === 'step' || other.place === 'step') return false;
  return question.words.some((word) => one.words.includes(word) && other.words.includes(word));
};

/** The same numbered things, no name for another, and under the same conditions. */
const haveSameSubject = (one: Assertion, other: Assertion, isSameQuestion: boolean): boolean => {
  const [own, theirs] = [one.subject(), other.subject()];
  if (!isSubset(own.names, theirs.names) && !isSubset(theirs.names, own.names)) return false;
  if (!isSubset(own.scopes, theirs.scopes) || !isSubset(theirs.scopes, own.scopes)) return false;
  if (isSubset(own.labels, theirs.labels) && isSubset(theirs.labels, own.labels)) return true;
  // "13 iPhone 17" and "13 of them": an answer may leave out what the question names.
  return isSameQuestion && (own.labels.length === 0 || theirs.labels.length === 0);
};

const isSubset = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((each) => other.includes(each));
