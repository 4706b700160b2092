import { EmbeddingCache } from '../ai/embeddings/cache.ts';
import type { Tokenizer } from '../ai/tokenizer.ts';
import type { ContextError, Result } from '../contract/context-error.ts';
import type { ContextPreview, ContextResult } from '../contract/context-result.ts';
import type { ContextTemplate } from '../contract/context-template.ts';
import type { SearchResult } from '../contract/memory.ts';
import type { ContextOptions, RankingFunction, SearchOptions } from '../contract/search-options.ts';
import { mapBounded } from '../runtime/map-bounded.ts';
import { buildContext } from './build-context.ts';
import { type ContextEngineConfig, checkedConfig, type RequestParts, type SearchAnalytics } from './config.ts';
import { type Asked, contextErrorOf, logFailure } from './errors.ts';
import {
  type ContextPlan,
  readContextOptions,
  readQueries,
  readQuery,
  readSearchOptions,
  readVector,
  readWorkspace,
  type SearchPlan,
} from './read-input.ts';
import { readyTokenizer } from './ready-tokenizer.ts';
import { type Registry, registry } from './registry.ts';
import { embedQueries, type SearchTarget, searchStorage } from './search.ts';
import { searchAnalytics } from './search-analytics.ts';

/**
 * Finds memories of a workspace and makes text of them for a prompt (seed 002, ContextEngine).
 *
 * Methods that return a `Result` never throw. Vectors of queries, templates, rankers and figures live as long as the engine;
 * `forRequest` shares them. Of queries and memories nothing stays but hashes, vectors and numbers.
 */
export class ContextEngine {
  readonly #config: ContextEngineConfig;
  #shared: Shared;
  #signal: AbortSignal | undefined;
  #searchSignal: AbortSignal | undefined;

  /** @throws {InvalidContextConfiguration} That names the member that cannot be right. */
  constructor(config: ContextEngineConfig) {
    this.#config = checkedConfig(config);
    this.#shared = {
      cache: new EmbeddingCache(config.cacheConfig, { now: () => this.#now() }),
      registry: registry(),
      analytics: searchAnalytics(),
      tokenizer: readyTokenizer(config),
    };
  }

  /** The same engine for one request: with its signal, and with clients that belong to it. */
  forRequest({ signal, searchSignal, storageClient, embeddingProvider }: RequestParts): ContextEngine {
    const engine = new ContextEngine({
      ...this.#config,
      storageClient: storageClient ?? this.#config.storageClient,
      embeddingProvider: embeddingProvider ?? this.#config.embeddingProvider,
    });
    engine.#shared = this.#shared;
    engine.#signal = signal ?? this.#signal;
    engine.#searchSignal = searchSignal ?? signal ?? this.#searchSignal;
    return engine;
  }

  /** Memories about a query, the most similar first. */
  async search(
    query: string,
    workspaceId: string,
    options?: SearchOptions,
  ): Promise<Result<SearchResult[], ContextError>> {
    return this.#answer({ operation: 'search', workspaceId, query }, () =>
      this.#findByText(query, workspaceId, readSearchOptions(options)),
    );
  }

