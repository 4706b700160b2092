import { EmbeddingCache } from '../../ai/embeddings/cached-embeddings.ts';
import type { Tokenizer } from '../../ai/tokenizer.ts';
import type {
  ContextError,
  ContextOptions,
  ContextPreview,
  ContextResult,
  ContextTemplate,
  RankingFunction,
  Result,
  SearchOptions,
} from '../../contract/wire/context-engine.ts';
import type { SearchResult } from '../../contract/wire/memory.ts';
import { mapBounded } from '../../platform/concurrency.ts';
import { buildContext, readyTokenizer } from './build-context.ts';
import {
  type ContextEngineConfig,
  type ContextPlan,
  checkedConfig,
  type RequestParts,
  readContextOptions,
  readQueries,
  readQuery,
  readSearchOptions,
  readVector,
  readWorkspace,
  type SearchAnalytics,
  type SearchPlan,
} from './config.ts';
import { contextErrorOf, type EngineCall, logFailure } from './errors.ts';
import { type Registry, registry } from './registry.ts';
import { embedQueries, type SearchTarget, searchAnalytics, searchStorage } from './search.ts';

/**
 * Searches the memories of a workspace and builds context for a prompt from them.
 *
 * Methods that return a `Result` never throw. Query vectors, templates, rankers and analytics live as long as the engine and are shared by
 * `forRequest`. Nothing of queries and memories is stored but hashes, vectors and numbers.
 */
export class ContextEngine {
  readonly #config: ContextEngineConfig;
  #shared: Shared;
  #signal: AbortSignal | undefined;
  #searchSignal: AbortSignal | undefined;

  /** @throws {InvalidContextConfiguration} Names the invalid member. */
  constructor(config: ContextEngineConfig) {
    this.#config = checkedConfig(config);
    this.#shared = {
      cache: new EmbeddingCache(config.cacheConfig, { now: () => this.#now() }),
      registry: registry(),
      analytics: searchAnalytics(),
      tokenizer: readyTokenizer(config),
    };
  }

  /** The same engine for one request, with its signal and its clients. */
  forRequest({
    signal,
    searchSignal,
    storageClient,
    embeddingProvider,
  }: RequestParts): ContextEngine {
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

  /** @param vector By the same model as the vectors of the memories. */
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
   * Several searches whose queries are embedded in one call.
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
      // Each search waits for the embedding, so that its time and its failure count for each.
      const embedding = this.#embed(texts);
      const vectorAt = async (place: number) => (await embedding)?.[place];
      return mapBounded([...texts.entries()], ([place, text]) =>
        this.#measured(workspace, async () =>
          this.#searchInternal({ text, vector: await vectorAt(place) }, plan, workspace),
        ),
      );
    });
  }

  /** Context for a prompt from the memories about a query. */
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

  /** @param vector By the same model as the vectors of the memories. */
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

  /** The current result of `buildContext` with its memory ids, scores and used budget. */
  async previewContext(
    query: string,
    workspaceId: string,
    options?: ContextOptions,
  ): Promise<Result<ContextPreview, ContextError>> {
    return this.#answer({ operation: 'previewContext', workspaceId, query }, () =>
      this.#build(options, (plan) => this.#findByText(query, workspaceId, plan)),
    );
  }

  /** Registers a copy of the template: later changes to the object have no effect. @throws {InvalidContextConfiguration} */
  registerTemplate(name: string, template: ContextTemplate): void {
    this.#shared.registry.addTemplate(name, template);
  }

  /** Built in are `default`, `similarity`, `recency`, `confidence` and `mmr`. @throws {InvalidContextConfiguration} */
  registerRanker(name: string, ranker: RankingFunction): void {
    this.#shared.registry.addRanker(name, ranker);
  }

  /** The searches of a workspace through this engine; undefined without any. */
  searchAnalytics(workspaceId: string): SearchAnalytics | undefined {
    return this.#shared.analytics.read(workspaceId);
  }

  /** Turns whatever is thrown into an error result and logs it. */
  async #answer<T>(call: EngineCall, work: () => Promise<T>): Promise<Result<T, ContextError>> {
    try {
      return { ok: true, value: await work() };
    } catch (thrown) {
      const error = contextErrorOf(thrown);
      logFailure(this.#config.logger, error, call);
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

  async #findByVector(
    numbers: number[],
    workspaceId: string,
    plan: SearchPlan,
  ): Promise<SearchResult[]> {
    const workspace = readWorkspace(workspaceId);
    const vector = readVector(numbers, this.#config.embeddingProvider?.dimensions);
    return this.#measured(workspace, () => this.#searchInternal({ vector }, plan, workspace));
  }

  async #searchInternal(
    target: SearchTarget,
    plan: SearchPlan,
    workspaceId: string,
  ): Promise<SearchResult[]> {
    const storage = this.#config.storageClient;
    return searchStorage(target, plan, {
      id: workspaceId,
      storage,
      searchSignal: this.#searchSignal,
      signal: this.#signal,
    });
  }

  /** Undefined without an embedding model: the search is by words alone then. */
  async #embed(texts: readonly string[]): Promise<number[][] | undefined> {
    const provider = this.#config.embeddingProvider;
    if (provider === undefined) return undefined;
    return embedQueries(texts, { provider, cache: this.#shared.cache, signal: this.#searchSignal });
  }

  /** One path for contexts and previews, so that they cannot differ. Names are resolved before the search. */
  async #build(
    options: ContextOptions | undefined,
    find: (plan: ContextPlan) => Promise<SearchResult[]>,
  ): Promise<ContextPreview> {
    const {
      defaultTemplate = 'chat',
      defaultTokenBudget = 2000,
      rankingOptions,
      maxResultBytes,
    } = this.#config;
    const plan = readContextOptions(options);
    const { template: name = defaultTemplate, includeMetadata, ranker = 'default' } = plan;
    const template = this.#shared.registry.template(name, includeMetadata);
    const ranking = this.#shared.registry.ranking(ranker);
    const [results, tokenizer] = await Promise.all([find(plan), this.#shared.tokenizer()]);
    const { tokenBudget = defaultTokenBudget } = plan;
    const parts = {
      template,
      tokenBudget,
      maxResultBytes,
      ranking,
      rankingOptions,
      tokenizer,
      now: this.#now(),
    };
    return buildContext(results, parts);
  }

  async #measured(
    workspaceId: string,
    find: () => Promise<SearchResult[]>,
  ): Promise<SearchResult[]> {
    const startedAt = this.#now();
    const record = (outcome: 'found' | 'empty' | 'failed') =>
      this.#shared.analytics.record(
        workspaceId,
        { outcome, latencyMs: this.#now() - startedAt },
        startedAt,
      );
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

/** The parts that outlive a request. */
interface Shared {
  cache: EmbeddingCache;
  registry: Registry;
  analytics: ReturnType<typeof searchAnalytics>;
  tokenizer: () => Promise<Tokenizer>;
}

const withoutPreview = (
  built: Result<ContextPreview, ContextError>,
): Result<ContextResult, ContextError> => {
  if (!built.ok) return built;
  const { memoryIds: _ids, rankingScores: _scores, budgetUsed: _used, ...value } = built.value;
  return { ok: true, value };
};

// biome-ignore lint/performance/noBarrelFile: the package has one entry, which examples import everything from.
export { OpenAIEmbeddingProvider } from '../../ai/embeddings/openai.ts';
