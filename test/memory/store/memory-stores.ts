import { randomUUID } from 'node:crypto';
import type { Memory } from '../../../src/contract/wire/memory.ts';
import { stemsOf } from '../../../src/memory/search-memories.ts';
import type { MemoryStore } from '../../../src/memory/store/memory-store.ts';
import { remoteMemoryStore } from '../../../src/memory/store/remote-memory.ts';
import { type SqlMemoryStore, sqlMemoryStore } from '../../../src/memory/store/sql-memory-store.ts';
import type { Sql } from '../../../src/platform/storage/sql.ts';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';
import {
  namespaceOf,
  upstashVectorIndex,
} from '../../../src/platform/storage/upstash-vector-index.ts';
import type { VectorIndex } from '../../../src/platform/storage/vector-index.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { startVectorServer } from '../../../tools/stand-ins/vector/vector-server.ts';
import { objectOf } from '../../platform/rpc/object-for-test.ts';

export const DIMENSIONS = 8;

/** A vector with these first numbers, all others zero. */
export function pointing(...values: number[]): number[] {
  return Array.from({ length: DIMENSIONS }, (_, at) => values[at] ?? 0);
}

let serial = 0;
export function newWorkspace(): string {
  return `w${process.pid}-${++serial}`;
}

export function newMemory(changes: Partial<Memory> & { workspace_id: string }): Memory {
  return {
    id: randomUUID(),
    type: 'fact',
    content: 'The fan of the Apollo is loud.',
    confidence: 0.9,
    created_at: '2026-11-01T10:00:00.000Z',
    ...changes,
  };
}

export interface StoreUnderTest {
  store: MemoryStore;
  stop(): Promise<void>;
}

/** A database for each workspace behind a stub like that of a Durable Object: arguments and results are cloned. */
const storeBehindStubs = (
  remoteOf?: (workspace: string) => VectorIndex,
  now?: () => number,
): {
  store: MemoryStore;
  objectOf: (workspace: string) => SqlMemoryStore;
  databaseOf: (workspace: string) => Sql;
} => {
  const objects = new Map<string, { sql: Sql; object: SqlMemoryStore }>();
  const openFor = (workspace: string) => {
    const known = objects.get(workspace);
    if (known !== undefined) return known;
    const sql = nodeSql();
    const vectorsOf = (dimensions: number) =>
      sqlVectorIndex(sql, { namespace: 'memory', dimensions });
    const remoteVectors = remoteOf?.(workspace);
    const object = sqlMemoryStore(sql, {
      workspace,
      vectorsOf,
      remoteVectors,
      wordsOf: stemsOf,
      now,
    });
    objects.set(workspace, { sql, object });
    return { sql, object };
  };
  return {
    store: remoteMemoryStore((workspace) => objectOf(openFor(workspace).object)),
    objectOf: (workspace) => openFor(workspace).object,
    databaseOf: (workspace) => openFor(workspace).sql,
  };
};

export async function embeddedStore(): Promise<StoreUnderTest> {
  return {
    store: storeBehindStubs().store,
    stop: async () => {},
  };
}

interface RemoteOptions {
  indexingDelayMs?: number;
  timeoutMs?: number;
  now?: () => number;
}

/** The same with vectors in Upstash Vector, eventually consistent for upserts and deletions. */
export async function upstashStore({
  indexingDelayMs = 40,
  timeoutMs = 10_000,
  now,
}: RemoteOptions = {}) {
  const indexes = [{ dimension: DIMENSIONS }];
  const vector = await startVectorServer({ indexes, indexingDelayMs, deletesLinger: true });
  const remoteOf = (workspace: string) =>
    upstashVectorIndex({
      url: vector.url,
      token: vector.token,
      timeoutMs,
      namespace: namespaceOf('memory', workspace),
      dimensions: DIMENSIONS,
    });
  return { ...storeBehindStubs(remoteOf, now), vector, stop: () => vector.stop() };
}

/** Erases all memories of a person or a conversation, page by page, and returns them. */
export async function eraseAll(
  store: MemoryStore,
  workspace: string,
  of: { personId: string } | { conversationId: string },
): Promise<Memory[]> {
  const erased: Memory[] = [];
  for (;;) {
    const { memories } = await store.list(workspace, { ...of, limit: 50 });
    const ids = memories.map(({ id }) => id);
    const removed = await store.erase(workspace, ids);
    erased.push(...memories.filter(({ id }) => removed.includes(id)));
    if (memories.length === 0) return erased;
  }
}
