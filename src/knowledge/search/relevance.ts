import type { Edition } from '../edition/open-edition.ts';
import { entryText } from '../edition/text-table.ts';
import { backgroundShares, type QueryTerm } from './analyse-query.ts';
import { applyLogistic, type LogisticModel } from './logistic.ts';
import type { SearchHit, SearchOutcome } from './search-edition.ts';
import { joined, semanticRelevances } from './semantic-calibration.ts';

/** Bounds of a key. */
const LOWEST_KEY = -2;
const HIGHEST_KEY = 5;

/** Share in general English of a word that the list of common ones lacks. */
const UNLISTED_SHARE = Math.exp(-10.5) / 2;

/**
 * How typical a word is for the knowledge base, -2 to 5: the logarithm of how much more frequent it is there than in general English. The lowest for
 * a word that the knowledge base lacks.
 */
const keyOf = ({ index, wordTotal }: Edition, { postings: [posting] }: QueryTerm): number => {
  if (posting === undefined) return LOWEST_KEY;
  const here = ((index.termCounts[posting.termId] ?? 0) + 0.05) / Math.max(1, wordTotal);
  const atLarge = backgroundShares().get(entryText(index.terms, posting.termId)) ?? UNLISTED_SHARE;
  return Math.min(HIGHEST_KEY, Math.max(LOWEST_KEY, Math.log(here / atLarge)));
};

/** The mean and the largest key of the question's own words, -2 to 5; 0 without words. */
export function keynessOf(
  edition: Edition,
  terms: readonly QueryTerm[],
): { mean: number; highest: number } {
  const keys = terms
    .filter(({ origin }) => origin === 'question')
    .map((term) => keyOf(edition, term));
  if (keys.length === 0) return { mean: 0, highest: 0 };
  return {
    mean: keys.reduce((sum, key) => sum + key, 0) / keys.length,
    highest: Math.max(...keys),
  };
}

/** Weights of the best hit's share of a perfect match by words, and of the mean and the largest key. */
const DOMAIN: LogisticModel = { weights: [9.2, 0.72, 0.58], bias: -4.8 };

/** Below this probability a question is out of the domain of a knowledge base. */
export const DOMAIN_THRESHOLD = 0.5;

/** Probability that a question is in the domain of a knowledge base, whether or not an article answers it, 0 to 1. */
export function domainProbability(
  edition: Edition,
  { query, quality }: Pick<SearchOutcome, 'query' | 'quality'>,
): number {
  const { mean, highest } = keynessOf(edition, query.terms);
  return applyLogistic(DOMAIN, [quality, mean, highest]);
}

/** Weights of the share of a perfect match by words, and of its lead over the best other hit (docs/calibration.md). */
const RELEVANCE: LogisticModel = { weights: [6.6, 8.4], bias: -3.4 };

/** The features of the relevance by words: share of a perfect match, and lead over the best other hit (negative if it trails). */
const relevanceFeatures = (
  hit: Pick<SearchHit, 'score'>,
  bestOther: number,
  total: number,
): number[] =>
  total > 0 ? [hit.score / (4 * total), (hit.score - bestOther) / (4 * total)] : [0, 0];

/**
 * Probability that each hit answers the question by itself, 0 to 1; 0.7 means "very probably"
 * (docs/calibration.md). Combines words and, if compared, meaning.
 *
 * @returns One number for each of `outcome.hits`.
 */
export function relevanceOfHits(
  outcome: Pick<SearchOutcome, 'hits' | 'query' | 'model'>,
): number[] {
  const { hits, query } = outcome;
  const byMeaning = semanticRelevances(outcome);
  const [best, second] = hits.map(({ score }) => score).toSorted((a, b) => b - a);
  return hits.map((hit, at) => {
    const bestOther = hit.score === best ? (second ?? 0) : (best ?? 0);
    return joined(
      applyLogistic(RELEVANCE, relevanceFeatures(hit, bestOther, query.judged)),
      byMeaning[at],
    );
  });
}
