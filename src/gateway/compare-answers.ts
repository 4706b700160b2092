import type { StatementChange } from '../contract/answers.ts';
import type { Statement } from '../contract/ask.ts';

/** Share of the words that two statements have in common, from which one counts as a new wording of the other. */
const SAME_FROM = 0.4;

/**
 * What became of each statement of an answer in another one: pairs of equal texts first, then those with the most words in common, each
 * statement once.
 */
export const compareStatements = (before: readonly Statement[], after: readonly Statement[]): StatementChange[] => {
  const earlier = before.map(({ text }) => wordsOf(text));
  const later = after.map(({ text }) => wordsOf(text));
  const pairs = later
    .flatMap((words, at) => earlier.map((other, from) => ({ at, from, likeness: likenessOf(words, other) })))
    .filter(({ likeness }) => likeness >= SAME_FROM)
    .sort((one, other) => other.likeness - one.likeness);
  const pairOf = new Map<number, { from: number; likeness: number }>();
  const taken = new Set<number>();
  for (const { at, from, likeness } of pairs) {
    if (pairOf.has(at) || taken.has(from)) continue;
    pairOf.set(at, { from, likeness });
    taken.add(from);
  }
  const ofLater = later.map((_, at): StatementChange => {
    const pair = pairOf.get(at);
    if (pair === undefined) return { change: 'added', after: at };
    return { change: pair.likeness === 1 ? 'kept' : 'changed', before: pair.from, after: at };
  });
  const removed = earlier.flatMap((_, from): StatementChange[] =>
    taken.has(from) ? [] : [{ change: 'removed', before: from }],
  );
  return [...ofLater, ...removed];
};

/** In order, so that a rewording of the same words is a change. */
const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);

const MAX_WORDS = 2000;

/** 1 only for the same words in the same order; otherwise the share in common (Jaccard), below 1. */
const likenessOf = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === other.length && one.every((word, at) => word === other[at])) return 1;
  const [left, right] = [new Set(one), new Set(other)];
  const common = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : Math.min(ALMOST, common / all);
};

const ALMOST = 0.999;
