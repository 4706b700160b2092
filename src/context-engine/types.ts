import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { Tokenizer } from '../ai/tokenizer.ts';
import type { CacheConfig, RankingOptions } from '../contract/context-engine.ts';
import type { StorageClient } from '../storage/memory-store.ts';

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
