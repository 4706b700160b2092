import { wordsOf } from '../../search/analyse-text.ts';
import { stem } from '../../search/stem.ts';
import { splitSentences } from '../split-sentences.ts';

/**
 * Numbers that a statement gives to each other's things: "every 30 days, or every 60 days with hard water" where the source
 * has them the other way round. Both have to stand in one sentence of the source, and each nearer to the words that the
 * statement gives to the other; where order alone differs, nothing is said.
 *
 * @returns Pairs as they stand in the statement; empty for nearly all.
 */
export const swappedNumbers = (statement: string, sources: readonly string[]): [string, string][] => {
  const own = splitSentences(statement).flatMap(({ start, end }) => pairsOf(clausesOf(statement.slice(start, end))));
  if (own.length === 0) return [];
  const sentences = sources.flatMap((source) =>
    splitSentences(source).map(({ start, end }) => clausesOf(source.slice(start, end))),
  );
  return own
    .filter(([one, other]) =>
      sentences.some((clauses) => {
        const its = { one: clauseWith(clauses, one.number), other: clauseWith(clauses, other.number) };
        if (!its.one || !its.other || its.one === its.other) return false;
        return (
          shared(one.stems, its.other.stems) > shared(one.stems, its.one.stems) &&
          shared(other.stems, its.one.stems) > shared(other.stems, its.other.stems)
        );
      }),
    )
    .slice(0, 5)
    .map(([one, other]) => [one.number, other.number]);
};

/** A part of a sentence, with its numbers and its other words. */
interface Clause {
  numbers: readonly string[];
  stems: ReadonlySet<string>;
}

const clausesOf = (sentence: string): Clause[] =>
  sentence
    .slice(0, MAX_LENGTH)
    .split(/[,;:()|]\s|\b(?:and|or|but|while|whereas|otherwise|und|oder|aber|sonst|et|ou|mais|y|o|pero)\b/i)
    .map((text) => ({
      numbers: text.match(/\d+(?:[.,]\d+)*/g) ?? [],
      stems: new Set(wordsOf(text.replace(/\d+(?:[.,]\d+)*/g, ' ')).map(stem)),
    }));

const MAX_LENGTH = 1600;

/** Numbers of different clauses, each with the words of its clause. */
const pairsOf = (
  clauses: readonly Clause[],
): [{ number: string; stems: Clause['stems'] }, { number: string; stems: Clause['stems'] }][] => {
  const numbers = clauses.flatMap(({ numbers: own, stems }) => own.map((number) => ({ number, stems }))).slice(0, 12);
  return numbers.flatMap((one, at) =>
    numbers
      .slice(at + 1)
      .filter((other) => other.number !== one.number && other.stems !== one.stems)
      .map((other): [typeof one, typeof one] => [one, other]),
  );
};

const clauseWith = (clauses: readonly Clause[], number: string): Clause | undefined =>
  clauses.find(({ numbers }) => numbers.includes(number));

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let count = 0;
  for (const word of one) count += other.has(word) ? 1 : 0;
  return count;
};
