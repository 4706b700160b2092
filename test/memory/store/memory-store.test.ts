import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Memory } from '../../../src/contract/wire/memory.ts';
import {
  ASKED_WITH,
  type MemoryListing,
  type MemoryQuery,
  type MemoryStore,
} from '../../../src/memory/store/memory-store.ts';
import {
  embeddedStore,
  eraseAll,
  newMemory,
  newWorkspace,
  pointing,
  upstashStore,
} from './memory-stores.ts';

const idsOf = (memories: Memory[]): string[] => memories.map(({ id }) => id).toSorted();
const at = (minute: number): string => new Date(Date.UTC(2026, 10, 1, 10, minute)).toISOString();

describe.each([
  ['embedded', embeddedStore],
  ['Upstash', upstashStore],
])('the %s memory store', (_, make) => {
  let made: Awaited<ReturnType<typeof make>>;
  let store: MemoryStore;
  let workspace: string;
  const put = async (
    changes: Partial<Memory> = {},
    options: Omit<Parameters<MemoryStore['put']>[1], 'signal'> = {},
  ): Promise<Memory> => {
    const memory = newMemory({ workspace_id: workspace, ...changes });
    expect(await store.put(memory, options)).toBe(true);
    return memory;
  };
  const search = async (query: Partial<MemoryQuery>) =>
    store.searchMemories(workspace, { limit: 10, ...query });
  const found = async (query: Partial<MemoryQuery>) =>
    (await search(query)).map(({ memory }) => memory.id);
  const list = async (query: Partial<MemoryListing> = {}) =>
    store.list(workspace, { limit: 10, ...query });
  const listed = async (query: Partial<MemoryListing> = {}) =>
    (await list(query)).memories.map(({ id }) => id);
  beforeAll(async () => {
    made = await make();
    store = made.store;
  });
  beforeEach(() => {
    workspace = newWorkspace();
  });
  afterAll(() => made?.stop());
  describe('put() and get()', () => {
    it('returns a memory as it was stored', async () => {
      const memory = await put({
        type: 'Entscheidung 決定',
        content: 'Zeile 1\nZeile "2" \u{1F980} {{content}} $& \\',
        confidence: 0.123456789,
        conversation_id: "c'1|:x/~",
        person_id: 'p"2*?[',
        metadata: { nested: [1, null, { deep: true }], text: '123' },
      });
      expect(await store.get(workspace, memory.id)).toEqual(memory);
      expect(await store.get(workspace, 'unknown')).toBeUndefined();
      expect(await store.count(workspace, { turns: false })).toBe(1);
    });
    it('accepts every id that the contract allows', async () => {
      const odd = ['!', '~'.repeat(128), '"\'`', '../../../../../../x', '*:?|', '%2F#&='];
      for (const id of odd)
        await put({ id, conversation_id: id, person_id: id }, { vector: pointing(1) });
      for (const id of odd) {
        expect((await store.get(workspace, id))?.id).toBe(id);
        expect(await listed({ conversationId: id })).toEqual([id]);
      }
      expect((await found({ vector: pointing(1) })).toSorted()).toEqual(odd.toSorted());
    });
  });
  describe('list()', () => {
    it('continues after the last memory of the previous page is deleted', async () => {
      for (let minute = 0; minute < 4; minute++)
        await put({ id: `m${minute}`, created_at: at(minute) });
      const { next } = await list({ limit: 2 });
      await store.delete(workspace, 'm2');
      await put({ id: 'm9', created_at: at(9) });
      expect(await listed({ cursor: next })).toEqual(['m1', 'm0']);
    });
    it('accepts any string as a cursor', async () => {
      await put();
      for (const cursor of ['', '(', '[', '-', '+', "' OR 1=1 --", '\u{1F980}'])
        expect((await list({ cursor })).memories.length).toBeLessThanOrEqual(1);
    });
  });
  describe('searchMemories()', () => {
    it('finds nothing by function words alone, and at most as many as asked for', async () => {
      const near = await put({}, { vector: pointing(1, 0.1) });
      await put({}, { vector: pointing(0, 1) });
      expect(await found({ vector: pointing(1), limit: 1 })).toEqual([near.id]);
      expect(await found({ text: 'the of and' })).toEqual([]);
    });
    it('finds words in other scripts and words with special characters', async () => {
      const memory = await put({
        content: '风扇 переустановка "quoted" %_* \' OR 1=1; DROP TABLE memories --',
      });
      for (const text of ['风扇', 'переустановка', "quoted' --", 'drop table'])
        expect(await found({ text })).toEqual([memory.id]);
      expect(await store.count(workspace, { turns: false })).toBe(1);
    });
    it('returns the newest with score 0 for a query without vector and text', async () => {
      for (const minute of [2, 1, 3]) await put({ id: `m${minute}`, created_at: at(minute) });
      const results = await search({ limit: 2 });
      expect(results).toMatchObject(['m3', 'm2'].map((id) => ({ memory: { id }, score: 0 })));
    });
    it('filters by type, time, confidence and conversation in every kind of search', async () => {
      const vector = pointing(1);
      await put(
        { id: 'a', type: 'fact', created_at: at(1), confidence: 0.2, conversation_id: 'c1' },
        { vector },
      );
      await put(
        { id: 'b', type: 'decision', created_at: at(2), confidence: 0.5, conversation_id: 'c1' },
        { vector },
      );
      await put({ id: 'c', type: 'idea "x"', created_at: at(3), confidence: 0.8 }, { vector });
      const cases: [Partial<MemoryQuery>, string[]][] = [
        [{ memoryTypes: ['decision', 'idea "x"'] }, ['b', 'c']],
        [{ memoryTypes: [] }, []],
        [{ dateFrom: new Date(at(2)) }, ['b', 'c']],
        [{ dateTo: new Date(at(2)) }, ['a', 'b']],
        [{ dateFrom: new Date(at(2)), dateTo: new Date(at(2)) }, ['b']],
        [{ minConfidence: 0.5 }, ['b', 'c']],
        [{ minConfidence: 0.5000001 }, ['c']],
        [{ conversationId: 'c1' }, ['a', 'b']],
        [{ conversationId: 'c1', memoryTypes: ['decision'], minConfidence: 0.1 }, ['b']],
        [{ conversationId: "c1' OR conversation != '" }, []],
      ];
      for (const [narrowing, ids] of cases) {
        for (const way of [{ vector }, { text: 'fan' }, { vector, text: 'fan' }, {}])
          expect(
            (await found({ ...way, ...narrowing })).toSorted(),
            JSON.stringify({ way, narrowing }),
          ).toEqual(ids);
      }
    });
  });
  describe('getMemoryRelationships()', () => {
    it('returns relations from and to a memory, oldest first, with the other memory', async () => {
      const first = await put({ created_at: at(1) });
      const relatedTo = [{ memory_id: first.id, type: 'replaces "x"|:' }];
      const second = await put({ created_at: at(2) }, { relatedTo });
      const third = await put(
        { created_at: at(3) },
        { relatedTo: [{ memory_id: first.id, type: 'supports' }] },
      );
      const ends = { from_memory_id: second.id, to_memory_id: first.id };
      const relationship = { ...ends, type: 'replaces "x"|:', created_at: second.created_at };
      expect(await store.getMemoryRelationships(first.id, workspace)).toEqual([
        { memory: second, relationship },
        expect.objectContaining({ memory: third }),
      ]);
      const ofSecond = await store.getMemoryRelationships(second.id, workspace);
      expect(ofSecond).toEqual([{ memory: first, relationship }]);
      expect(await store.getMemoryRelationships('unknown', workspace)).toEqual([]);
    });
    it.each([
      // Six times as long in JSON, and longer again in the reply of Redis.
      [
        'as many relations as fit into one reply when memories are long',
        `x${'\u0001'.repeat(31_999)}`,
        80,
        [11, 79],
      ],
      ['at most a hundred relations, the oldest first', 'x', 103, [100, 100]],
    ] as const)('returns %s', async (_, content, count, [fewest, most]) => {
      const hub = await put();
      const relatedTo = [{ memory_id: hub.id, type: 'supports' }];
      for (let minute = 0; minute < count; minute++)
        await put({ created_at: at(minute), content }, { relatedTo });
      const relations = await store.getMemoryRelationships(hub.id, workspace);
      expect(relations.length).toBeGreaterThanOrEqual(fewest);
      expect(relations.length).toBeLessThanOrEqual(most);
      expect(relations[0]?.relationship.created_at).toBe(at(0));
    });
  });
  describe('turns of conversations', () => {
    const DAY_MS = 86_400_000;
    const turn = (id: string, minute: number, changes: Partial<Memory> = {}) =>
      put({
        id,
        created_at: at(minute),
        content: 'A turn about the fan.',
        conversation_id: 'c',
        stored_by: 'user:a',
        expires_at: new Date(Date.now() + DAY_MS).toISOString(),
        ...changes,
      });
    const limits = { perConversation: 10, perSubject: 10, perWorkspace: 10 };
    const surplus = async (changes: Partial<Parameters<MemoryStore['surplusTurns']>[1]> = {}) => {
      const of = { storedBy: 'user:a', conversationId: 'c', ...limits, ...changes };
      return (await store.surplusTurns(workspace, of)).toSorted();
    };
    it('are counted separately from other memories, and per subject', async () => {
      await turn('t1', 1);
      await turn('t2', 2, { stored_by: 'user:b' });
      for (const stored_by of ['user:a', 'user:a', 'user:b', undefined]) await put({ stored_by });
      const count = (turns: boolean, storedBy?: string) =>
        store.count(workspace, { turns, storedBy });
      expect([await count(true), await count(true, 'user:a'), await count(false)]).toEqual([
        2, 1, 4,
      ]);
      expect([await count(false, 'user:a'), await count(false, 'user:c')]).toEqual([2, 0]);
      await store.erase(workspace, ['t1']);
      expect([await count(true), await count(true, 'user:a'), await count(false)]).toEqual([
        1, 0, 4,
      ]);
    });
    it('are counted for those who hold the audiences that asked', async () => {
      await turn('open', 1);
      await turn('law', 2, { metadata: { [ASKED_WITH]: ['legal'] } });
      await turn('both', 3, {
        stored_by: 'user:b',
        metadata: { [ASKED_WITH]: ['legal', 'sales'] },
      });
      await turn('damaged', 4, { metadata: { [ASKED_WITH]: 'legal' } });
      await put({ id: 'fact', metadata: { [ASKED_WITH]: ['legal'] } });
      const count = (audiences: string[], storedBy?: string) =>
        store.count(workspace, { turns: true, storedBy, readableWith: audiences });
      expect([await count([]), await count(['sales']), await count(['legal'])]).toEqual([1, 1, 2]);
      expect([await count(['legal', 'sales']), await count(['legal'], 'user:b')]).toEqual([3, 0]);
      expect(await store.count(workspace, { turns: false, readableWith: ['sales'] })).toBe(0);
      expect(await store.count(workspace, { turns: true })).toBe(4);
      await store.erase(workspace, ['law']);
      expect([await count(['legal']), await count(['*'])]).toEqual([1, 2]);
    });
    it('are surplus when they are the oldest beyond the limit of the conversation, subject or workspace', async () => {
      await turn('old', 0, { stored_by: 'user:b', conversation_id: 'd' });
      for (const minute of [3, 1, 2]) await turn(`c${minute}`, minute);
      await turn('p1', 4, { person_id: 'p' });
      await turn('other', 5, { conversation_id: 'd' });
      await put({ id: 'fact', conversation_id: 'c', stored_by: 'user:a', created_at: at(0) });
      expect(await surplus()).toEqual([]);
      expect(await surplus({ perConversation: 1 })).toEqual(['c1', 'c2']);
      expect(await surplus({ perConversation: 0, personId: 'p' })).toEqual(['p1']);
      expect(await surplus({ perSubject: 2 })).toEqual(['c1', 'c2', 'c3']);
      expect(await surplus({ perWorkspace: 4 })).toEqual(['c1', 'old']);
    });
    it('are surplus when they have expired, and are not facts of their subject', async () => {
      await turn('expired', 2, {
        conversation_id: 'd',
        expires_at: new Date(Date.now() - 1000).toISOString(),
      });
      await turn('live', 3);
      await put({ id: 'fact', stored_by: 'user:a', person_id: 'p' });
      await put({ id: 'other', stored_by: 'user:b', person_id: 'p' });
      expect(await surplus()).toEqual(['expired']);
      expect(await listed({ factsOf: 'user:a' })).toEqual(['fact']);
      for (const query of [{ text: 'fan' }, { vector: pointing(1) }, {}]) {
        await put(
          { id: 'near', stored_by: 'user:a', person_id: 'p', created_at: at(9) },
          { vector: pointing(1) },
        );
        const mine = (await found({ ...query, factsOf: 'user:a', personId: 'p' })).toSorted();
        expect(mine).toEqual(query.vector === undefined ? ['fact', 'near'] : ['near']);
      }
      expect(await found({ text: 'fan', factsOf: 'user:a', personId: 'q' })).toEqual([]);
    });
  });
  it('erase() removes many at once, and returns the ids that existed', async () => {
    const kept = await put({ person_id: 'p2', conversation_id: 'c2' });
    const mine: string[] = [];
    for (let index = 0; index < 120; index++) mine.push((await put({ person_id: 'p1' })).id);
    const some = mine.slice(0, 99);
    expect((await store.erase(workspace, [...some, 'unknown'])).toSorted()).toEqual(
      some.toSorted(),
    );
    expect(await store.erase(workspace, some)).toEqual([]);
    expect(await store.erase(workspace, [])).toEqual([]);
    expect(idsOf(await eraseAll(store, workspace, { personId: 'p1' }))).toEqual(
      mine.slice(99).toSorted(),
    );
    expect(await eraseAll(store, workspace, { conversationId: 'c2' })).toEqual([kept]);
    expect(await store.count(workspace, { turns: false })).toBe(0);
  });
});
