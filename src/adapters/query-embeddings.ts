import { EmbeddingCache, type EmbeddingStatistics } from '../ai/embeddings/cache.ts';
import { type CachedEmbeddings, cachedEmbeddings } from '../ai/embeddings/cached-embeddings.ts';
import { faultLogger } from '../runtime/fault-logger.ts';
import type { Log } from '../runtime/log.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import { type MeaningOf, meaningBy } from '../search/meaning.ts';
import { kvEmbeddingStore } from '../storage/kv-embedding-store.ts';
import { redisEmbeddingStore } from '../storage/redis-embedding-store.ts';
import { embeddingProviderOf } from './models.ts';
import type { AdapterSettings } from './settings.ts';
import { vectorIndexesOf } from './stores.ts';

interface CacheParts {
  /** The function, for its log. */
  librarian: string;
  /** The part of a KV namespace that is used; the global type of the same name is one. */
  kv: Parameters<typeof kvEmbeddingStore>[0];
  log?: Log;
}

/** Entries erased in the store stay in other isolates for so long; afterwards they are read from the store again. */
const ISOLATE_SECONDS = 600;

/**
 * Embeddings of queries behind two levels of cache: the isolate's, then Redis where it is configured, KV otherwise. One per
 * isolate; it returns providers for one request of one workspace, whose late results are cached after that request's answer.
 * Workspaces share no embedding: response times would tell one of them what another has requested.
 *
 * @returns `undefined` without an embedding model.
 */
export const queryEmbeddingsOf = (
  settings: AdapterSettings,
  { librarian, kv, log }: CacheParts,
): ((scope: { waitUntil: WaitUntil; workspace: string }) => CachedEmbeddings) | undefined => {
  const provider = embeddingProviderOf(settings);
  if (provider === undefined) return undefined;
  const { dimensions } = provider;
  const { redis, cache: limits } = settings;
  const { maxSize, ttlSeconds } = limits;
  const cache = new EmbeddingCache({ maxSize, ttl: Math.min(ttlSeconds, ISOLATE_SECONDS) });
  const store =
    redis === undefined
      ? kvEmbeddingStore(kv, { dimensions, ttlSeconds })
      : redisEmbeddingStore({ ...redis, dimensions, ttlSeconds });
  const logFault = faultLogger(librarian, log);
  const onFault = (error: unknown) => logFault('embedding cache', error);
  return ({ waitUntil, workspace: scope }) => cachedEmbeddings(provider, { cache, store, scope, waitUntil, onFault });
};

/** Search by meaning, for an app to spread into its options. */
interface Meanings {
  /** Absent without an embedding model: then words alone are searched. */
  meaningOf?: MeaningOf;
  /** Cache statistics of a workspace. */
  statistics?: (workspace: string) => EmbeddingStatistics;
}

/** What queries mean, by the configured embedding model and vector index. One per isolate. */
export const meaningsOf = (settings: AdapterSettings, parts: CacheParts): Meanings => {
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
};

/** Outside of a request nothing has to be kept alive. */
const runDetached = (work: Promise<unknown>): void => void work.catch(() => undefined);
