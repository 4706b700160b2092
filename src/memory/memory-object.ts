import { storeObject } from '../platform/rpc/workspace-object.ts';
import { sqlVectorIndex } from '../platform/storage/sql-vector-index.ts';
import type { VectorIndex } from '../platform/storage/vector-index.ts';
import { stemsOf } from './search-memories.ts';
import { createLedger, type Ledger, MEMORY_METHODS } from './store/remote-memory.ts';
import { type SqlMemoryStore, sqlMemoryStore } from './store/sql-memory-store.ts';

type MemoryObjectStore = SqlMemoryStore & Ledger;

/** The Durable Object of one workspace: its ledger and its memories. */
export class MemoryObject extends storeObject<
  unknown,
  MemoryObjectStore,
  (typeof MEMORY_METHODS)[number]
>(MEMORY_METHODS) {
  protected readonly librarian = 'memory';

  /** The workspace's vector index outside of the object; none unless a function overrides it. */
  protected remoteVectorsOf(_workspace: string, _env: unknown): VectorIndex | undefined {
    return undefined;
  }

  protected open(workspace: string): MemoryObjectStore {
    const { sql } = this;
    const vectorsOf = (dimensions: number) =>
      sqlVectorIndex(sql, { namespace: 'memory', dimensions });
    const remoteVectors = this.remoteVectorsOf(workspace, this.env);
    const store = sqlMemoryStore(sql, { workspace, vectorsOf, remoteVectors, wordsOf: stemsOf });
    return { ...store, ...createLedger(sql) };
  }

  /** The removal of turns that have expired, and of vectors of removed memories. */
  protected override dueAt(store: MemoryObjectStore): number | undefined {
    return store.nextRemoval();
  }

  protected override async work(store: MemoryObjectStore): Promise<void> {
    await store.removeExpired();
  }
}
