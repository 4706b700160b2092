import type { Assertion } from './assertions-of.ts';
import { compareQuantities } from './compare-quantities.ts';

/** The two answers that statements are taken from. */
interface Answers {
  one: readonly Assertion[];
  other: readonly Assertion[];
}

/** Numbers that exclude each other, unless either answer also says what the other does. */
export const numbersInConflict = (one: Assertion, other: Assertion, answers: Answers): [string, string] | undefined => {
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

export const denialIn = (
  one: Assertion,
  other: Assertion,
  { shared, isSameQuestion, ...answers }: Answers & { shared: number; isSameQuestion: boolean },
): [string, string] | undefined => {
  if (one.isDenied === other.isDenied) return undefined;
  if (shared < (isSameQuestion ? 1 : 2) || shared < DENIED_FROM * (one.words.length + other.words.length - shared))
    return undefined;
  const isSaidIn = (assertions: readonly Assertion[], said: Assertion) =>
    assertions.some((each) => each.isDenied === said.isDenied && said.words.every((word) => each.words.includes(word)));
  return isSaidIn(answers.other, one) || isSaidIn(answers.one, other) ? undefined : verdictsOf(one, other);
};

export const verdictsOf = (one: Assertion, other: Assertion): [string, string] => {
  const wordFor = ({ verdict, isDenied }: Assertion) => verdict ?? (isDenied ? 'no' : 'yes');
  return [wordFor(one), wordFor(other)];
};
