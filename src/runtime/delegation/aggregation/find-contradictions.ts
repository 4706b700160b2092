import type { Contradiction } from '../../../contract/joined-answer.ts';
import { type Assertion, assertionsOf } from './assertions-of.ts';
import { areOpposed, denialIn, numbersInConflict, valuesOf } from './conflict-in.ts';
import { contentWordsOf } from './content-words.ts';
import type { Voice } from './hear-branches.ts';
import { type AskedInCommon, isAboutTheSame } from './is-about-the-same.ts';

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
  const read = voices.map(readVoice);
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
  asked: () => ReadonlySet<string>;
  assertions: readonly Assertion[];
  /** Word -> places of the assertions that hold it. */
  index: ReadonlyMap<string, readonly number[]>;
}

const readVoice = ({ librarian, question, isDeclined, reading }: Voice): ReadVoice => {
  const assertions = isDeclined ? [] : assertionsOf(reading.sentences());
  const index = new Map<string, number[]>();
  assertions.forEach(({ words }, place) => {
    for (const word of words) {
      const places = index.get(word);
      if (places === undefined) index.set(word, [place]);
      else places.push(place);
    }
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
  for (const statement of one) {
    const sharedWith = countShared(statement, index, other.length);
    for (const [place, counterpart] of other.entries()) {
      if (question !== undefined && areOpposed(statement, counterpart))
        return { one: statement.text, other: counterpart.text, values: valuesOf(statement, counterpart) };
      const shared = sharedWith[place] ?? 0;
      if (!mayConflict(statement, counterpart, shared > 0 || question?.isBriefly === true)) continue;
      if (!isAboutTheSame(statement, counterpart, { shared, question })) continue;
      const values =
        numbersInConflict(statement, counterpart, { one, other }) ??
        denialIn(statement, counterpart, { one, other, shared, isSameQuestion: question !== undefined });
      if (values !== undefined) return { one: statement.text, other: counterpart.text, values };
    }
  }
  return undefined;
};

/** How many words a statement has in common with each of another answer, by their places. */
const countShared = ({ words }: Assertion, index: ReadVoice['index'], length: number): Uint16Array => {
  const shared = new Uint16Array(length);
  for (const word of words) for (const place of index.get(word) ?? []) shared[place] = (shared[place] ?? 0) + 1;
  return shared;
};

/** A cheap look first: numbers on both sides, or a denial on one, and something in common. */
const mayConflict = (one: Assertion, other: Assertion, isNear: boolean): boolean =>
  isNear && (one.isDenied !== other.isDenied || (one.quantities.length > 0 && other.quantities.length > 0));
