import { withDeadline } from '../http/deadline.ts';
import type { ReplayStore } from '../signing/verify-context.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';
import type { Ledger } from './ledger.ts';

/** The remote methods; no other method of the object can be called from outside. */
export const STORE_METHODS = [
  ...(['put', 'get', 'count', 'surplusTurns', 'list', 'delete', 'erase'] as const),
  ...(['searchMemories', 'getMemoryRelationships', 'relationshipsOf'] as const),
] satisfies (keyof MemoryStore)[];
export const LEDGER_METHODS = [
  ...(['isFirstCall', 'recordSearch', 'searches'] as const),
  ...(['settings', 'putSetting', 'deleteSetting'] as const),
] satisfies (keyof Ledger)[];

export type RemoteMethod = (typeof STORE_METHODS)[number] | (typeof LEDGER_METHODS)[number];

/** The stub of the Durable Object of a workspace. */
export interface MemoryStub {
  ask(workspace: string, method: RemoteMethod, parameters: unknown[]): Promise<unknown>;
}

/** A ledger in a Durable Object. */
export type RemoteLedger = {
  [Method in keyof Ledger]: (...parameters: Parameters<Ledger[Method]>) => Promise<ReturnType<Ledger[Method]>>;
};

type StubOf = (workspace: string) => MemoryStub;

/** The memory store in the Durable Object of each workspace. Signals are not transferred: an aborted caller stops waiting. */
export const remoteMemoryStore = (stubOf: StubOf): MemoryStore => {
  const call = <T>(workspace: string, method: RemoteMethod, parameters: unknown[], signal?: AbortSignal) =>
    // The object's method of this name answers with this type.
    untilSettled<T>(stubOf(workspace).ask(workspace, method, parameters) as Promise<T>, signal);
  return {
    put: (memory, { vector, relatedTo, signal }) =>
      call(memory.workspace_id, 'put', [memory, { vector, relatedTo }], signal),
    get: (workspace, id, options) => call(workspace, 'get', [workspace, id], options?.signal),
    count: (workspace, of, options) => call(workspace, 'count', [workspace, of], options?.signal),
    surplusTurns: (workspace, limits, options) => call(workspace, 'surplusTurns', [workspace, limits], options?.signal),
    list: (workspace, listing, options) => call(workspace, 'list', [workspace, listing], options?.signal),
    delete: (workspace, id, options) => call(workspace, 'delete', [workspace, id], options?.signal),
    erase: (workspace, ids, options) => call(workspace, 'erase', [workspace, ids], options?.signal),
    searchMemories: (workspace, query, options) =>
      call(workspace, 'searchMemories', [workspace, query], options?.signal),
    getMemoryRelationships: (id, workspace, options) =>
      call(workspace, 'getMemoryRelationships', [id, workspace], options?.signal),
    relationshipsOf: (ids, workspace, options) => call(workspace, 'relationshipsOf', [ids, workspace], options?.signal),
  };
};

export const remoteLedger = (stubOf: StubOf, workspace: string): RemoteLedger => {
  const call = <T>(method: RemoteMethod, parameters: unknown[]) =>
    // As above.
    untilSettled<T>(stubOf(workspace).ask(workspace, method, parameters) as Promise<T>);
  return {
    isFirstCall: (...parameters) => call('isFirstCall', parameters),
    recordSearch: (...parameters) => call('recordSearch', parameters),
    searches: () => call('searches', []),
    settings: (...parameters) => call('settings', parameters),
    putSetting: (...parameters) => call('putSetting', parameters),
    deleteSetting: (...parameters) => call('deleteSetting', parameters),
  };
};

const untilSettled = async <T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> => {
  try {
    const errorFor = () => new StoreUnavailable('aborted', 'Cannot call the memory object: the caller aborted');
    return await withDeadline(() => answer, { signal, errorFor });
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable('unavailable', 'Cannot call the memory object of a workspace', { cause: error });
  }
};

/** The replay store in the Durable Object of the workspace: one place for all isolates, also when the memories are in Upstash. */
export const ledgerReplay = (ledgerOf: (workspace: string) => Pick<RemoteLedger, 'isFirstCall'>): ReplayStore => ({
  isFirst: (linkHash, { workspace, ...options }) =>
    withDeadline(() => ledgerOf(workspace).isFirstCall(linkHash, options), {
      signal: AbortSignal.timeout(LEDGER_MS),
      reason: 'the ledger did not answer',
    }),
});

/** Recording a call takes a few milliseconds, some hundred when the object has to start. */
const LEDGER_MS = 2000;
