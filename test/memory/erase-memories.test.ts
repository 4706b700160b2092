import { beforeEach, describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import { deleteMemory, eraseMemories } from '../../src/memory/erase-memories.ts';
import type { MemoryStore } from '../../src/storage/memory-store.ts';
import { StoreUnavailable } from '../../src/storage/store-unavailable.ts';
import { embeddedStore } from '../storage/memory-stores.ts';

let store: MemoryStore;
let forgotten: string[];
beforeEach(async () => {
  ({ store } = await embeddedStore());
  forgotten = [];
});

const put = async (id: string, changes: Partial<Memory> = {}): Promise<void> => {
  const memory: Memory = {
    id,
    workspace_id: 'acme',
    type: 'question',
    content: ` ${id} `,
    confidence: 1,
    conversation_id: 'c',
    person_id: 'p',
    created_at: new Date(Date.UTC(2026, 0, 1) + Number(id.slice(1)) * 1000).toISOString(),
    ...changes,
  };
  expect(await store.put(memory, {})).toBe(true);
};
const parts = () => ({
  store,
  workspaceId: 'acme',
  signal: new AbortController().signal,
  forgetEmbeddings: async (texts: readonly string[]) => {
    forgotten.push(...texts);
  },
});

describe('eraseMemories()', () => {
  it('drops the cached embeddings of all erased questions, over all batches', async () => {
    for (let index = 0; index < 120; index++) {
      await put(`q${index}`);
      // Three others between a question and the next.
      for (const name of ['a', 'b', 'd']) await put(`${name}${index}`, { type: 'answer' });
    }
    expect(await eraseMemories({ conversationId: 'c' }, parts())).toBe(480);
    expect(await store.count('acme')).toBe(0);
    for (let index = 0; index < 120; index++) expect(forgotten).toContain(`q${index}`);
    for (let index = 1; index < 120; index++) expect(forgotten).toContain(`q${index - 1}\nq${index}`);
  });

  it('erases a memory only after its embeddings are dropped, also when a batch ends early', async () => {
    for (let index = 0; index < 12; index++) await put(`q${index}`);
    const known = store;
    const few = async (...[workspaceId, query, options]: Parameters<MemoryStore['list']>) => {
      const page = await known.list(workspaceId, { ...query, limit: Math.min(query.limit, 5) }, options);
      return page;
    };
    const erase = async (...[workspaceId, ids, options]: Parameters<MemoryStore['erase']>) => {
      for (const id of ids) expect(forgotten).toContain(id);
      return known.erase(workspaceId, ids, options);
    };
    expect(await eraseMemories({ personId: 'p' }, { ...parts(), store: { ...known, list: few, erase } })).toBe(12);
  });

  it('erases nothing when the caches fail, and everything when repeated', async () => {
    await put('q1');
    const failing = async () => Promise.reject(new StoreUnavailable('unavailable', 'Cannot forget embeddings'));
    const broken = eraseMemories({ personId: 'p' }, { ...parts(), forgetEmbeddings: failing });
    await expect(broken).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await store.count('acme')).toBe(1);
    expect(await eraseMemories({ personId: 'p' }, parts())).toBe(1);
  });
});

describe('deleteMemory()', () => {
  it('drops the embeddings of the questions before and after it', async () => {
    for (const id of ['q1', 'q2', 'q3', 'q4']) await put(id);
    expect(await deleteMemory('q2', parts())).toBe(true);
    expect(forgotten.toSorted()).toEqual(['q2', 'q1\nq2', 'q2\nq3', 'q1 q2\nq3', 'q2 q3\nq4'].toSorted());
    expect(await deleteMemory('q2', parts())).toBe(false);
  });
});
