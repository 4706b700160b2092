import type { MemoryStore } from '../storage/memory-store.ts';
import type { WordsOf } from '../storage/rank-memories.ts';
import { upstashMemoryStore } from '../storage/upstash-memory-store.ts';
import type { AdapterSettings } from './settings.ts';
import { vectorIndexesOf } from './vector-indexes.ts';

/**
 * Memories in Upstash, where Redis and Vector are both configured: Redis alone would have the words and not the meanings. Otherwise
 * in the embedded store. It holds nothing of a request.
 */
export const memoryStoreOf = (
  settings: AdapterSettings,
  { embedded, wordsOf }: { embedded: MemoryStore; wordsOf: WordsOf },
): MemoryStore => {
  const vectorsOf = vectorIndexesOf(settings, 'memory');
  if (settings.redis === undefined || vectorsOf === undefined) return embedded;
  return upstashMemoryStore({ redis: { ...settings.redis, timeoutMs: REDIS_MS }, vectorsOf, wordsOf });
};

/** Which of both it is. */
export const isOnUpstash = ({ redis, vector, embedding }: AdapterSettings): boolean =>
  redis !== undefined && vector !== undefined && embedding !== undefined;

/** Of one script: some milliseconds as a rule. A search that fails tries two, one after the other. */
const REDIS_MS = 2000;
