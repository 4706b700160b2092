import type { Contradiction } from '../../../contract/joined-answer.ts';
import { type Assertion, assertionsOf } from './assertions-of.ts';
import { denialIn, numbersInConflict, verdictsOf } from './conflict-in.ts';
import { type ContentWords, createContentWords } from './content-words.ts';
import type { Voice } from './hear-branches.ts';
import { type AskedInCommon, isAboutTheSame } from './is-about-the-same.ts';
import { addToIndex, countShared, type WordIndex } from './number-words.ts';

/** Two voices that contradict each other, by their places. */
export interface Dispute {
  voices: [number, number];
  contradiction: Contradiction;
}

const MAX_DISPUTES = 8;
/** Statements up to which an answer is brief: all of them answer the question. */
const BRIEF = 3;

/** Which voices contradict each other, at most 8 pairs, each with its first conflict. Answers that have no information contradict nothing. */
export const findContradictions = (
  voices: readonly Voice[],
  isSameQuestion: (one: number, other: number) => boolean,
): Dispute[] => {
  const contentWordsOf = createContentWords();
  const read = voices.map((voice) => readVoice(voice, contentWordsOf));
  const disputes: Dispute[] = [];
  for (const [at, one] of read.entries())
    for (const [after, other] of read.slice(at + 1).entries()) {
      if (disputes.length === MAX_DISPUTES) return disputes;
      const place = at + 1 + after;
      const isBriefly = one.assertions.length <= BRIEF && other.assertions.length <= BRIEF;
      const question = isSameQuestion(at, place) ? { words: one.asked(), isBriefly } : undefined;
      const conflict = conflictBetween(one, other, question);
      if (conflict === undefined) continue;
      const statements = [
        { librarian: one.librarian, text: conflict.one.slice(0, 2000) },
        { librarian: other.librarian, text: conflict.other.slice(0, 2000) },
      ];
      disputes.push({ voices: [at, place], contradiction: { statements, values: conflict.values } });
    }
  return disputes;
};

/** A voice as it is held against others. */
interface ReadVoice {
  librarian: string;
  /** Content words of the question. */
  asked: () => readonly number[];
  assertions: readonly Assertion[];
  index: WordIndex;
}

const readVoice = (
  { librarian, question, isDeclined, reading }: Voice,
  contentWordsOf: (statement: string) => ContentWords,
): ReadVoice => {
  const assertions = isDeclined ? [] : assertionsOf(reading.sentences(), contentWordsOf);
  const index: WordIndex = [];
  assertions.forEach(({ words }, place) => {
    addToIndex(index, words, place);
  });
  return { librarian, asked: () => contentWordsOf(question).words, assertions, index };
};

/** Two statements that cannot both hold. */
interface Conflict {
  one: string;
  other: string;
  values: [string, string];
}

/** The first two statements of two answers that contradict each other. */
const conflictBetween = (
  { assertions: one }: ReadVoice,
  { assertions: other, index }: ReadVoice,
  question: AskedInCommon | undefined,
): Conflict | undefined => {
  const opposed = question === undefined ? undefined : oppositeVerdicts(one, other);
  if (opposed !== undefined) return opposed;
  for (const statement of one) {
    const sharedWith = countShared(index, statement.words, other.length);
    for (let place = 0; place < other.length; place++) {
      const shared = sharedWith[place] ?? 0;
      const counterpart = other[place];
      if (counterpart === undefined || (shared === 0 && question?.isBriefly !== true)) continue;
      if (!mayConflict(statement, counterpart)) continue;
      if (!isAboutTheSame(statement, counterpart, { shared, question })) continue;
      const values =
        numbersInConflict(statement, counterpart, { one, other }) ??
        denialIn(statement, counterpart, { one, other, shared, isSameQuestion: question !== undefined });
      if (values !== undefined) return { one: statement.text, other: counterpart.text, values };
    }
  }
  return undefined;
};

/** "Yes, ..." and "No, ..." to the same question. */
const oppositeVerdicts = (one: readonly Assertion[], other: readonly Assertion[]): Conflict | undefined => {
  const own = one.find(({ verdict }) => verdict !== undefined);
  const theirs = other.find(({ verdict }) => verdict !== undefined);
  if (own === undefined || theirs === undefined || own.verdict === theirs.verdict) return undefined;
  return { one: own.text, other: theirs.text, values: verdictsOf(own, theirs) };
};

/** A cheap look first: numbers on both sides, or a denial on one. */
const mayConflict = (one: Assertion, other: Assertion): boolean =>
  one.isDenied !== other.isDenied || (one.quantities.length > 0 && other.quantities.length > 0);
