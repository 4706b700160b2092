import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { Memory, MemoryDegradation, MemoryInput, MemoryStored } from '../contract/memory.ts';
import { describeCause, type Log } from '../runtime/log.ts';
import { SettingRefused } from '../runtime/service-address.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { StoreUnavailable } from '../storage/store-unavailable.ts';

export interface StoringParts {
  store: MemoryStore;
  /** Embeds memories without the cache of queries, which would outlive an erasure. */
  embeddings?: EmbeddingProvider | undefined;
  /** Upper bound of a workspace; concurrent calls may exceed it by a few. */
  maxMemories: number;
  newId: () => string;
  now: () => number;
  log: Log;
}

/** `isFull`: the workspace has no room for any memory. */
type Storing = { ok: true; value: MemoryStored } | { ok: false; problem: string; isFull?: true };

/**
 * Stores a memory with its vector. When the model or the index fails, it is stored without one: it is found by its words then, and the
 * response says so.
 *
 * @throws {StoreUnavailable} When the memory could not be stored at all.
 */
export const storeMemory = async (
  { related_to: relatedTo, confidence = 1, ...input }: MemoryInput,
  { store, workspaceId, signal, timeoutMs, ...parts }: StoringParts & StoringRequest,
): Promise<Storing> => {
  const { maxMemories, newId, now } = parts;
  const memory: Memory = {
    ...input,
    id: newId(),
    workspace_id: workspaceId,
    confidence,
    created_at: new Date(now()).toISOString(),
  };
  const endsAtMs = now() + timeoutMs;
  /** Aborts after half of the remaining time or a few seconds, since later steps need time too. */
  const stepSignal = () => AbortSignal.any([signal, AbortSignal.timeout(shareOf(endsAtMs - now()))]);
  const [count, embedded] = await Promise.all([
    store.count(workspaceId, { signal }),
    embed(memory.content, { ...parts, signal: stepSignal() }),
  ]);
  if (count >= maxMemories)
    return {
      ok: false,
      isFull: true,
      problem: `Cannot store the memory: the workspace has ${count} memories, ${maxMemories} are allowed`,
    };
  const { isStored, degraded } = await put(memory, {
    store,
    relatedTo,
    signal,
    stepSignal,
    log: parts.log,
    now,
    ...embedded,
  });
  if (isStored) return { ok: true, value: { memory, ...(degraded.length === 0 ? {} : { degraded }) } };
  const missing = await missingOf(relatedTo ?? [], (id) => store.get(workspaceId, id, { signal }));
  return { ok: false, problem: `Cannot store the memory: related_to names ${missing}, which is not in this workspace` };
};

interface StoringRequest {
  workspaceId: string;
  signal: AbortSignal;
  timeoutMs: number;
}

const shareOf = (leftMs: number): number => Math.max(1, Math.floor(Math.min(leftMs / 2, MAX_STEP_MS)));
const MAX_STEP_MS = 4000;

type Embedded = { vector?: number[] | undefined; degraded: MemoryDegradation[] };

const embed = async (
  content: string,
  { embeddings, log, now, signal }: Pick<StoringParts, 'embeddings' | 'log' | 'now'> & { signal: AbortSignal },
): Promise<Embedded> => {
  if (embeddings === undefined) return { degraded: [] };
  try {
    return { vector: await embeddings.embed(content, { signal }), degraded: [] };
  } catch (error) {
    logFault(log, { error, now: now(), where: 'embed a memory' });
    return { degraded: ['embeddings'] };
  }
};

const put = async (
  memory: Memory,
  options: Embedded & {
    store: MemoryStore;
    relatedTo: MemoryInput['related_to'];
    signal: AbortSignal;
    stepSignal: () => AbortSignal;
    log: Log;
    now: () => number;
  },
): Promise<{ isStored: boolean; degraded: MemoryDegradation[] }> => {
  const { store, vector, relatedTo, degraded, signal, stepSignal, log, now } = options;
  try {
    const within = vector === undefined ? signal : stepSignal();
    return { isStored: await store.put(memory, { vector, relatedTo, signal: within }), degraded };
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || vector === undefined || signal.aborted) throw error;
    logFault(log, { error, now: now(), where: 'store a vector' });
    // The same id: there is one memory, whatever the first attempt has stored.
    return { isStored: await store.put(memory, { relatedTo, signal }), degraded: ['vectors'] };
  }
};

const missingOf = async (
  relatedTo: readonly { memory_id: string }[],
  find: (id: string) => Promise<Memory | undefined>,
): Promise<string> => {
  const found = await Promise.all(relatedTo.map(({ memory_id }) => find(memory_id)));
  const missing = relatedTo.filter((_, at) => found[at] === undefined).map(({ memory_id }) => memory_id);
  return missing.slice(0, 5).join(', ') || 'a memory';
};

const logFault = (log: Log, { error, now, where }: { error: unknown; now: number; where: string }): void =>
  log({
    event: 'fault',
    time: now,
    librarian: 'memory',
    where,
    code: 'SERVICE_UNAVAILABLE',
    cause: describeCause(error),
  });

/** Measured capacity of the back ends (docs/memory.md). */
const DEFAULTS = { embedded: 10_000, upstash: 50_000 };
const MOST = 10_000_000;

/**
 * The upper bound of memories in a workspace: the variable's value, else the capacity of the back end.
 *
 * @throws {SettingRefused} For anything but a whole number from 1 to 10,000,000.
 */
export const readMaxMemories = (text = '', backEnd: keyof typeof DEFAULTS): number => {
  if (text.trim() === '') return DEFAULTS[backEnd];
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count;
  throw new SettingRefused('Cannot use MAX_MEMORIES: it is not a whole number from 1 to 10,000,000');
};
