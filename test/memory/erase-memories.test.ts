import { beforeEach, describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/wire/memory.ts';
import type { MemoryStore } from '../../src/memory/store/memory-store.ts';
import { deleteMemory, embeddedTexts, eraseMemories } from '../../src/memory/store/store-memory.ts';
import { StoreUnavailable } from '../../src/platform/storage/store-unavailable.ts';
import { embeddedStore } from './store/memory-stores.ts';

let store: MemoryStore;
let forgotten: string[];
beforeEach(async () => {
  ({ store } = await embeddedStore());
  forgotten = [];
});

let minute = 0;
const memory = (content: string, changes: Partial<Memory> = {}): Memory => ({
  id: content.slice(0, 20).replace(/\s/g, '-'),
  workspace_id: 'acme',
  type: 'question',
  content,
  confidence: 1,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString(),
  ...changes,
});

const put = async (id: string, changes: Partial<Memory> = {}): Promise<void> => {
  const created_at = new Date(Date.UTC(2026, 0, 1) + Number(id.slice(1)) * 1000).toISOString();
  const saved = memory(` ${id} `, {
    id,
    conversation_id: 'c',
    person_id: 'p',
    created_at,
    ...changes,
  });
  expect(await store.put(saved, {})).toBe(true);
};
const parts = () => ({
  store,
  audiences: [],
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
      // Three answers between two questions.
      for (const name of ['a', 'b', 'd']) await put(`${name}${index}`, { type: 'answer' });
    }
    expect(await eraseMemories({ conversationId: 'c' }, parts())).toBe(480);
    expect(await store.count('acme', { turns: false })).toBe(0);
    for (let index = 0; index < 120; index++) expect(forgotten).toContain(`q${index}`);
    for (let index = 1; index < 120; index++)
      expect(forgotten).toContain(`q${index - 1}\nq${index}`);
  });
  it('counts what the caller may read, and erases everything', async () => {
    await put('q1');
    await put('q2', { metadata: { asked_with: ['legal'] } });
    expect(await eraseMemories({ personId: 'p' }, parts())).toBe(1);
    expect(await store.count('acme', { turns: false })).toBe(0);
    await put('q3', { metadata: { asked_with: ['legal'] } });
    expect(await eraseMemories({ personId: 'p' }, { ...parts(), audiences: ['*'] })).toBe(1);
  });
  it('erases a memory only after its embeddings are dropped, also when a batch ends early', async () => {
    for (let index = 0; index < 12; index++) await put(`q${index}`);
    const known = store;
    const few = async (...[workspaceId, query, options]: Parameters<MemoryStore['list']>) => {
      return known.list(workspaceId, { ...query, limit: Math.min(query.limit, 5) }, options);
    };
    const erase = async (...[workspaceId, ids, options]: Parameters<MemoryStore['erase']>) => {
      for (const id of ids) expect(forgotten).toContain(id);
      return known.erase(workspaceId, ids, options);
    };
    expect(
      await eraseMemories({ personId: 'p' }, { ...parts(), store: { ...known, list: few, erase } }),
    ).toBe(12);
  });
  it('erases nothing when the caches fail, and everything when repeated', async () => {
    await put('q1');
    const failing = async () =>
      Promise.reject(new StoreUnavailable('unavailable', 'Cannot forget embeddings'));
    const broken = eraseMemories({ personId: 'p' }, { ...parts(), forgetEmbeddings: failing });
    await expect(broken).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await store.count('acme', { turns: false })).toBe(1);
    expect(await eraseMemories({ personId: 'p' }, parts())).toBe(1);
  });
});

it('deleteMemory() drops the embeddings of the questions before and after it', async () => {
  for (const id of ['q1', 'q2', 'q3', 'q4']) await put(id);
  expect(await deleteMemory('q2', parts())).toBe(true);
  const inFull = ['q1 q2', 'q2 q3', 'q1 q2 q3', 'q2 q3 q4'];
  expect(forgotten.toSorted()).toEqual(
    [...inFull, 'q2', 'q1\nq2', 'q2\nq3', 'q1 q2\nq3', 'q2 q3\nq4'].toSorted(),
  );
  expect(await deleteMemory('q2', parts())).toBe(false);
});

describe('embeddedTexts()', () => {
  const long = `${'word '.repeat(600)}end`;
  const question = memory('And the II?', {
    metadata: { understood_as: 'Is the fan of the Apollo II loud?' },
  });
  it.each([
    [
      'the trimmed content of a memory',
      memory('  The fan is loud.\n', { type: 'fact' }),
      ['The fan is loud.'],
    ],
    [
      'the standalone form of a question',
      question,
      ['And the II?', 'Is the fan of the Apollo II loud?'],
    ],
    ['the embedded beginning of a long question', memory(long), [long, long.slice(0, 2000)]],
    ['no text that is too long for a query', memory('x'.repeat(4001)), []],
  ])('contains %s', (_, erased, texts) => expect(embeddedTexts([erased])).toEqual(texts));
  const inTurn = (text: string, changes: Partial<Memory> = {}) =>
    memory(text, { conversation_id: 'c', ...changes });
  it('contains a question combined with the previous ones of its conversation, in the order of time', () => {
    const [first, answer] = [inTurn('one'), inTurn('an answer', { type: 'answer' })];
    const second = inTurn('two', { metadata: { understood_as: 'two of one' } });
    const [third, elsewhere] = [inTurn('three'), memory('elsewhere', { conversation_id: 'd' })];
    const texts = embeddedTexts([third, elsewhere, second, answer, first]);
    const combined = ['one\ntwo', 'one\ntwo of one', 'two\nthree', 'two of one\nthree'];
    expect(texts.filter((text) => text.includes('\n')).toSorted()).toEqual(
      [...combined, 'one two\nthree', 'one two of one\nthree'].toSorted(),
    );
  });
  it('contains adjacent questions only in combination with erased ones', () => {
    const [first, second, third] = [inTurn('one'), inTurn('two'), inTurn('three')];
    const inFull = ['one two', 'two three', 'one two three'];
    const around = ['one\ntwo', 'two', 'two\nthree', 'one two\nthree', ...inFull];
    expect(embeddedTexts([second], [third, first]).toSorted()).toEqual(around.toSorted());
    const after = ['one', 'one\ntwo', 'one two\nthree', 'one two', 'one two three'];
    expect(embeddedTexts([first], [third, second]).toSorted()).toEqual(after.toSorted());
  });
});
