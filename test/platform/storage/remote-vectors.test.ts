import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Memory } from '../../../src/contract/wire/memory.ts';
import { encodeText, vectorMetadataOf } from '../../../src/memory/store/memory-store.ts';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';
import {
  DIMENSIONS,
  eraseAll,
  newMemory,
  newWorkspace,
  pointing,
  upstashStore,
} from '../../memory/store/memory-stores.ts';

let made: Awaited<ReturnType<typeof upstashStore>>;
let workspace: string;
let nowMs: number;

beforeAll(async () => {
  made = await upstashStore({
    indexingDelayMs: Number.POSITIVE_INFINITY,
    timeoutMs: 2000,
    now: () => nowMs,
  });
});
afterAll(() => made?.stop());
beforeEach(() => {
  workspace = newWorkspace();
  nowMs = Date.UTC(2026, 10, 1);
});
afterEach(() => {
  made.vector.faults.none();
});

const put = async (changes: Partial<Memory> = {}, vector?: number[]): Promise<Memory> => {
  const memory = newMemory({ workspace_id: workspace, ...changes });
  expect(await made.store.put(memory, { vector })).toBe(true);
  return memory;
};

const erasePerson = () => eraseAll(made.store, workspace, { personId: 'p' });

const found = async (vector: number[]): Promise<string[]> => {
  const results = await made.store.searchMemories(workspace, { vector, limit: 10 });
  return results.map(({ memory }) => memory.id);
};

