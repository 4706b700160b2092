import { DurableObject } from 'cloudflare:workers';
import { durableObjectSql } from '../platform/storage/sql.ts';
import { sqlVectorIndex } from '../platform/storage/sql-vector-index.ts';
import type { VectorIndex } from '../platform/storage/vector-index.ts';
import { stemsOf } from './search-memories.ts';
import { createLedger, LEDGER_METHODS, type Ledger, type RemoteMethod, STORE_METHODS } from './store/remote-memory.ts';
import { type SqlMemoryStore, sqlMemoryStore } from './store/sql-memory-store.ts';

const WORKSPACE = 'workspace';

/** Methods after which something may have to be removed later. */
const CHANGES: readonly RemoteMethod[] = ['put', 'delete', 'erase'];

/**
 * The Durable Object of one workspace: its ledger and its memories. It serves the workspace of its first call and no other.
 */
export class MemoryObject<Env = unknown> extends DurableObject<Env> {
  #open: { workspace: string; methods: SqlMemoryStore & Ledger } | undefined;

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown> {
    if (![...STORE_METHODS, ...LEDGER_METHODS].includes(method))
      throw new Error(`Cannot call the memory object: there is no method ${method}`);
    if (this.#open === undefined) {
      this.#open = await this.#openFor(workspace);
      await this.alarm();
    }
    if (this.#open.workspace !== workspace)
      throw new Error('Cannot call the memory object: it belongs to another workspace');
    // The parameters are those of `remoteMemoryStore` and `remoteLedger`, which know the method's type.
    const answer = this.#open.methods[method] as (...parameters: unknown[]) => unknown;
    try {
      return await answer(...parameters);
    } finally {
      if (CHANGES.includes(method)) await this.#schedule(this.#open.methods.nextRemoval());
    }
  }

  /** Removes turns that have expired and vectors of removed memories, and runs again when there are more. */
  override async alarm(): Promise<void> {
    this.#open ??= await this.#openFor();
    await this.#open.methods.removeExpired();
    await this.#schedule(this.#open.methods.nextRemoval());
  }

  /** The workspace's vector index outside of the object; none unless a function overrides it. */
  protected remoteVectorsOf(_workspace: string, _env: Env): VectorIndex | undefined {
    return undefined;
  }

  async #schedule(next: number | undefined): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    if (next !== undefined && (alarm === null || next < alarm)) await this.ctx.storage.setAlarm(next);
  }

  async #openFor(caller?: string): Promise<{ workspace: string; methods: SqlMemoryStore & Ledger }> {
    const { storage } = this.ctx;
    const workspace = (await storage.get<string>(WORKSPACE)) ?? caller;
    if (workspace === undefined) throw new Error('Cannot open the memory object: it has no workspace yet');
    await storage.put(WORKSPACE, workspace);
    const sql = durableObjectSql(storage);
    const vectorsOf = (dimensions: number) => sqlVectorIndex(sql, { namespace: 'memory', dimensions });
    const remoteVectors = this.remoteVectorsOf(workspace, this.env);
    const store = sqlMemoryStore(sql, { workspace, vectorsOf, remoteVectors, wordsOf: stemsOf });
    return { workspace, methods: { ...store, ...createLedger(sql) } };
  }
}
