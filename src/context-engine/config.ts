import * as z from 'zod';
import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { Tokenizer } from '../ai/tokenizer.ts';
import { CacheConfig } from '../contract/cache-config.ts';
import { describeIssues, issuesOf } from '../contract/issue.ts';
import { RankingOptions } from '../contract/search-options.ts';
import type { StorageClient } from '../storage/memory-store.ts';
import { InvalidContextConfiguration } from './errors.ts';

/** Seed 002, Configuration. What a result is, and what can be asked for, is in `src/contract`. */
export interface ContextEngineConfig {
  storageClient: StorageClient;
  /** Absent, beyond the seed: words alone decide then, and no vector is made up. */
  embeddingProvider?: EmbeddingProvider | undefined;
  /** Compared with what the provider has, so that a wrong model is noticed when the engine is made. */
  expectedEmbeddingDimensions?: number | undefined;
  /** `chat` when absent. */
  defaultTemplate?: string | undefined;
  /** 1 to 200,000; 2,000 when absent. */
  defaultTokenBudget?: number | undefined;
  cacheConfig?: CacheConfig | undefined;
  logger?: Logger | undefined;
  /**
   * Beyond the seed: what counts tokens, or how to load it on the first context; `() => loadTokenizer('gpt-4', [cl100k])` when absent.
   * Where that fails, and where it is a `CharacterTokenizer`, a token is taken for 4 characters.
   */
  tokenizer?: Tokenizer | (() => Promise<Tokenizer>) | undefined;
  /**
   * Beyond the seed: bytes of a context with its memories as JSON, 65,536 or more; absent, there is no bound but the budget. From the
   * first memory that has no room all are left out.
   */
  maxResultBytes?: number | undefined;
  /** Beyond the seed: weights of the default ranking, handed to every other ranker too. */
  rankingOptions?: RankingOptions | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** Takes a line; `console` is one. Fields hold numbers, ids and hashes, never a query or a memory. */
export interface Logger {
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** What one request brings along; what is absent stays as it was. */
export interface RequestParts {
  /** Gives up what was not finished when it aborts: the result is an error then. */
  signal?: AbortSignal | undefined;
  /** The same for embedding and searching alone, where less time is given to them than to the whole; `signal` when absent. */
  searchSignal?: AbortSignal | undefined;
  /** Clients of some storages belong to one request. */
  storageClient?: StorageClient | undefined;
  embeddingProvider?: EmbeddingProvider | undefined;
}

/** How a workspace was searched since `since`. A context is one search; a batch is one for each of its queries. */
export interface SearchAnalytics {
  count: number;
  /** Of these, those that found nothing. */
  empty: number;
  /** Of these, those that ended with an error; what was refused before the search began is not counted. */
  failed: number;
  /** Of those that did not fail; absent before the first of them. Percentiles are upper bounds, at most a quarter too high. */
  latencyMs?: { mean: number; p50: number; p95: number; max: number } | undefined;
  /** Milliseconds since 1970. */
  since: number;
}

const method = z.custom((value) => typeof value === 'function', 'is no function');
const dimensions = z.int().min(1).max(16_384);

/** What can be seen from outside; parts have private state, so that what is parsed is not what is used. */
const Config = z.strictObject({
  storageClient: z.looseObject({
    searchMemories: method,
    getMemoryRelationships: method,
    relationshipsOf: method.optional(),
  }),
  embeddingProvider: z
    .looseObject({ embed: method, embedBatch: method, dimensions, model: z.string().min(1).max(200) })
    .optional(),
  expectedEmbeddingDimensions: dimensions.optional(),
  defaultTemplate: z.string().min(1, 'is empty').max(64).optional(),
  defaultTokenBudget: z.int().min(1).max(200_000).optional(),
  cacheConfig: CacheConfig.optional(),
  logger: z.looseObject({ warn: method, error: method }).optional(),
  tokenizer: z.union([method, z.looseObject({ count: method })]).optional(),
  maxResultBytes: z.int().min(65_536).optional(),
  rankingOptions: RankingOptions.optional(),
  now: method.optional(),
});

/**
 * The configuration itself, once it has been looked at.
 *
 * @throws {InvalidContextConfiguration} That names what is wrong: `embeddingProvider: has 3072 dimensions, 1536 are expected`.
 */
export const checkedConfig = (config: ContextEngineConfig): ContextEngineConfig => {
  const parsed = Config.safeParse(config);
  if (!parsed.success) throw refusal(describeIssues(issuesOf(parsed.error)));
  const { embeddingProvider, expectedEmbeddingDimensions: expected } = config;
  if (embeddingProvider !== undefined && expected !== undefined && embeddingProvider.dimensions !== expected)
    throw refusal(`embeddingProvider: has ${embeddingProvider.dimensions} dimensions, ${expected} are expected`);
  return config;
};

const refusal = (what: string): InvalidContextConfiguration =>
  new InvalidContextConfiguration(`Cannot make a context engine: ${what}`);
