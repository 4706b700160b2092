import type { MemoryStore, WordsOf } from '../storage/memory-store.ts';
import { upstashMemoryStore } from '../storage/upstash-memory-store.ts';
import { namespaceOf, upstashVectorIndex } from '../storage/upstash-vector-index.ts';
import type { VectorIndex } from '../storage/vector-index.ts';
import type { AdapterSettings } from './settings.ts';

/**
 * The vector index of each workspace, for one kind of vectors: `kb` (chunks) or `memory`. It holds nothing between calls.
 *
 * @returns `undefined` where none is configured: then vectors are stored beside their texts.
 */
export const vectorIndexesOf = (
  { vector, embedding }: AdapterSettings,
  kind: 'kb' | 'memory',
): ((workspace: string) => VectorIndex) | undefined => {
  if (vector === undefined || embedding === undefined) return undefined;
  const { dimensions } = embedding;
  return (workspace) => upstashVectorIndex({ ...vector, namespace: namespaceOf(kind, workspace), dimensions });
};

/** Timeout for one script, which usually takes some milliseconds. A failing search tries two, one after the other. */
const REDIS_MS = 2000;

/**
 * Memories in Upstash when Redis and Vector are both configured, as Redis alone has no vectors; otherwise in the embedded store. It
 * holds nothing of a request.
 */
export const memoryStoreOf = (
  settings: AdapterSettings,
  { embedded, wordsOf }: { embedded: MemoryStore; wordsOf: WordsOf },
): MemoryStore => {
  const vectorsOf = vectorIndexesOf(settings, 'memory');
  if (settings.redis === undefined || vectorsOf === undefined) return embedded;
  return upstashMemoryStore({ redis: { ...settings.redis, timeoutMs: REDIS_MS }, vectorsOf, wordsOf });
};

/** Whether `memoryStoreOf` chooses Upstash. */
export const isOnUpstash = ({ redis, vector, embedding }: AdapterSettings): boolean =>
  redis !== undefined && vector !== undefined && embedding !== undefined;
