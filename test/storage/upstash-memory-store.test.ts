import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { encodeText } from '../../src/storage/memory-place.ts';
import { newMemory, newWorkspace, pointing } from './describe-memory-store.ts';
import { eraseAll, upstashStore } from './memory-stores.ts';

let made: Awaited<ReturnType<typeof upstashStore>>;
let workspace: string;
let nowMs: number;

beforeAll(async () => {
  made = await upstashStore({ indexingDelayMs: Number.POSITIVE_INFINITY, now: () => nowMs });
});
afterAll(() => made?.stop());
beforeEach(() => {
  workspace = newWorkspace();
  nowMs = Date.UTC(2026, 10, 1);
});
afterEach(() => {
  made.redis.faults.none();
  made.vector.faults.none();
});

const put = async (changes: Partial<Memory> = {}, vector?: number[]): Promise<Memory> => {
  const memory = newMemory({ workspace_id: workspace, ...changes });
  expect(await made.store.put(memory, { vector })).toBe(true);
  return memory;
};

const found = async (vector: number[]): Promise<string[]> => {
  const results = await made.store.searchMemories(workspace, { vector, limit: 10 });
  return results.map(({ memory }) => memory.id);
};

/** Asks Redis itself, by its own protocol. */
const command = async (...words: string[]): Promise<unknown> => {
  const { redis } = made;
  const headers = { authorization: `Bearer ${redis.token}` };
  const response = await fetch(redis.url, { method: 'POST', headers, body: JSON.stringify(words) });
  return ((await response.json()) as { result: unknown }).result;
};

/** Whatever there is of the workspace. */
const keys = async (): Promise<string[]> => ((await command('KEYS', `memory:${workspace}:*`)) as string[]).toSorted();

/** Ids that the vector index holds of the workspace, whether queries see them or not. */
const vectors = async (): Promise<string[]> => {
  const { vector } = made;
  const response = await fetch(`${vector.url}/range/memory_${workspace}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${vector.token}` },
    body: JSON.stringify({ cursor: '0', limit: 100 }),
  });
  const { result } = (await response.json()) as { result?: { vectors: { id: string }[] } };
  return (result?.vectors ?? []).map(({ id }) => id);
};

/** Stores a vector behind the back of the store. */
const landLate = async ({ id }: Memory): Promise<void> => {
  const { vector } = made;
  await fetch(`${vector.url}/upsert/memory_${workspace}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${vector.token}` },
    body: JSON.stringify([{ id: encodeText(id), vector: pointing(1) }]),
  });
};

const DECODINGS = ['base64url', 'base64', 'hex'] as const;
const decoded = (text: string, form: (typeof DECODINGS)[number]): string => Buffer.from(text, form).toString('latin1');

describe('upstashMemoryStore() over an index that is behind', () => {
  it('finds by vector what was stored before the index knows it, and afterwards', async () => {
    const memory = await put({}, pointing(1));
    expect(await found(pointing(1))).toEqual([memory.id]);
    made.vector.finishIndexing();
    expect(await found(pointing(1))).toEqual([memory.id]);
  });

  it('does not find again what was deleted, although its vector is still found', async () => {
    const memory = await put({}, pointing(1));
    const kept = await put({}, pointing(0.5, 1));
    made.vector.finishIndexing();
    expect(await made.store.delete(workspace, memory.id)).toBe(true);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });

  it('finds as many as are wanted although the first hits are all gone', async () => {
    const gone = [];
    for (let index = 0; index < 60; index++) gone.push(await put({ person_id: 'p' }, pointing(1, index / 1000)));
    const kept = await put({}, pointing(1, 1));
    made.vector.finishIndexing();
    await eraseAll(made.store, workspace, { personId: 'p' });
    // As after some minutes, when only the index knows it.
    await command('DEL', `memory:${workspace}:fresh`);
    expect(await found(pointing(1))).toEqual([kept.id]);
  });

  it('does not take the vector of a memory that is gone for that of one with its id', async () => {
    const memory = await put({ id: 'same' }, pointing(1));
    made.vector.finishIndexing();
    await made.store.delete(workspace, memory.id);
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' });
    expect(await found(pointing(1))).toEqual([]);
  });
});

