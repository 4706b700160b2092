import { EmbeddingCache } from '../ai/embeddings/cache.ts';
import { type CachedEmbeddings, cachedEmbeddings } from '../ai/embeddings/cached-embeddings.ts';
import { faultLogger } from '../runtime/fault-logger.ts';
import type { Log } from '../runtime/log.ts';
import type { WaitUntil } from '../runtime/wait-until.ts';
import type { EmbeddingStore } from '../storage/embedding-store.ts';
import { kvEmbeddingStore } from '../storage/kv-embedding-store.ts';
import { redisEmbeddingStore } from '../storage/redis-embedding-store.ts';
import { embeddingProviderOf } from './embedding-provider.ts';
import type { AdapterSettings } from './settings.ts';

/** What is used of a KV namespace; the global type of the same name is one. */
type EmbeddingKV = Parameters<typeof kvEmbeddingStore>[0];

/**
 * Embeddings of questions, in two levels of cache: of the isolate, then Redis where it is configured, KV otherwise. One for an
 * isolate; what it gives is for one request of one workspace, and what a call brings late is kept behind that request's answer.
 * Workspaces share no embedding: the time of an answer would tell one of them what another has asked.
 *
 * @returns Undefined without an embedding model.
 */
export const queryEmbeddingsOf = (
  settings: AdapterSettings,
  { librarian, kv, log }: { librarian: string; kv: EmbeddingKV; log?: Log },
): ((scope: { waitUntil: WaitUntil; workspace: string }) => CachedEmbeddings) | undefined => {
  const provider = embeddingProviderOf(settings);
  if (provider === undefined) return undefined;
  const { maxSize, ttlSeconds } = settings.cache;
  const cache = new EmbeddingCache({ maxSize, ttl: Math.min(ttlSeconds, ISOLATE_SECONDS) });
  const store = storeOf(settings, { kv, dimensions: provider.dimensions });
  const logFault = faultLogger(librarian, log);
  const onFault = (error: unknown) => logFault('embedding cache', error);
  return ({ waitUntil, workspace: scope }) => cachedEmbeddings(provider, { cache, store, scope, waitUntil, onFault });
};

/** What is erased in the store behind it stays in another isolate for so long; afterwards it is read there again. */
const ISOLATE_SECONDS = 600;

const storeOf = (
  { redis, cache: { ttlSeconds } }: AdapterSettings,
  { kv, dimensions }: { kv: EmbeddingKV; dimensions: number },
): EmbeddingStore =>
  redis === undefined
    ? kvEmbeddingStore(kv, { dimensions, ttlSeconds })
    : redisEmbeddingStore({ ...redis, dimensions, ttlSeconds });
