import type {
  RankerWeights,
  RankingFunction,
  RankingOptions,
} from '../../contract/wire/context-engine.ts';
import type { SearchResult } from '../../contract/wire/memory.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { stem } from '../../language/stem.ts';
import { searchFailure } from './errors.ts';

/**
 * Default weights. They add up to 1, so that a score is 0 to 1. Similarity counts most: a new or certain memory about
 * something else does not help.
 */
export const DEFAULT_WEIGHTS: Readonly<
  Record<'similarityWeight' | 'recencyWeight' | 'confidenceWeight', number>
> = {
  similarityWeight: 0.6,
  recencyWeight: 0.2,
  confidenceWeight: 0.2,
};

/** Current time. */
interface RankingMoment {
  /** Milliseconds since 1970; the clock when absent. */
  now?: number | undefined;
}

/**
 * Sorts memories, best first. Arguments are not changed; equal scores keep their order; a score of NaN ranks last. Each
 * result gets its place from 1 as `rank`.
 *
 * @example
 * function longestFirst(results: Parameters<typeof MemoryRanker.custom>[0]) {
 *   return MemoryRanker.custom(results, ({ memory }) => memory.content.length);
 * }
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the documented interface is a class of static methods.
export class MemoryRanker {
  /** Sorts by `defaultScore`. */
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

  /** Sorts the newest first. */
  static byRecency(results: SearchResult[]): SearchResult[] {
    return MemoryRanker.custom(results, ({ memory }) => Date.parse(memory.created_at));
  }

  static byConfidence(results: SearchResult[]): SearchResult[] {
    return MemoryRanker.custom(results, ({ memory }) => memory.confidence);
  }

  /** Sorts by a score, the highest first; it is computed once for each result. */
  static custom(
    results: SearchResult[],
    scoreFn: (result: SearchResult) => number,
  ): SearchResult[] {
    return results
      .map((result) => ({ result, score: comparable(scoreFn(result)) }))
      .toSorted((left, right) => (left.score === right.score ? 0 : right.score - left.score))
      .map(({ result }, place) => ({ ...result, rank: place + 1 }));
  }
}

/** `similarity * similarityWeight + recency * recencyWeight + confidence * confidenceWeight`. */
export function defaultScore(
  { memory, score }: SearchResult,
  { now, ...weights }: RankingOptions & { now: number },
): number {
  const similarityWeight = weights.similarityWeight ?? DEFAULT_WEIGHTS.similarityWeight;
  const recencyWeight = weights.recencyWeight ?? DEFAULT_WEIGHTS.recencyWeight;
  const confidenceWeight = weights.confidenceWeight ?? DEFAULT_WEIGHTS.confidenceWeight;
  return (
    finite(score) * similarityWeight +
    recencyScore(memory.created_at, now) * recencyWeight +
    finite(memory.confidence) * confidenceWeight
  );
}

const DAY_MS = 86_400_000;

