import type { ReplayStore } from '../runtime/replay-store.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { Ledger } from './ledger.ts';

/** The methods that travel; nothing else of an object can be called from outside. */
export const STORE_METHODS = [
  ...(['put', 'get', 'count', 'list', 'delete', 'erase'] as const),
  ...(['searchMemories', 'getMemoryRelationships', 'relationshipsOf'] as const),
] satisfies (keyof MemoryStore)[];
export const LEDGER_METHODS = ['isFirstCall', 'noteSearch', 'searches'] as const satisfies (keyof Ledger)[];

export type RemoteMethod = (typeof STORE_METHODS)[number] | (typeof LEDGER_METHODS)[number];

/** A Durable Object that answers for one workspace. */
export interface MemoryStub {
  ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown>;
}

/** A ledger that lives elsewhere. */
export type RemoteLedger = {
  [Method in keyof Ledger]: (...parameters: Parameters<Ledger[Method]>) => Promise<ReturnType<Ledger[Method]>>;
};

type StubOf = (workspace: string) => MemoryStub;

/** Memories that lie in the object of their workspace. A signal cannot travel: whoever gives up does not wait any longer. */
export const remoteMemoryStore = (stubOf: StubOf): MemoryStore => {
  const ask = <T>(workspace: string, method: RemoteMethod, parameters: unknown[], signal?: AbortSignal) =>
    // The object's method of this name answers with this type.
    asked<T>(stubOf(workspace).ask(workspace, method, parameters) as Promise<T>, signal);
  return {
    put: (memory, { vector, relatedTo, signal }) =>
      ask(memory.workspace_id, 'put', [memory, { vector, relatedTo }], signal),
    get: (workspace, id, options) => ask(workspace, 'get', [workspace, id], options?.signal),
    count: (workspace, options) => ask(workspace, 'count', [workspace], options?.signal),
    list: (workspace, listing, options) => ask(workspace, 'list', [workspace, listing], options?.signal),
    delete: (workspace, id, options) => ask(workspace, 'delete', [workspace, id], options?.signal),
    erase: (workspace, ids, options) => ask(workspace, 'erase', [workspace, ids], options?.signal),
    searchMemories: (workspace, query, options) =>
      ask(workspace, 'searchMemories', [workspace, query], options?.signal),
    getMemoryRelationships: (id, workspace, options) =>
      ask(workspace, 'getMemoryRelationships', [id, workspace], options?.signal),
    relationshipsOf: (ids, workspace, options) => ask(workspace, 'relationshipsOf', [ids, workspace], options?.signal),
  };
};

export const remoteLedger = (stubOf: StubOf, workspace: string): RemoteLedger => {
  const ask = <T>(method: RemoteMethod, parameters: unknown[]) =>
    // As above.
    asked<T>(stubOf(workspace).ask(workspace, method, parameters) as Promise<T>);
  return {
    isFirstCall: (...parameters) => ask('isFirstCall', parameters),
    noteSearch: (...parameters) => ask('noteSearch', parameters),
    searches: () => ask('searches', []),
  };
};

const asked = async <T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> => {
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new StoreUnavailable('aborted', 'Cannot ask the memories: the call was given up'));
  given.catch(() => undefined);
  if (signal?.aborted === true) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([answer, given]);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable('unavailable', 'Cannot ask the memories of a workspace', { cause: error });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
};

/** The object of the call's workspace notes it: one place for all isolates, also where the memories are in Upstash. */
export const ledgerReplay = (ledgerOf: (workspace: string) => Pick<RemoteLedger, 'isFirstCall'>): ReplayStore => ({
  isFirst: (linkHash, { workspace, ...options }) =>
    untilAborted(() => ledgerOf(workspace).isFirstCall(linkHash, options), {
      signal: AbortSignal.timeout(LEDGER_MS),
      reason: 'the ledger did not answer',
    }),
});

/** To note one call takes a few milliseconds, and some hundred where the object is woken. */
const LEDGER_MS = 2000;
