import { embeddingProviderOf } from '../../ai/adapters/models.ts';
import type { AdapterChoice } from '../../ai/adapters/settings.ts';
import {
  type CachedEmbeddings,
  cachedEmbeddings,
  EmbeddingCache,
  type EmbeddingStatistics,
  totalOf,
} from '../../ai/embeddings/cached-embeddings.ts';
import type { WaitUntil } from '../../platform/concurrency.ts';
import { faultLogger, type Log } from '../../platform/log.ts';
import { type IsolateCounters, seriesOf } from '../../platform/metrics.ts';
import { kvEmbeddingStore } from '../../platform/storage/embedding-store.ts';
import { redisEmbeddingStore } from '../../platform/storage/redis-embedding-store.ts';
import { namespaceOf, upstashVectorIndex } from '../../platform/storage/upstash-vector-index.ts';
import type { VectorIndex } from '../../platform/storage/vector-index.ts';
import { type MeaningOf, meaningBy } from './retrieve.ts';

/**
 * The vector index of each workspace, for one kind of vectors: `kb` (chunks) or `memory`. It holds nothing between calls.
 *
 * @returns `undefined` where none is configured: then vectors are stored beside their texts.
 */
export function vectorIndexesOf(
  { vector, embedding }: Pick<AdapterChoice, 'vector' | 'embedding'>,
  kind: 'kb' | 'memory',
): ((workspace: string) => VectorIndex) | undefined {
  if (vector === undefined || embedding === undefined) return undefined;
  const { dimensions } = embedding;
  return (workspace) =>
    upstashVectorIndex({ ...vector, namespace: namespaceOf(kind, workspace), dimensions });
}

interface CacheParts {
  /** The function, for its log. */
  librarian: string;
  /** The part of a KV namespace that is used; the global type of the same name is one. */
  kv: Parameters<typeof kvEmbeddingStore>[0];
  log?: Log;
  /** `countersOf`: counts where embeddings are found. */
  counters?: IsolateCounters | undefined;
}

/** How long other isolates may still use an entry erased from the store; afterwards they read the store again. */
const ISOLATE_SECONDS = 600;

/**
 * Embeddings of queries behind two levels of cache: the isolate's, then Redis where it is configured, KV otherwise. One per
 * isolate; it returns providers for one request of one workspace, whose late results are cached after that request's answer.
 * Workspaces share no embedding: response times would tell one of them what another has requested.
 *
 * @returns `undefined` without an embedding model.
 */
export function queryEmbeddingsOf(
  settings: AdapterChoice,
  { librarian, kv, log, counters }: CacheParts,
): ((scope: { waitUntil: WaitUntil; workspace: string }) => CachedEmbeddings) | undefined {
  const provider = embeddingProviderOf(settings);
  if (provider === undefined) return undefined;
  const { dimensions } = provider;
  const { redis, cache: limits } = settings;
  const { maxSize, ttlSeconds } = limits;
  const cache = new EmbeddingCache({ maxSize, ttl: Math.min(ttlSeconds, ISOLATE_SECONDS) });
  for (const [result, count] of Object.entries(LOOKUPS)) {
    const series = seriesOf('constellation_embedding_lookups_total', {
      function: librarian,
      result,
    });
    counters?.follow(series, () => totalOf(cache, count));
  }
  const store =
    redis === undefined
      ? kvEmbeddingStore(kv, { dimensions, ttlSeconds })
      : redisEmbeddingStore({ ...redis, dimensions, ttlSeconds });
  const logFault = faultLogger(librarian, log);
  const onFault = (error: unknown) => logFault('embedding cache', error);
  return ({ waitUntil, workspace: scope }) =>
    cachedEmbeddings(provider, { cache, store, scope, waitUntil, onFault });
}

/** Labels of `constellation_embedding_lookups_total`. */
const LOOKUPS = {
  hit: 'hits',
  store_hit: 'storeHits',
  coalesced: 'coalesced',
  miss: 'misses',
  failure: 'failures',
} as const;

/** Options for search by meaning, for an app to spread into its own. */
interface Meanings {
  /** Absent without an embedding model: then only words are searched. */
  meaningOf?: MeaningOf;
  /** Cache statistics of a workspace. */
  statistics?: (workspace: string) => EmbeddingStatistics;
}

/** The meaning of queries, by the configured embedding model and vector index. One per isolate. */
export function meaningsOf(settings: AdapterChoice, parts: CacheParts): Meanings {
  const embeddingsFor = queryEmbeddingsOf(settings, parts);
  if (embeddingsFor === undefined) return {};
  const indexOf = vectorIndexesOf(settings, 'kb');
  return {
    meaningOf: (text, options) => {
      const { workspace, waitUntil = runDetached } = options;
      return meaningBy(embeddingsFor({ workspace, waitUntil }), indexOf)(text, options);
    },
    statistics: (workspace) => embeddingsFor({ workspace, waitUntil: runDetached }).statistics(),
  };
}

/** Outside a request there is nothing to keep alive. */
const runDetached = (work: Promise<unknown>): void => void work.catch(() => undefined);
