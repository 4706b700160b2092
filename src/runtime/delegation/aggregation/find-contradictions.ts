import type { Contradiction } from '../../../contract/joined-answer.ts';
import { type Assertion, assertionsOf } from './assertions-of.ts';
import { compareQuantities } from './compare-quantities.ts';
import type { Voice } from './hear-branches.ts';

/** Two statements that cannot both hold. */
interface Conflict {
  one: string;
  other: string;
  values: [string, string];
}

/** Two voices that contradict each other, by their places. */
export interface Dispute {
  voices: [number, number];
  contradiction: Contradiction;
}

const MAX_DISPUTES = 8;

/** Which voices contradict each other, at most 8 pairs, each with its first conflict. Answers that have no information contradict nothing. */
export const findContradictions = (
  voices: readonly Voice[],
  isSameQuestion: (one: number, other: number) => boolean,
): Dispute[] => {
  const read = voices.map(({ text, isDeclined }) => (isDeclined ? [] : assertionsOf(text)));
  const disputes: Dispute[] = [];
  for (let one = 0; one < voices.length; one++)
    for (let other = one + 1; other < voices.length && disputes.length < MAX_DISPUTES; other++) {
      const conflict = conflictBetween(read[one] ?? [], read[other] ?? [], isSameQuestion(one, other));
      if (conflict === undefined) continue;
      const statements = [
        { librarian: voices[one]?.librarian ?? '', text: conflict.one.slice(0, 2000) },
        { librarian: voices[other]?.librarian ?? '', text: conflict.other.slice(0, 2000) },
      ];
      disputes.push({ voices: [one, other], contradiction: { statements, values: conflict.values } });
    }
  return disputes;
};

/** The first two statements of two answers that contradict each other. */
const conflictBetween = (
  one: readonly Assertion[],
  other: readonly Assertion[],
  isSameQuestion: boolean,
): Conflict | undefined => {
  for (const statement of one)
    for (const counterpart of other) {
      if (isSameQuestion && areOpposed(statement, counterpart))
        return { one: statement.text, other: counterpart.text, values: valuesOf(statement, counterpart) };
      if (!mayConflict(statement, counterpart) || !isAboutTheSame(statement, counterpart, isSameQuestion)) continue;
      const values =
        numbersInConflict(statement, counterpart, { one, other }) ??
        denialIn(statement, counterpart, { one, other, isSameQuestion });
      if (values !== undefined) return { one: statement.text, other: counterpart.text, values };
    }
  return undefined;
};

/** A cheap look first: numbers on both sides, or a denial on one. */
const mayConflict = (one: Assertion, other: Assertion): boolean =>
  one.isDenied !== other.isDenied || (one.quantities.length > 0 && other.quantities.length > 0);

/** Share of words that two statements have in common from which on they are about the same. */
const SAME_FROM = 0.6;
/** The same of the shorter of two answers to one question, which tells most of what they are about. */
const SAME_FROM_WHEN_ASKED_THE_SAME = 0.5;
const LEAST_SHARED = 2;

const isAboutTheSame = (one: Assertion, other: Assertion, isSameQuestion: boolean): boolean => {
  const shared = sharedBy(one.words, other.words);
  const smaller = Math.min(one.words.size, other.words.size);
  const isClose = isSameQuestion
    ? shared >= (smaller <= 1 ? smaller : SAME_FROM_WHEN_ASKED_THE_SAME * smaller)
    : shared >= LEAST_SHARED && shared >= SAME_FROM * (one.words.size + other.words.size - shared);
  return isClose && haveSameSubject(one, other, isSameQuestion);
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

const sharedBy = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let shared = 0;
  for (const word of one) shared += other.has(word) ? 1 : 0;
  return shared;
};

const isSubset = (one: readonly string[], other: readonly string[]): boolean =>
  one.every((each) => other.includes(each));

interface Answers {
  one: readonly Assertion[];
  other: readonly Assertion[];
}

/** Numbers that exclude each other, unless either answer also says what the other does. */
const numbersInConflict = (one: Assertion, other: Assertion, answers: Answers): [string, string] | undefined => {
  const missing = one.quantities.filter(
    (quantity) => !other.quantities.some((each) => compareQuantities(quantity, each) === 'agree'),
  );
  const extra = other.quantities.filter(
    (quantity) => !one.quantities.some((each) => compareQuantities(quantity, each) === 'agree'),
  );
  const pairs = missing.flatMap((quantity) => {
    const rivals = extra.filter((each) => compareQuantities(quantity, each) === 'differ');
    return rivals.map((rival) => ({ quantity, rival }));
  });
  const [first] = pairs;
  if (first === undefined) return undefined;
  // Of a list of values one more or less is no contradiction; of rows in a table another date makes it another row.
  const countOf = ({ quantities }: Assertion) =>
    quantities.filter(({ dimension }) => dimension === first.quantity.dimension).length;
  if (countOf(one) !== countOf(other)) return undefined;
  if (
    new Set(pairs.map(({ quantity }) => quantity.dimension)).size > 1 &&
    pairs.some(({ quantity }) => quantity.dimension === 'date')
  )
    return undefined;
  const saysToo = (assertions: readonly Assertion[], quantity: (typeof missing)[number]) =>
    assertions.some(({ quantities }) => quantities.some((each) => compareQuantities(each, quantity) === 'agree'));
  if (saysToo(answers.other, first.quantity) || saysToo(answers.one, first.rival)) return undefined;
  return [first.quantity.text.slice(0, 200), first.rival.text.slice(0, 200)];
};

/** Share of words from which on a denial is one of the same statement. */
const DENIED_FROM = 0.7;

const denialIn = (
  one: Assertion,
  other: Assertion,
  { isSameQuestion, ...answers }: Answers & { isSameQuestion: boolean },
): [string, string] | undefined => {
  if (one.isDenied === other.isDenied) return undefined;
  const shared = sharedBy(one.words, other.words);
  if (
    shared < LEAST_SHARED - (isSameQuestion ? 1 : 0) ||
    shared < DENIED_FROM * (one.words.size + other.words.size - shared)
  )
    return undefined;
  const isSaidIn = (assertions: readonly Assertion[], said: Assertion) =>
    assertions.some((each) => each.isDenied === said.isDenied && [...said.words].every((word) => each.words.has(word)));
  return isSaidIn(answers.other, one) || isSaidIn(answers.one, other) ? undefined : valuesOf(one, other);
};

/** "Yes, ..." and "No, ..." to the same question. */
const areOpposed = (one: Assertion, other: Assertion): boolean =>
  one.verdict !== undefined && other.verdict !== undefined && one.verdict !== other.verdict;

const valuesOf = (one: Assertion, other: Assertion): [string, string] => {
  const wordFor = ({ verdict, isDenied }: Assertion) => verdict ?? (isDenied ? 'no' : 'yes');
  return [wordFor(one), wordFor(other)];
};
