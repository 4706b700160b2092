import type { MemoryStats } from '../../contract/wire/memory.ts';
import type { ReplayStore } from '../../platform/context/verify-context.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { callStore } from '../../platform/rpc/call-store.ts';
import { type ObjectMethods, type Remote, remoteStore } from '../../platform/rpc/remote-store.ts';
import { migrate, type Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { MemoryStore } from './memory-store.ts';

const STORE_METHODS = [
  'put',
  'get',
  'count',
  'surplusTurns',
  'list',
  'delete',
  'erase',
  'searchMemories',
  'getMemoryRelationships',
  'relationshipsOf',
] as const satisfies (keyof MemoryStore)[];
const LEDGER_METHODS = [
  'isFirstCall',
  'recordSearch',
  'searches',
  'settings',
  'putSetting',
  'deleteSetting',
] as const satisfies (keyof Ledger)[];

/** The RPC methods of the object; no other member can be called from outside. */
export const MEMORY_METHODS = [...STORE_METHODS, ...LEDGER_METHODS] as const;

/** A ledger in a Durable Object. */
export type RemoteLedger = Remote<Ledger>;

/** The memory store in the Durable Object of each workspace. Signals are not transferred: an aborted caller stops waiting. */
export function remoteMemoryStore(
  stub: (workspace: string) => ObjectMethods<MemoryStore>,
): MemoryStore {
  const at = (workspace: string) =>
    remoteStore<MemoryStore, keyof MemoryStore>(STORE_METHODS, { workspace, stub });
  return {
    put: (memory, { vector, relatedTo, signal }) =>
      untilSettled(at(memory.workspace_id).put(memory, { vector, relatedTo }), signal),
    get: (workspace, id, options) =>
      untilSettled(at(workspace).get(workspace, id), options?.signal),
    count: (workspace, of, options) =>
      untilSettled(at(workspace).count(workspace, of), options?.signal),
    surplusTurns: (workspace, limits, options) =>
      untilSettled(at(workspace).surplusTurns(workspace, limits), options?.signal),
    list: (workspace, listing, options) =>
      untilSettled(at(workspace).list(workspace, listing), options?.signal),
    delete: (workspace, id, options) =>
      untilSettled(at(workspace).delete(workspace, id), options?.signal),
    erase: (workspace, ids, options) =>
      untilSettled(at(workspace).erase(workspace, ids), options?.signal),
    searchMemories: (workspace, query, options) =>
      untilSettled(at(workspace).searchMemories(workspace, query), options?.signal),
    getMemoryRelationships: (id, workspace, options) =>
      untilSettled(at(workspace).getMemoryRelationships(id, workspace), options?.signal),
    relationshipsOf: (ids, workspace, options) =>
      untilSettled(at(workspace).relationshipsOf(ids, workspace), options?.signal),
  };
}

export function remoteLedger(
  stub: (workspace: string) => ObjectMethods<Ledger>,
  workspace: string,
): RemoteLedger {
  return remoteStore<Ledger, keyof Ledger>(LEDGER_METHODS, {
    workspace,
    stub,
    failure: unavailable,
  });
}

const untilSettled = async <T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> => {
  try {
    const errorFor = () =>
      new StoreUnavailable('aborted', 'Cannot call the memory object: the caller aborted');
    return await withDeadline(() => answer, { signal, errorFor });
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : unavailable(error);
  }
};

const unavailable = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable('unavailable', 'Cannot call the memory object of a workspace', { cause });

/** The replay store in the Durable Object of the workspace: one place for all isolates, also when the memories are in Upstash. */
export function ledgerReplay(
  ledgerOf: (workspace: string) => Pick<RemoteLedger, 'isFirstCall'>,
): ReplayStore {
  return {
    isFirst: (linkHash, { workspace, ...options }) =>
      withDeadline(() => ledgerOf(workspace).isFirstCall(linkHash, options), {
        signal: AbortSignal.timeout(LEDGER_MS),
        reason: 'the ledger did not answer',
      }),
  };
}

/** Recording a call takes a few milliseconds, some hundred when the object has to start. */
const LEDGER_MS = 2000;

/** The outcome of a search or a context, without query and results. */
interface SearchOutcome {
  outcome: 'found' | 'empty' | 'failed';
  degraded: boolean;
  durationMs: number;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** Seen calls, search counters, and stored context templates and rankers of a workspace. */
export interface Ledger {
  /** Records a writing call by the hash of its link; false when the hash is already recorded. */
  isFirstCall(linkHash: string, options: { ttlSeconds: number; nowMs: number }): boolean;
  recordSearch(search: SearchOutcome): void;
  searches(): MemoryStats['searches'];
  /** By name. */
  settings(kind: SettingKind): { name: string; value: string }[];
  /** Stores or replaces a setting; false when there are `MAX_SETTINGS` others. */
  putSetting(kind: SettingKind, name: string, value: string): boolean;
  /** False when there was none. */
  deleteSetting(kind: SettingKind, name: string): boolean;
}

/** What a workspace stores for contexts: JSON by name. */
export type SettingKind = 'template' | 'ranker';
/** Limit of each kind. */
export const MAX_SETTINGS = 50;

export function createLedger(sql: Sql): Ledger {
  migrate(sql, 'ledger', [
    TABLES.map((table) => `CREATE TABLE IF NOT EXISTS ${table}`),
    [SETTINGS],
  ]);
  const calls = callStore(sql);
  const add = (name: string): void =>
    sql.run(
      'INSERT INTO counters (name, count) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1',
      name,
    );
  const others = (kind: SettingKind, name: string): number =>
    sql.all('SELECT name FROM context_settings WHERE kind = ? AND name <> ?', kind, name).length;
  return {
    settings: (kind) =>
      sql.all('SELECT name, value FROM context_settings WHERE kind = ? ORDER BY name', kind),
    putSetting: (kind, name, value) =>
      sql.transaction(() => {
        if (others(kind, name) >= MAX_SETTINGS) return false;
        sql.run(
          'INSERT OR REPLACE INTO context_settings (kind, name, value) VALUES (?, ?, ?)',
          kind,
          name,
          value,
        );
        return true;
      }),
    deleteSetting: (kind, name) =>
      sql.all('DELETE FROM context_settings WHERE kind = ? AND name = ? RETURNING name', kind, name)
        .length > 0,
    isFirstCall: (linkHash, options) => calls.isFirst(linkHash, options),
    recordSearch: ({ outcome, degraded, durationMs, nowMs }) =>
      sql.transaction(() => {
        sql.run('INSERT OR IGNORE INTO counters (name, count) VALUES (?, ?)', 'since', nowMs);
        add('count');
        if (outcome !== 'found') add(outcome);
        if (degraded) add('degraded');
        if (outcome !== 'failed') add(`${WITHIN}${String(boundOf(durationMs)).padStart(5, '0')}`);
      }),
    searches: () => {
      const counters = new Map(
        sql
          .all<{ name: string; count: number }>('SELECT name, count FROM counters ORDER BY name')
          .map(({ name, count }) => [name, count]),
      );
      const [count = 0, empty = 0, failed = 0, degraded = 0] = [
        'count',
        'empty',
        'failed',
        'degraded',
      ].map((name) => counters.get(name));
      const since = counters.get('since');
      const within = [...counters].flatMap(([name, times]) =>
        name.startsWith(WITHIN) ? [{ ms: Number(name.slice(WITHIN.length)), times }] : [],
      );
      return {
        count,
        empty,
        degraded,
        failed,
        ...(within.length === 0
          ? {}
          : { latency_ms: { p50: quantile(within, 0.5), p95: quantile(within, 0.95) } }),
        ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
      };
    },
  };
}

const TABLES = [
  // Hashes of the links of writing calls, until their contexts expire.
  'calls (link TEXT PRIMARY KEY, until INTEGER NOT NULL)',
  // Counters by name; `within 00010` counts searches that took at most 10 ms and more than the previous bound.
  'counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL)',
];

const SETTINGS =
  'CREATE TABLE context_settings (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, name))';

const WITHIN = 'within ';

/** Upper bounds in milliseconds; longer searches count as the last one. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000];

const boundOf = (ms: number): number => BOUNDS.find((bound) => ms <= bound) ?? BOUNDS.at(-1) ?? 0;

const quantile = (within: readonly { ms: number; times: number }[], share: number): number => {
  const all = within.reduce((sum, { times }) => sum + times, 0);
  let seen = 0;
  for (const { ms, times } of within) {
    seen += times;
    if (seen >= all * share) return ms;
  }
  return within.at(-1)?.ms ?? 0;
};
