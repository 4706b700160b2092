import type { Tokenizer } from '../ai/tokenizer.ts';
import type { ContextPreview, ContextTemplate, RankingOptions } from '../contract/context-engine.ts';
import type { SearchResult } from '../contract/memory.ts';
import { fitBytes } from './fit-bytes.ts';
import { ContextFormatter } from './formatter.ts';
import { type Ranking, rankResults } from './rank-results.ts';

export interface ContextParts {
  template: ContextTemplate;
  tokenBudget: number;
  maxResultBytes?: number | undefined;
  ranking: Ranking;
  rankingOptions?: RankingOptions | undefined;
  tokenizer: Tokenizer;
  /** Milliseconds since 1970. */
  now: number;
}

/** Results -> text: ranks them with what is related to them, and formats as many as the budget has room for. */
export const buildContext = (results: readonly SearchResult[], parts: ContextParts): ContextPreview => {
  const { template, tokenBudget, maxResultBytes, ranking, rankingOptions, tokenizer, now } = parts;
  const ranked = rankResults(withRelated(results), ranking, { now, options: rankingOptions });
  const candidates = maxResultBytes === undefined ? ranked.results : fitBytes(ranked.results, template, maxResultBytes);
  const context = new ContextFormatter(tokenizer).format(candidates, template, tokenBudget);
  const memoryIds = context.memories.map(({ memory }) => memory.id);
  return {
    ...context,
    truncated: context.truncated || candidates.length < ranked.results.length,
    ...(tokenizer.name === undefined ? {} : { tokenizer: tokenizer.name.slice(0, 64) }),
    memoryIds,
    rankingScores: Object.fromEntries(memoryIds.map((id) => [id, ranked.scores.get(id) ?? 0])),
    budgetUsed: Math.round((context.tokenCount / tokenBudget) * 1000) / 10,
  };
};

/**
 * The results, and after them what they lead to. Nobody compared a related memory with the query: its score is that of the
 * result it was reached from, halved at each step, so that it ranks below that one unless it is newer or surer.
 */
const withRelated = (results: readonly SearchResult[]): SearchResult[] => [
  ...results,
  ...results.flatMap(({ score, relationships = [] }) =>
    relationships.map(({ memory, depth }) => ({ memory, score: score / 2 ** depth })),
  ),
];
