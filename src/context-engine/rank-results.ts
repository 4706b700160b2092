import type { RankingFunction, RankingOptions } from '../contract/context-engine.ts';
import type { SearchResult } from '../contract/memory.ts';
import { searchFailure } from './errors.ts';
import { DEFAULT_WEIGHTS, defaultScore, MemoryRanker, recencyScore } from './ranker.ts';

/** A way to rank: by a score, as ours do, or by a function of the caller's. */
export type Ranking =
  | { scoreOf: (result: SearchResult, options: RankingOptions & { now: number }) => number }
  | { order: RankingFunction };

/** The rankers that every engine knows. */
export const DEFAULT_RANKINGS: Record<'default' | 'similarity' | 'recency' | 'confidence', Ranking> = {
  default: { scoreOf: defaultScore },
  similarity: { scoreOf: ({ score }) => score },
  recency: { scoreOf: ({ memory }, { now }) => recencyScore(memory.created_at, now) },
  confidence: { scoreOf: ({ memory }) => memory.confidence },
};

export interface Ranked {
  /** Best first, each with its place from 1 as `rank`. */
  results: SearchResult[];
  /** By memory id: the score; where a function ranks there is none but the order: 1 for the first, 1/2 for the second. */
  scores: Map<string, number>;
}

/**
 * A function gets copies, so that it may sort in place, and only its order counts: what it left out stays out, what it
 * returns twice or made up is passed over.
 *
 * @throws {ContextFailure} `search_error` when it throws or returns no list.
 */
export const rankResults = (
  results: SearchResult[],
  ranking: Ranking,
  { now, options = {} }: { now: number; options?: RankingOptions | undefined },
): Ranked => {
  const weights = { ...DEFAULT_WEIGHTS, ...options };
  if ('order' in ranking) {
    const ordered = inOrderOf(results, ranking.order, weights);
    return { results: ordered, scores: new Map(ordered.map(({ memory }, place) => [memory.id, 1 / (place + 1)])) };
  }
  const scores = new Map(results.map((result) => [result.memory.id, ranking.scoreOf(result, { ...weights, now })]));
  return { results: MemoryRanker.custom(results, ({ memory }) => scores.get(memory.id) ?? 0), scores };
};

const inOrderOf = (results: SearchResult[], order: RankingFunction, weights: RankingOptions): SearchResult[] => {
  const left = new Map(results.map((result) => [result.memory.id, result]));
  const copies = results.map((result) => ({ ...result, memory: { ...result.memory } }));
  let ordered: unknown;
  try {
    ordered = order(copies, weights);
  } catch (error) {
    throw searchFailure('Cannot rank the memories: the ranker failed', error);
  }
  if (!Array.isArray(ordered)) throw searchFailure('Cannot rank the memories: the ranker returned no list');
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

/** Ten times what there can be: whatever follows was made up. */
const MAX_ENTRIES = 10_000;

/** A ranker can return anything. */
const idOf = (entry: unknown): string => {
  const memory = typeof entry === 'object' && entry !== null && 'memory' in entry ? entry.memory : undefined;
  const id = typeof memory === 'object' && memory !== null && 'id' in memory ? memory.id : undefined;
  return typeof id === 'string' ? id : '';
};
