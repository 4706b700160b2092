import type { RankingOptions } from '../contract/context-engine.ts';
import type { SearchResult } from '../contract/memory.ts';

/**
 * Used where a weight is not given; the seed names none. Together 1, so that a score is 0 to 1. Being similar counts most: what
 * is new or sure but about something else helps nobody.
 */
export const DEFAULT_WEIGHTS: Readonly<Record<'similarityWeight' | 'recencyWeight' | 'confidenceWeight', number>> = {
  similarityWeight: 0.6,
  recencyWeight: 0.2,
  confidenceWeight: 0.2,
};

/** When "now" is, milliseconds since 1970; the clock when absent. */
export interface RankingMoment {
  now?: number | undefined;
}

/**
 * Orders of memories, best first (seed 002, Ranker). Nothing that is handed in changes; results that score the same keep
 * their order; a score that is no number ranks last. Each result gets its place from 1 as `rank`.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the seed calls it a class of static methods.
export class MemoryRanker {
  /** By `defaultScore`. */
  static defaultRanking(
    results: SearchResult[],
    options: RankingOptions = {},
    { now = Date.now() }: RankingMoment = {},
  ): SearchResult[] {
    return MemoryRanker.custom(results, (result) => defaultScore(result, { ...options, now }));
  }

  static bySimilarity(results: SearchResult[]): SearchResult[] {
    return MemoryRanker.custom(results, ({ score }) => score);
  }

  /** The newest first. */
  static byRecency(results: SearchResult[]): SearchResult[] {
    return MemoryRanker.custom(results, ({ memory }) => Date.parse(memory.created_at));
  }

  static byConfidence(results: SearchResult[]): SearchResult[] {
    return MemoryRanker.custom(results, ({ memory }) => memory.confidence);
  }

  /** By a score of each result, the highest first; it is asked for once. */
  static custom(results: SearchResult[], scoreFn: (result: SearchResult) => number): SearchResult[] {
    return results
      .map((result) => ({ result, score: comparable(scoreFn(result)) }))
      .toSorted((left, right) => (left.score === right.score ? 0 : right.score - left.score))
      .map(({ result }, place) => ({ ...result, rank: place + 1 }));
  }
}

/** `similarity * similarityWeight + recency * recencyWeight + confidence * confidenceWeight` (seed 002, Ranker). */
export const defaultScore = (
  { memory, score }: SearchResult,
  { now, ...weights }: RankingOptions & { now: number },
): number => {
  const similarityWeight = weights.similarityWeight ?? DEFAULT_WEIGHTS.similarityWeight;
  const recencyWeight = weights.recencyWeight ?? DEFAULT_WEIGHTS.recencyWeight;
  const confidenceWeight = weights.confidenceWeight ?? DEFAULT_WEIGHTS.confidenceWeight;
  return (
    finite(score) * similarityWeight +
    recencyScore(memory.created_at, now) * recencyWeight +
    finite(memory.confidence) * confidenceWeight
  );
};

const DAY_MS = 86_400_000;

/** `1 / (1 + days since creation)`, days with their fractions: 1 now, 0.5 a day ago. What is from the future counts as from now; 0 for no date. */
export const recencyScore = (createdAt: string, now: number): number => {
  const days = (now - Date.parse(createdAt)) / DAY_MS;
  return Number.isNaN(days) ? 0 : 1 / (1 + Math.max(0, days));
};

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

const comparable = (score: number): number => (Number.isNaN(score) ? Number.NEGATIVE_INFINITY : score);
