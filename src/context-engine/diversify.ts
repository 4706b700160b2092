import type { SearchResult } from '../contract/memory.ts';
import { wordsOf } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';

/** Results that are compared with one another; further ones follow in their order. */
const MAX_COMPARED = 200;
/** Limit of each content, in UTF-16 units. */
const MAX_LENGTH = 2000;

/**
 * Maximal marginal relevance (Carbonell and Goldstein, 1998): takes one result after another, each time the one with the highest
 * `lambda * score - (1 - lambda) * similarity`, where similarity is that to the most similar result taken before. Memories are compared by
 * their words: the cosine of their sets of stems, 0 to 1.
 *
 * @param scored Best first.
 * @param lambda 1 leaves the order as it is, 0 only avoids repetition.
 * @returns In the new order, with the score by which each was taken.
 */
export const diversify = (
  scored: readonly { result: SearchResult; score: number }[],
  lambda: number,
): { result: SearchResult; score: number }[] => {
  const left = scored.slice(0, MAX_COMPARED).map(({ result, score }) => ({
    ...{ result, score, nearest: 0 },
    stems: new Set(wordsOf(result.memory.content.slice(0, MAX_LENGTH)).map(stem)),
  }));
  const taken: { result: SearchResult; score: number }[] = [];
  const marginal = ({ score, nearest }: (typeof left)[number]) => lambda * score - (1 - lambda) * nearest;
  while (left.length > 0) {
    const best = left.reduce((at, one, place) => (marginal(one) > marginal(left[at] ?? one) ? place : at), 0);
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    taken.push({ result: next.result, score: marginal(next) });
    for (const one of left) one.nearest = Math.max(one.nearest, cosineOf(one.stems, next.stems));
  }
  const last = taken.at(-1)?.score ?? 0;
  const rest = scored
    .slice(MAX_COMPARED)
    .map(({ result, score }) => ({ result, score: Math.min(last, lambda * score) }));
  return [...taken, ...rest];
};

const cosineOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  if (small.size === 0) return 0;
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common / Math.sqrt(small.size * large.size);
};
