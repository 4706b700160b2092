import { randomUUID } from 'node:crypto';
import type { Memory } from '../../src/contract/memory.ts';
import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { startRedisServer } from '../../src/dev/stand-ins/redis/redis-server.ts';
import { startVectorServer } from '../../src/dev/stand-ins/vector/vector-server.ts';
import { type MemoryStub, remoteMemoryStore } from '../../src/memory/remote-memory.ts';
import { stemsOf } from '../../src/memory/search-memories.ts';
import type { MemoryStore } from '../../src/storage/memory-store.ts';
import { sqlMemoryStore } from '../../src/storage/sql-memory-store.ts';
import { sqlVectorIndex } from '../../src/storage/sql-vector-index.ts';
import { upstashMemoryStore } from '../../src/storage/upstash-memory-store.ts';
import { namespaceOf, upstashVectorIndex } from '../../src/storage/upstash-vector-index.ts';

export const DIMENSIONS = 8;

/** A vector with these first numbers, all others zero. */
export const pointing = (...values: number[]): number[] =>
  Array.from({ length: DIMENSIONS }, (_, at) => values[at] ?? 0);

let serial = 0;
export const newWorkspace = (): string => `w${process.pid}-${++serial}`;

export const newMemory = (changes: Partial<Memory> & { workspace_id: string }): Memory => ({
  id: randomUUID(),
  type: 'fact',
  content: 'The fan of the Apollo is loud.',
  confidence: 0.9,
  created_at: '2026-11-01T10:00:00.000Z',
  ...changes,
});

export interface StoreUnderTest {
  store: MemoryStore;
  stop(): Promise<void>;
}

/** A database for each workspace behind a stub like that of a Durable Object: arguments and results are cloned. */
export const embeddedStore = async (): Promise<StoreUnderTest> => {
  const stores = new Map<string, MemoryStore>();
  const stubOf = (workspace: string): MemoryStub => {
    const sql = nodeSql();
    const vectorsOf = (dimensions: number) => sqlVectorIndex(sql, { namespace: 'memory', dimensions });
    const store = stores.get(workspace) ?? sqlMemoryStore(sql, { workspace, vectorsOf, wordsOf: stemsOf });
    stores.set(workspace, store);
    return {
      ask: async (_, method, parameters) => {
        const answer = store[method as keyof MemoryStore] as (...parameters: unknown[]) => Promise<unknown>;
        return structuredClone(await answer(...structuredClone(parameters)));
      },
    };
  };
  return { store: remoteMemoryStore(stubOf), stop: async () => {} };
};

interface UpstashOptions {
  indexingDelayMs?: number;
  timeoutMs?: number;
  now?: () => number;
}

/** The Upstash store, eventually consistent for upserts and deletions. `storeAt` makes another with this access to Redis. */
export const upstashStore = async ({ indexingDelayMs = 40, timeoutMs = 10_000, now }: UpstashOptions = {}) => {
  const indexes = [{ dimension: DIMENSIONS }];
  const vector = await startVectorServer({ indexes, indexingDelayMs, deletesLinger: true });
  const redis = await startRedisServer();
  const storeAt = (access: { url?: string; token?: string; timeoutMs?: number } = {}) =>
    upstashMemoryStore({
      redis: { url: redis.url, token: redis.token, timeoutMs, ...access },
      vectorsOf: (workspace) => {
        const namespace = namespaceOf('memory', workspace);
        const access = { url: vector.url, token: vector.token, timeoutMs };
        return upstashVectorIndex({ ...access, namespace, dimensions: DIMENSIONS });
      },
      ...{ wordsOf: stemsOf, now },
    });
  const stop = async () => {
    await vector.stop();
    await redis.stop();
  };
  return { store: storeAt(), storeAt, vector, redis, stop };
};

/** Erases all memories of a person or a conversation, page by page, and returns them. */
export const eraseAll = async (
  store: MemoryStore,
  workspace: string,
  of: { personId: string } | { conversationId: string },
): Promise<Memory[]> => {
  const erased: Memory[] = [];
  for (;;) {
    const { memories } = await store.list(workspace, { ...of, limit: 50 });
    const ids = memories.map(({ id }) => id);
    const removed = await store.erase(workspace, ids);
    erased.push(...memories.filter(({ id }) => removed.includes(id)));
    if (memories.length === 0) return erased;
  }
};
