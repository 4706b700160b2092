import { DurableObject } from 'cloudflare:workers';
import type { MemoryStore } from '../storage/memory-store.ts';
import { durableObjectSql } from '../storage/sql.ts';
import { sqlMemoryStore } from '../storage/sql-memory-store.ts';
import { sqlVectorIndex } from '../storage/sql-vector-index.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { LEDGER_METHODS, type RemoteMethod, STORE_METHODS } from './remote-memory.ts';
import { stemsOf } from './stems-of.ts';

const WORKSPACE = 'workspace';

/**
 * The Durable Object of one workspace: its ledger, and its memories when they are not in Upstash. It serves the workspace of its first call
 * and no other.
 */
export class MemoryObject extends DurableObject {
  #open: { workspace: string; methods: MemoryStore & Ledger } | undefined;

  /** Calls one of the remote methods. */
  async ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown> {
    if (![...STORE_METHODS, ...LEDGER_METHODS].includes(method))
      throw new Error(`Cannot call the memory object: there is no method ${method}`);
    this.#open ??= await this.#openFor(workspace);
    if (this.#open.workspace !== workspace)
      throw new Error('Cannot call the memory object: it belongs to another workspace');
    // The parameters are those of `remoteMemoryStore` and `remoteLedger`, which know the method's type.
    const answer = this.#open.methods[method] as (...parameters: unknown[]) => unknown;
    return answer(...parameters);
  }

  async #openFor(caller: string): Promise<{ workspace: string; methods: MemoryStore & Ledger }> {
    const { storage } = this.ctx;
    const workspace = (await storage.get<string>(WORKSPACE)) ?? caller;
    await storage.put(WORKSPACE, workspace);
    const sql = durableObjectSql(storage);
    const vectorsOf = (dimensions: number) => sqlVectorIndex(sql, { namespace: 'memory', dimensions });
    const store = sqlMemoryStore(sql, { workspace, vectorsOf, wordsOf: stemsOf });
    return { workspace, methods: { ...store, ...createLedger(sql) } };
  }
}
