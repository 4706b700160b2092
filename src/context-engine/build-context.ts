import { CharacterTokenizer, cl100k, loadTokenizer, type Tokenizer } from '../ai/tokenizer.ts';
import type { ContextPreview, ContextTemplate, RankingOptions } from '../contract/context-engine.ts';
import type { SearchResult } from '../contract/memory.ts';
import { describeCause } from '../runtime/log.ts';
import type { ContextEngineConfig } from './config.ts';
import { logSafely } from './errors.ts';
import { ContextFormatter } from './formatter.ts';
import { type Ranking, rankResults } from './ranker.ts';
import { renderMemory, withMetadata } from './registry.ts';

interface ContextParts {
  template: ContextTemplate;
  tokenBudget: number;
  maxResultBytes?: number | undefined;
  ranking: Ranking;
  rankingOptions?: RankingOptions | undefined;
  tokenizer: Tokenizer;
  /** Milliseconds since 1970. */
  now: number;
}

/** Builds a context: ranks results and related memories, and formats as many as fit into the budget. */
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
 * The results, followed by their related memories. A related memory was not compared with the query: its score is that of its result, halved
 * at each step, so that it ranks lower unless it is newer or more certain.
 */
const withRelated = (results: readonly SearchResult[]): SearchResult[] => [
  ...results,
  ...results.flatMap(({ score, relationships = [] }) =>
    relationships.map(({ memory, depth }) => ({ memory, score: score / 2 ** depth })),
  ),
];

/**
 * The first memories that fit, as JSON and without related memories, into the response together with their text.
 *
 * @param maxBytes Upper bound of memories and text, with the fields of a preview.
 */
const fitBytes = (memories: readonly SearchResult[], template: ContextTemplate, maxBytes: number): SearchResult[] => {
  const { header = '', footer = '', separator } = template;
  const shown = withMetadata(template, undefined);
  let left = maxBytes - AROUND_BYTES - jsonBytes(header + footer);
  const end = memories.findIndex((result) => {
    const { relationships: _, ...bare } = result;
    left -= jsonBytes(bare) + jsonBytes(separator + renderMemory(shown, result)) + PREVIEW_BYTES;
    return left < 0;
  });
  return end === -1 ? [...memories] : memories.slice(0, end);
};

/** Fields around the memories. */
const AROUND_BYTES = 4096;
/** Fields of a preview for a memory: its id twice, each at most twice as long as JSON, and a score. */
const PREVIEW_BYTES = 600;

const encoder = new TextEncoder();
const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;

/**
 * Loads the tokenizer of an engine for its first context. When loading fails, that context is estimated as a whole, and the next one tries
 * again.
 */
export const readyTokenizer = ({
  tokenizer = () => loadTokenizer('gpt-4', [cl100k]),
  logger,
}: ContextEngineConfig): (() => Promise<Tokenizer>) => {
  let ready = typeof tokenizer === 'function' ? undefined : tokenizer;
  return async () => {
    if (ready !== undefined || typeof tokenizer !== 'function') return ready ?? new CharacterTokenizer();
    try {
      ready = await tokenizer();
      return ready;
    } catch (error) {
      const fields = { cause: describeCause(error) };
      logSafely(logger, 'warn', {
        message: 'context engine: the tokenizer was not loaded, tokens are estimated',
        fields,
      });
      return new CharacterTokenizer();
    }
  };
};