/** Sends a request to the vector index directly. */
const send = async (path: string, body: unknown): Promise<unknown> => {
  const headers = { authorization: `Bearer ${made.vector.token}` };
  const response = await fetch(`${made.vector.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { result: unknown }).result;
};

/** Ids of the vectors in the database of the workspace. */
const copies = (): string[] =>
  made
    .databaseOf(workspace)
    .all<{ id: string }>('SELECT id FROM vector_record')
    .map(({ id }) => id);

/** What the alarm of the workspace's object does. */
const runAlarm = () => made.objectOf(workspace).removeExpired();

/** All ids in the workspace's vector index, indexed or not. */
const vectors = async (): Promise<string[]> => {
  const body = { cursor: '0', limit: 100 };
  const range = await send(`/range/memory_${workspace}`, body);
  return ((range as { vectors?: { id: string }[] } | undefined)?.vectors ?? []).map(({ id }) => id);
};
/** Upserts a vector directly, like a delayed request. */
const upsertLate = ({ id }: Memory) =>
  send(`/upsert/memory_${workspace}`, [{ id: encodeText(id), vector: pointing(1) }]);

describe('sqlMemoryStore() with a remote index that lags', () => {
  it('finds a new memory by vector before and after it is indexed', async () => {
    const memory = await put({}, pointing(1));
    expect(await found(pointing(1))).toEqual([memory.id]);
    made.vector.finishIndexing();
    expect(await found(pointing(1))).toEqual([memory.id]);
  });
  it('does not return a deleted memory while the index still finds its vector', async () => {
    const memory = await put({}, pointing(1));
    const kept = await put({}, pointing(0.5, 1));
    made.vector.finishIndexing();
    expect(await made.store.delete(workspace, memory.id)).toBe(true);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });
  it('returns enough memories when the first hits were all removed', async () => {
    const gone = [];
    for (let index = 0; index < 60; index++)
      gone.push(await put({ person_id: 'p' }, pointing(1, index / 1000)));
    const kept = await put({}, pointing(1, 1));
    made.vector.finishIndexing();
    await erasePerson();
    // After three minutes the memory is only in the index.
    nowMs += 180_000;
    await runAlarm();
    expect(copies()).toEqual([]);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });
  it('ignores the vector of an earlier memory with the same id', async () => {
    const memory = await put({ id: 'same' }, pointing(1));
    made.vector.finishIndexing();
    await made.store.delete(workspace, memory.id);
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' });
    expect(await found(pointing(1))).toEqual([]);
  });
  it('keeps a copy of a vector for three minutes, until the index finds it', async () => {
    const memory = await put({}, pointing(1));
    made.vector.finishIndexing();
    expect(made.objectOf(workspace).nextRemoval()).toBe(nowMs + 180_000);
    nowMs += 179_000;
    await runAlarm();
    expect(copies()).toEqual([encodeText(memory.id)]);
    nowMs += 1000;
    await runAlarm();
    expect(copies()).toEqual([]);
    expect(await found(pointing(1))).toEqual([memory.id]);
    expect(made.objectOf(workspace).nextRemoval()).toBeUndefined();
  });
  it('finds and erases the vectors of before there was a remote index', async () => {
    const memory = await put({ person_id: 'p' });
    sqlVectorIndex(made.databaseOf(workspace), {
      namespace: 'memory',
      dimensions: DIMENSIONS,
    }).upsert([
      { id: encodeText(memory.id), vector: pointing(1), metadata: vectorMetadataOf(memory) },
    ]);
    nowMs += 400_000;
    await runAlarm();
    expect(await found(pointing(1))).toEqual([memory.id]);
    await erasePerson();
    expect(copies()).toEqual([]);
  });
});

describe('sqlMemoryStore() when the remote index fails', () => {
  it('stores a memory once when an interrupted call is repeated', async () => {
    for (const executed of [true, false]) {
      const memory = newMemory({ workspace_id: workspace, content: 'Cut off.' });
      // Both attempts of the first call.
      made.vector.faults.next(2, { kind: 'reset', executed });
      await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({
        reason: 'unavailable',
      });
      expect(await made.store.put(memory, { vector: pointing(1) })).toBe(true);
      const { memories } = await made.store.list(workspace, { limit: 10 });
      expect(memories.filter(({ id }) => id === memory.id)).toHaveLength(1);
      expect(await vectors()).toContain(encodeText(memory.id));
    }
  });
  it('finds a memory by its words when its vector could not be stored, and by its meaning once the index is back', async () => {
    const memory = newMemory({ workspace_id: workspace, content: 'A zeppelin.' });
    made.vector.faults.always({ kind: 'status', status: 500 });
    await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({
      reason: 'unavailable',
    });
    expect(await made.store.put(memory, {})).toBe(true);
    const results = await made.store.searchMemories(workspace, { text: 'zeppelin', limit: 1 });
    expect(results[0]?.memory).toEqual(memory);
    made.vector.faults.none();
    // Its vector stays in the database.
    nowMs += 400_000;
    await runAlarm();
    expect(await found(pointing(1))).toEqual([memory.id]);
  });
  it('hides erased memories while their vectors remain, and deletes the vectors when the call is repeated', async () => {
    await put({ person_id: 'p' }, pointing(1));
    await put({ person_id: 'p' }, pointing(1));
    made.vector.finishIndexing();
    made.vector.faults.always({ kind: 'html-502' }, /^\/delete/);
    await expect(erasePerson()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await found(pointing(1))).toEqual([]);
    expect(await made.store.count(workspace, { turns: false })).toBe(0);
    expect(await vectors()).toHaveLength(2);
    made.vector.faults.none();
    expect(await erasePerson()).toEqual([]);
    expect(await vectors()).toEqual([]);
  });
  it('deletes the remaining vectors of an erasure with the next removal', async () => {
    const memory = await put({}, pointing(1));
    made.vector.faults.next(2, { kind: 'reset' }, /^\/delete/);
    await expect(made.store.delete(workspace, memory.id)).rejects.toMatchObject({
      reason: 'unavailable',
    });
    await made.store.delete(workspace, 'another');
    expect(await vectors()).toEqual([]);
  });
  it('deletes the remaining vectors of an erasure by itself, trying every minute', async () => {
    const memory = await put({}, pointing(1));
    made.vector.faults.always({ kind: 'status', status: 500 }, /^\/delete/);
    await expect(made.store.delete(workspace, memory.id)).rejects.toMatchObject({
      reason: 'unavailable',
    });
    const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await runAlarm();
    expect(lines.mock.calls.join()).toContain('"where":"delete vectors"');
    lines.mockRestore();
    expect(await vectors()).toHaveLength(1);
    const retryAt = nowMs + 60_000;
    expect(made.objectOf(workspace).nextRemoval()).toBe(retryAt);
    nowMs += 59_000;
    expect(made.objectOf(workspace).nextRemoval()).toBe(retryAt);
    made.vector.faults.none();
    await runAlarm();
    expect(await vectors()).toEqual([]);
  });
  it('deletes a vector that arrived after its memory was erased, once no upsert can be in flight', async () => {
    const memory = await put({ person_id: 'p' }, pointing(1));
    await erasePerson();
    // An upsert after the timeout of the client.
    await upsertLate(memory);
    nowMs += 100_000;
    await runAlarm();
    expect(await vectors()).toContain(encodeText(memory.id));
    expect(made.objectOf(workspace).nextRemoval()).toBe(nowMs + 80_000);
    nowMs += 81_000;
    const kept = await put({}, pointing(0, 1));
    await runAlarm();
    expect(await vectors()).toEqual([encodeText(kept.id)]);
  });
  it('keeps the vector of a memory with the id of an erased one', async () => {
    await put({ id: 'same' }, pointing(1));
    await made.store.delete(workspace, 'same');
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' }, pointing(1));
    nowMs += 400_000;
    await runAlarm();
    expect(await vectors()).toEqual([encodeText('same')]);
  });
  it('deletes the vector of a memory that is erased while its vector is being stored', async () => {
    const memory = newMemory({ workspace_id: workspace });
    const stored = made.store.put(memory, { vector: pointing(1) });
    expect(await made.store.delete(workspace, memory.id)).toBe(true);
    expect(await stored).toBe(true);
    expect(await vectors()).toEqual([]);
    expect(copies()).toEqual([]);
  });
});