/** `1 / (1 + days since creation)`, days with their fractions: 1 now, 0.5 a day ago. A future date counts as now, an invalid one as 0. */
export function recencyScore(createdAt: string, now: number): number {
  const days = (now - Date.parse(createdAt)) / DAY_MS;
  return Number.isNaN(days) ? 0 : 1 / (1 + Math.max(0, days));
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

const comparable = (score: number): number =>
  Number.isNaN(score) ? Number.NEGATIVE_INFINITY : score;

/** A ranking: by a score, by a function of the caller, or by weights. */
export type Ranking =
  | { scoreOf: (result: SearchResult, options: RankingOptions & { now: number }) => number }
  | { order: RankingFunction }
  | { weights: RankerWeights };

/** The built-in rankers. */
export const DEFAULT_RANKINGS: Record<
  'default' | 'similarity' | 'recency' | 'confidence' | 'mmr',
  Ranking
> = {
  default: { scoreOf: defaultScore },
  similarity: { scoreOf: ({ score }) => score },
  recency: { scoreOf: ({ memory }, { now }) => recencyScore(memory.created_at, now) },
  confidence: { scoreOf: ({ memory }) => memory.confidence },
  mmr: { weights: { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0, lambda: 0.7 } },
};

interface Ranked {
  /** Best first, each with its place from 1 as `rank`. */
  results: SearchResult[];
  /** Scores by memory id; for a function, derived from the order: 1 for the first, 1/2 for the second. */
  scores: Map<string, number>;
}

/**
 * Ranks results. A function gets copies, so that it may sort in place, and only its order counts: results that it omits are dropped,
 * repeated and unknown ones are ignored.
 *
 * @throws {ContextFailure} `search_error` when it throws or returns no list.
 */
export function rankResults(
  results: SearchResult[],
  ranking: Ranking,
  { now, options = {} }: { now: number; options?: RankingOptions | undefined },
): Ranked {
  const weights = { ...DEFAULT_WEIGHTS, ...options };
  if ('order' in ranking) {
    const ordered = inOrderOf(results, ranking.order, weights);
    return {
      results: ordered,
      scores: new Map(ordered.map(({ memory }, place) => [memory.id, 1 / (place + 1)])),
    };
  }
  if ('weights' in ranking) {
    const { lambda = 1, ...own } = ranking.weights;
    const scored = MemoryRanker.defaultRanking(results, { ...weights, ...own }, { now }).map(
      (result) => ({
        result,
        score: defaultScore(result, { ...weights, ...own, now }),
      }),
    );
    const ordered = lambda === 1 ? scored : diversify(scored, lambda);
    return {
      results: ordered.map(({ result }, place) => ({ ...result, rank: place + 1 })),
      scores: new Map(ordered.map(({ result, score }) => [result.memory.id, score])),
    };
  }
  const scores = new Map(
    results.map((result) => [result.memory.id, ranking.scoreOf(result, { ...weights, now })]),
  );
  return {
    results: MemoryRanker.custom(results, ({ memory }) => scores.get(memory.id) ?? 0),
    scores,
  };
}

const inOrderOf = (
  results: SearchResult[],
  order: RankingFunction,
  weights: RankingOptions,
): SearchResult[] => {
  const left = new Map(results.map((result) => [result.memory.id, result]));
  const copies = results.map((result) => ({ ...result, memory: { ...result.memory } }));
  let ordered: unknown;
  try {
    ordered = order(copies, weights);
  } catch (error) {
    throw searchFailure('Cannot rank the memories: the ranker failed', error);
  }
  if (!Array.isArray(ordered))
    throw searchFailure('Cannot rank the memories: the ranker returned no list');
  const ranked: SearchResult[] = [];
  for (const entry of ordered.slice(0, MAX_ENTRIES)) {
    const id = idOf(entry);
    const result = left.get(id);
    if (result === undefined) continue;
    left.delete(id);
    ranked.push({ ...result, rank: ranked.length + 1 });
  }
  return ranked;
};

/** Ten times the largest possible number of results; further entries are ignored. */
const MAX_ENTRIES = 10_000;

/** A ranker can return anything. */
const idOf = (entry: unknown): string => {
  const memory =
    typeof entry === 'object' && entry !== null && 'memory' in entry ? entry.memory : undefined;
  const id =
    typeof memory === 'object' && memory !== null && 'id' in memory ? memory.id : undefined;
  return typeof id === 'string' ? id : '';
};

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
const diversify = (
  scored: readonly { result: SearchResult; score: number }[],
  lambda: number,
): { result: SearchResult; score: number }[] => {
  const left = scored.slice(0, MAX_COMPARED).map(({ result, score }) => ({
    result,
    score,
    nearest: 0,
    stems: new Set(wordsOf(result.memory.content.slice(0, MAX_LENGTH)).map(stem)),
  }));
  const taken: { result: SearchResult; score: number }[] = [];
  const marginal = ({ score, nearest }: (typeof left)[number]) =>
    lambda * score - (1 - lambda) * nearest;
  while (left.length > 0) {
    const best = left.reduce(
      (at, one, place) => (marginal(one) > marginal(left[at] ?? one) ? place : at),
      0,
    );
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
