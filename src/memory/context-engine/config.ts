import * as z from 'zod';
import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import type { Tokenizer } from '../../ai/tokenizer.ts';
import { describeIssues, issuesOf } from '../../contract/core/error-info.ts';
import { Query, WorkspaceId } from '../../contract/core/names.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import { CacheConfig } from '../../contract/wire/budgets.ts';
import {
  type ContextOptions,
  MemorySearchRequest,
  type RankingFunction,
  RankingOptions,
  SearchOptions,
  WireContextOptions,
} from '../../contract/wire/context-engine.ts';
import type { StorageClient } from '../store/memory-store.ts';
import {
  InvalidContextConfiguration,
  invalidInput,
  type Logger,
  validationFailure,
} from './errors.ts';

/** Configuration of the engine. Options and results are in `src/contract`. */
export interface ContextEngineConfig {
  storageClient: StorageClient;
  /** Optional: without it, searches compare words only. */
  embeddingProvider?: EmbeddingProvider | undefined;
  /** Compared with the provider's dimensions, so that a wrong model is reported when the engine is created. */
  expectedEmbeddingDimensions?: number | undefined;
  /** `chat` when absent. */
  defaultTemplate?: string | undefined;
  /** 1 to 200,000; 2,000 when absent. */
  defaultTokenBudget?: number | undefined;
  cacheConfig?: CacheConfig | undefined;
  logger?: Logger | undefined;
  /**
   * The tokenizer, or how to load it for the first context; `() => loadTokenizer('gpt-4', [cl100k])` when absent.
   * When loading fails, tokens are estimated as 4 characters.
   */
  tokenizer?: Tokenizer | (() => Promise<Tokenizer>) | undefined;
  /**
   * Upper bound of a context with its memories as JSON, in bytes, 65,536 or more; absent, only the token budget
   * counts. All memories from the first that does not fit are omitted.
   */
  maxResultBytes?: number | undefined;
  /** Weights of the default ranking, passed to every other ranker too. */
  rankingOptions?: RankingOptions | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** The parts that belong to one request; absent ones stay as they are. */
export interface RequestParts {
  /** Aborts the request; the result is an error then. */
  signal?: AbortSignal | undefined;
  /** Aborts embedding and search alone, which may have less time than the request; `signal` when absent. */
  searchSignal?: AbortSignal | undefined;
  /** Some storage clients belong to one request. */
  storageClient?: StorageClient | undefined;
  embeddingProvider?: EmbeddingProvider | undefined;
}

/** Searches of a workspace since `since`. A context is one search; a batch is one for each query. */
export interface SearchAnalytics {
  count: number;
  /** Searches without results. */
  empty: number;
  /** Searches that ended with an error; invalid requests are not counted. */
  failed: number;
  /** Latencies of successful searches; absent before the first one. Percentiles are upper bounds, at most a quarter too high. */
  latencyMs?: { mean: number; p50: number; p95: number; max: number } | undefined;
  /** Milliseconds since 1970. */
  since: number;
}

const method = z.custom((value) => typeof value === 'function', 'is no function');
const dimensions = z.int().min(1).max(16_384);

/** Validates the configuration; the parsed copy is not used, since the parts have private state. */
const Config = z.strictObject({
  storageClient: z.looseObject({
    searchMemories: method,
    getMemoryRelationships: method,
    relationshipsOf: method.optional(),
  }),
  embeddingProvider: z
    .looseObject({
      embed: method,
      embedBatch: method,
      dimensions,
      model: z.string().min(1).max(200),
    })
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
 * Returns the configuration itself when it is valid.
 *
 * @throws {InvalidContextConfiguration} Names the problem: `embeddingProvider: has 3072 dimensions, 1536 are expected`.
 */
export function checkedConfig(config: ContextEngineConfig): ContextEngineConfig {
  const parsed = Config.safeParse(config);
  if (!parsed.success) throw refusal(describeIssues(issuesOf(parsed.error)));
  const { embeddingProvider, expectedEmbeddingDimensions: expected } = config;
  if (
    embeddingProvider !== undefined &&
    expected !== undefined &&
    embeddingProvider.dimensions !== expected
  )
    throw refusal(
      `embeddingProvider: has ${embeddingProvider.dimensions} dimensions, ${expected} are expected`,
    );
  return config;
}

const refusal = (what: string): InvalidContextConfiguration =>
  new InvalidContextConfiguration(`Cannot make a context engine: ${what}`);

/** Search options with their defaults applied. */
export type SearchPlan = SearchOptions & { limit: number; relationshipDepth: number };

/** Context options with their defaults applied, except those that the engine sets. */
export type ContextPlan = SearchPlan & Omit<ContextOptions, keyof SearchOptions>;

const DEFAULT_LIMIT = 10;
const DEFAULT_DEPTH = 1;

/** Like all functions here, throws `ContextFailure` with a `validation_error` that names the problem. */
export function readWorkspace(workspaceId: string): string {
  return parse(WorkspaceId, 'workspaceId', workspaceId);
}

/** Queries are trimmed. */
export function readQuery(query: string): string {
  return parse(Query, 'query', query);
}

export function readQueries(queries: string[]): string[] {
  if (!Array.isArray(queries)) throw validationFailure('queries: must be an array');
  if (queries.length > MAX_QUERIES)
    throw validationFailure(`queries: has more than ${MAX_QUERIES} items`);
  return queries.map((query, index) => parse(Query, `queries.${index}`, query));
}

const MAX_QUERIES = 100;

/** @param dimensions Dimensions of the model, if there is one. */
export function readVector(vector: number[], dimensions: number | undefined): number[] {
  const read = parse(MemorySearchRequest.shape.vector.nonoptional(), 'vector', vector);
  if (dimensions !== undefined && read.length !== dimensions)
    throw validationFailure(`vector: has ${read.length} dimensions, the model has ${dimensions}`);
  return read;
}

export function readSearchOptions(options: SearchOptions = {}): SearchPlan {
  return withDefaults(parse(SearchOptions, 'options', options ?? {}));
}

export function readContextOptions(options: ContextOptions = {}): ContextPlan {
  const { ranker, ...rest } = Object(options) as ContextOptions; // Object(null) is {}
  if (typeof ranker !== 'function')
    return withDefaults(parse(WireContextOptions, 'options', options ?? {}));
  const order: RankingFunction = ranker;
  return { ...withDefaults(parse(WireContextOptions, 'options', rest)), ranker: order };
}

const withDefaults = <T extends SearchOptions>(
  options: T,
): T & { limit: number; relationshipDepth: number } => ({
  ...options,
  limit: options.limit ?? DEFAULT_LIMIT,
  relationshipDepth: options.relationshipDepth ?? DEFAULT_DEPTH,
});

const parse = <T extends z.ZodType>(schema: T, name: string, value: unknown): z.output<T> => {
  const read = readRequest(schema, value);
  if (!read.ok) throw invalidInput(name, read.issues);
  return read.value;
};