describe('upstashMemoryStore() when a service fails in between', () => {
  it('has the memory once when storing was cut off anywhere and is repeated', async () => {
    for (const service of ['redis', 'vector'] as const) {
      for (const executed of [true, false]) {
        const memory = newMemory({ workspace_id: workspace, content: `Cut off at ${service}.` });
        // Both attempts of the first call.
        made[service].faults.next(2, { kind: 'reset', executed });
        await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({ reason: 'unavailable' });
        expect(await made.store.put(memory, { vector: pointing(1) })).toBe(true);
        const { memories } = await made.store.list(workspace, { limit: 10 });
        expect(memories.filter(({ id }) => id === memory.id)).toHaveLength(1);
        expect(await vectors()).toContain(encodeText(memory.id));
      }
    }
  });

  it('keeps a memory by its words when its vector could not be stored', async () => {
    const memory = newMemory({ workspace_id: workspace, content: 'A zeppelin.' });
    made.vector.faults.always({ kind: 'status', status: 500 });
    await expect(made.store.put(memory, { vector: pointing(1) })).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await made.store.put(memory, {})).toBe(true);
    const results = await made.store.searchMemories(workspace, { text: 'zeppelin', limit: 1 });
    expect(results[0]?.memory).toEqual(memory);
  });

  it('shows nothing of what was to be erased once Redis has forgotten it, and removes the vectors when it is repeated', async () => {
    await put({ person_id: 'p' }, pointing(1));
    await put({ person_id: 'p' }, pointing(1));
    made.vector.finishIndexing();
    made.vector.faults.always({ kind: 'html-502' }, /^\/delete/);
    await expect(eraseAll(made.store, workspace, { personId: 'p' })).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await found(pointing(1))).toEqual([]);
    expect(await made.store.count(workspace)).toBe(0);
    expect(await vectors()).toHaveLength(2);
    made.vector.faults.none();
    expect(await eraseAll(made.store, workspace, { personId: 'p' })).toEqual([]);
    expect(await vectors()).toEqual([]);
  });

  it('removes the vectors that an erasure left behind with the next removal of anything', async () => {
    const memory = await put({}, pointing(1));
    made.vector.faults.next(2, { kind: 'reset' }, /^\/delete/);
    await expect(made.store.delete(workspace, memory.id)).rejects.toMatchObject({ reason: 'unavailable' });
    await made.store.delete(workspace, 'another');
    expect(await vectors()).toEqual([]);
  });

  it('removes a vector that landed after its memory was erased, once nothing can be under way any more', async () => {
    const memory = await put({ person_id: 'p' }, pointing(1));
    await eraseAll(made.store, workspace, { personId: 'p' });
    // The client had given it up, the service had not.
    await landLate(memory);
    nowMs += 100_000;
    await put({}, pointing(0, 1));
    expect(await vectors()).toContain(encodeText(memory.id));
    nowMs += 81_000;
    const kept = await put({}, pointing(0, 1));
    expect(await vectors()).toContain(encodeText(kept.id));
    expect(await vectors()).not.toContain(encodeText(memory.id));
  });

  it('keeps the vector of a memory that has the id of one that was erased', async () => {
    await put({ id: 'same' }, pointing(1));
    await made.store.delete(workspace, 'same');
    await put({ id: 'same', created_at: '2026-11-02T10:00:00.000Z' }, pointing(1));
    nowMs += 400_000;
    await made.store.erase(workspace, []);
    expect(await vectors()).toEqual([encodeText('same')]);
  });

  it('says what was removed although the reply was lost', async () => {
    const memories = [];
    for (let index = 0; index < 10; index++) memories.push(await put({ person_id: 'p' }));
    const ids = memories.map(({ id }) => id);
    made.redis.faults.next(1, { kind: 'reset', executed: true });
    expect(await made.store.delete(workspace, ids[0] ?? '')).toBe(true);
    made.redis.faults.next(1, { kind: 'reset', executed: true });
    expect((await made.store.erase(workspace, ids)).toSorted()).toEqual(ids.slice(1).toSorted());
    expect(await made.store.delete(workspace, ids[0] ?? '')).toBe(false);
  });

  it.each([
    ['slow', { kind: 'hang-before-headers' }, 'unavailable'],
    ['refusing the token', { kind: 'status', status: 401 }, 'refused'],
    ['out of its quota', { kind: 'status', status: 429 }, 'rate_limited'],
    ['behind a proxy that cannot reach it', { kind: 'html-502' }, 'unavailable'],
    ['answering without JSON', { kind: 'malformed-json' }, 'malformed'],
    ['cut off half-way', { kind: 'truncated-json' }, 'malformed'],
  ] as const)('throws StoreUnavailable without a value in it when Redis is %s', async (_, fault, reason) => {
    made.redis.faults.always(fault);
    const error = await made.store
      .searchMemories(workspace, { text: 'a secret word', limit: 10 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreUnavailable', reason });
    expect(JSON.stringify(error, ['message', 'cause', 'stack'])).not.toMatch(/secret/);
  });

  it('gives up at once when its caller does', async () => {
    made.redis.faults.always({ kind: 'hang-before-headers' });
    const options = { signal: AbortSignal.timeout(20) };
    const started = performance.now();
    await expect(made.store.get(workspace, 'm', options)).rejects.toMatchObject({ reason: 'aborted' });
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('upstashMemoryStore() in Redis', () => {
  it('leaves nothing behind when all of a person is erased', async () => {
    const first = await put({ person_id: 'p', conversation_id: 'c' }, pointing(1));
    const second = newMemory({ workspace_id: workspace, person_id: 'p' });
    await made.store.put(second, { relatedTo: [{ memory_id: first.id, type: 'supports' }] });
    await eraseAll(made.store, workspace, { personId: 'p' });
    // What removed it, for a minute, and that its vectors went, until nothing can be under way any more.
    expect((await keys()).filter((key) => !/:(outcome:[0-9a-f-]{36}|removed)$/.test(key))).toEqual([]);
    expect(await vectors()).toEqual([]);
    nowMs += 181_000;
    await made.store.erase(workspace, []);
    expect((await keys()).filter((key) => !/:outcome:[0-9a-f-]{36}$/.test(key))).toEqual([]);
    for (const key of await keys()) {
      expect(await command('TTL', key)).toBeGreaterThan(0);
      expect(await command('TTL', key)).toBeLessThanOrEqual(60);
    }
  });

  it('names no text, type, person or conversation in a key', async () => {
    const texts = {
      content: 'Zeppelin espresso',
      type: 'gossip',
      person_id: 'ann@example.com',
      conversation_id: 'chat*?',
    };
    await put(texts, pointing(1));
    const all = await keys();
    expect(all.join('\n')).toMatch(/^[A-Za-z0-9_:\n-]+$/);
    expect(all.filter((key) => /:(person|conversation|type|word):/.test(key))).toHaveLength(5);
    // As it stands there, and in whatever encoding it could be turned back from.
    const read = all
      .flatMap((key) => key.split(':'))
      .flatMap((part) => [part, ...DECODINGS.map((form) => decoded(part, form))]);
    expect(read.join('\n')).not.toMatch(/zeppelin|espresso|gossip|example|chat/i);
  });
});