  /** @param vector By the same model as the memories'. */
  async searchByVector(
    vector: number[],
    workspaceId: string,
    options?: SearchOptions,
  ): Promise<Result<SearchResult[], ContextError>> {
    return this.#answer({ operation: 'searchByVector', workspaceId }, () =>
      this.#findByVector(vector, workspaceId, readSearchOptions(options)),
    );
  }

  /**
   * Beyond the seed's first list: several searches, their queries embedded in one call.
   *
   * @param queries At most 100.
   * @returns In the order of the queries; the first error when one of them has no result.
   */
  async searchBatch(
    queries: string[],
    workspaceId: string,
    options?: SearchOptions,
  ): Promise<Result<SearchResult[][], ContextError>> {
    return this.#answer({ operation: 'searchBatch', workspaceId }, async () => {
      const plan = readSearchOptions(options);
      const workspace = readWorkspace(workspaceId);
      const texts = readQueries(queries);
      // Each search waits for it, so that it is part of what they take, and of why they fail.
      const embedding = this.#embed(texts);
      const vectorAt = async (place: number) => (await embedding)?.[place];
      return mapBounded([...texts.entries()], ([place, text]) =>
        this.#measured(workspace, async () =>
          this.#searchInternal({ text, vector: await vectorAt(place) }, plan, workspace),
        ),
      );
    });
  }

  /** Text for a prompt, made of the memories about a query. */
  async buildContext(
    query: string,
    workspaceId: string,
    options?: ContextOptions,
  ): Promise<Result<ContextResult, ContextError>> {
    const built = await this.#answer({ operation: 'buildContext', workspaceId, query }, () =>
      this.#build(options, (plan) => this.#findByText(query, workspaceId, plan)),
    );
    return withoutPreview(built);
  }

  /** @param vector By the same model as the memories'. */
  async buildContextByVector(
    vector: number[],
    workspaceId: string,
    options?: ContextOptions,
  ): Promise<Result<ContextResult, ContextError>> {
    const built = await this.#answer({ operation: 'buildContextByVector', workspaceId }, () =>
      this.#build(options, (plan) => this.#findByVector(vector, workspaceId, plan)),
    );
    return withoutPreview(built);
  }

  /** What `buildContext` would return at this moment, with how it came about. */
  async previewContext(
    query: string,
    workspaceId: string,
    options?: ContextOptions,
  ): Promise<Result<ContextPreview, ContextError>> {
    return this.#answer({ operation: 'previewContext', workspaceId, query }, () =>
      this.#build(options, (plan) => this.#findByText(query, workspaceId, plan)),
    );
  }

  /** The template is found by this name from now on, and was a copy: later changes to the object do nothing. @throws {InvalidContextConfiguration} */
  registerTemplate(name: string, template: ContextTemplate): void {
    this.#shared.registry.addTemplate(name, template);
  }

  /** Known before: `default`, `similarity`, `recency`, `confidence`. @throws {InvalidContextConfiguration} */
  registerRanker(name: string, ranker: RankingFunction): void {
    this.#shared.registry.addRanker(name, ranker);
  }

  /** Beyond the seed's first list: how a workspace was searched through this engine; undefined when it was not. */
  searchAnalytics(workspaceId: string): SearchAnalytics | undefined {
    return this.#shared.analytics.read(workspaceId);
  }

  /** Every path ends here: what was thrown becomes an error, and is logged. */
  async #answer<T>(asked: Asked, work: () => Promise<T>): Promise<Result<T, ContextError>> {
    try {
      return { ok: true, value: await work() };
    } catch (thrown) {
      const error = contextErrorOf(thrown);
      logFailure(this.#config.logger, error, asked);
      return { ok: false, error };
    }
  }

  async #findByText(query: string, workspaceId: string, plan: SearchPlan): Promise<SearchResult[]> {
    const workspace = readWorkspace(workspaceId);
    const text = readQuery(query);
    return this.#measured(workspace, async () => {
      const vectors = await this.#embed([text]);
      return this.#searchInternal({ text, vector: vectors?.[0] }, plan, workspace);
    });
  }

  async #findByVector(numbers: number[], workspaceId: string, plan: SearchPlan): Promise<SearchResult[]> {
    const workspace = readWorkspace(workspaceId);
    const vector = readVector(numbers, this.#config.embeddingProvider?.dimensions);
    return this.#measured(workspace, () => this.#searchInternal({ vector }, plan, workspace));
  }

  async #searchInternal(target: SearchTarget, plan: SearchPlan, workspaceId: string): Promise<SearchResult[]> {
    const storage = this.#config.storageClient;
    return searchStorage(target, plan, {
      id: workspaceId,
      storage,
      searchSignal: this.#searchSignal,
      signal: this.#signal,
    });
  }

  /** Undefined where there is no model: words carry it alone then. */
  async #embed(texts: readonly string[]): Promise<number[][] | undefined> {
    const provider = this.#config.embeddingProvider;
    if (provider === undefined) return undefined;
    return embedQueries(texts, { provider, cache: this.#shared.cache, signal: this.#searchSignal });
  }

  /** One path for contexts and previews, so that they cannot differ. Names are looked up before anything is searched. */
  async #build(
    options: ContextOptions | undefined,
    find: (plan: ContextPlan) => Promise<SearchResult[]>,
  ): Promise<ContextPreview> {
    const { defaultTemplate = 'chat', defaultTokenBudget = 2000, rankingOptions, maxResultBytes } = this.#config;
    const plan = readContextOptions(options);
    const { template: name = defaultTemplate, includeMetadata, ranker = 'default' } = plan;
    const template = this.#shared.registry.template(name, includeMetadata);
    const ranking = this.#shared.registry.ranking(ranker);
    const [results, tokenizer] = await Promise.all([find(plan), this.#shared.tokenizer()]);
    const { tokenBudget = defaultTokenBudget } = plan;
    const parts = { template, tokenBudget, maxResultBytes, ranking, rankingOptions, tokenizer, now: this.#now() };
    return buildContext(results, parts);
  }

  async #measured(workspaceId: string, find: () => Promise<SearchResult[]>): Promise<SearchResult[]> {
    const startedAt = this.#now();
    const record = (outcome: 'found' | 'empty' | 'failed') =>
      this.#shared.analytics.record(workspaceId, { outcome, latencyMs: this.#now() - startedAt }, startedAt);
    try {
      const results = await find();
      record(results.length === 0 ? 'empty' : 'found');
      return results;
    } catch (error) {
      record('failed');
      throw error;
    }
  }

  #now(): number {
    return this.#config.now?.() ?? Date.now();
  }
}

/** What outlives a request. */
interface Shared {
  cache: EmbeddingCache;
  registry: Registry;
  analytics: ReturnType<typeof searchAnalytics>;
  tokenizer: () => Promise<Tokenizer>;
}

const withoutPreview = (built: Result<ContextPreview, ContextError>): Result<ContextResult, ContextError> => {
  if (!built.ok) return built;
  const { memoryIds: _ids, rankingScores: _scores, budgetUsed: _used, ...value } = built.value;
  return { ok: true, value };
};

// biome-ignore lint/performance/noBarrelFile: the seed's package has one entry, which its examples take all they need from.
export { OpenAIEmbeddingProvider } from '../ai/embeddings/openai.ts';
