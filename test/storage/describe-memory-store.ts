import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Memory } from '../../src/contract/memory.ts';
import type { MemoryListing, MemoryQuery, MemoryStore } from '../../src/storage/memory-store.ts';
import { DIMENSIONS, eraseAll, type StoreUnderTest } from './memory-stores.ts';

/** A vector with these first numbers, all others zero. */
export const pointing = (...values: number[]): number[] =>
  Array.from({ length: DIMENSIONS }, (_, at) => values[at] ?? 0);

const idsOf = (memories: Memory[]): string[] => memories.map(({ id }) => id).toSorted();

let serial = 0;
export const newWorkspace = (): string => `w${process.pid}-${++serial}`;

export const newMemory = (changes: Partial<Memory> & { workspace_id: string }): Memory => ({
  id: randomUUID(),
  type: 'fact',
  content: 'The fan of the Apollo is loud.',
  confidence: 0.9,
  created_at: '2026-11-01T10:00:00.000Z',
  ...changes,
});

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 1, 10, minute)).toISOString();

/** The contract of every memory store. */
export const describeMemoryStore = (name: string, make: () => Promise<StoreUnderTest>): void => {
  describe(`${name} memory store`, () => {
    let made: StoreUnderTest;
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
    const search = async (query: Partial<MemoryQuery>) => store.searchMemories(workspace, { limit: 10, ...query });
    const found = async (query: Partial<MemoryQuery>) => (await search(query)).map(({ memory }) => memory.id);
    const list = async (query: Partial<MemoryListing> = {}) => store.list(workspace, { limit: 10, ...query });
    const listed = async (query: Partial<MemoryListing> = {}) => (await list(query)).memories.map(({ id }) => id);
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
        const odd = ['!', '~'.repeat(128), '"\'`', '../../x', '*:?|', '%2F#&='];
        for (const id of odd) await put({ id, conversation_id: id, person_id: id }, { vector: pointing(1) });
        for (const id of odd) {
          expect((await store.get(workspace, id))?.id).toBe(id);
          expect(await listed({ conversationId: id })).toEqual([id]);
        }
        expect((await found({ vector: pointing(1) })).toSorted()).toEqual(odd.toSorted());
      });
      it('changes nothing when it is repeated', async () => {
        const other = await put();
        const memory = await put({ created_at: at(1) });
        const options = { vector: pointing(1), relatedTo: [{ memory_id: other.id, type: 'supports' }] };
        const second = await put({ created_at: at(2) }, options);
        expect(await store.put(second, options)).toBe(true);
        expect(await store.put({ ...memory, content: 'Something else.' }, {})).toBe(true);
        expect(await store.count(workspace, { turns: false })).toBe(3);
        expect((await store.get(workspace, memory.id))?.content).toBe(memory.content);
        expect(await store.getMemoryRelationships(other.id, workspace)).toHaveLength(1);
      });
      it('stores nothing when a related memory does not exist', async () => {
        const known = await put();
        const memory = newMemory({ workspace_id: workspace });
        const relatedTo = [known.id, 'unknown'].map((memory_id) => ({ memory_id, type: 'supports' }));
        expect(await store.put(memory, { vector: pointing(1), relatedTo })).toBe(false);
        expect(await store.get(workspace, memory.id)).toBeUndefined();
        expect(await found({ vector: pointing(1) })).toEqual([]);
        expect(await store.getMemoryRelationships(known.id, workspace)).toEqual([]);
      });
    });
    describe('list()', () => {
      it('returns all pages newest first, in any order of storing', async () => {
        const minutes = [5, 1, 9, 3, 7, 0, 8, 2, 6, 4];
        for (const minute of minutes) await put({ id: `m${minute}`, created_at: at(minute) });
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await list({ limit: 3, cursor });
          expect(page.memories.length).toBeLessThanOrEqual(3);
          seen.push(...page.memories.map(({ id }) => id));
          cursor = page.next;
        } while (cursor !== undefined);
        expect(seen).toEqual(['m9', 'm8', 'm7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0']);
      });
      it('has no page after a full last page', async () => {
        for (let minute = 0; minute < 4; minute++) await put({ created_at: at(minute) });
        const first = await list({ limit: 2 });
        expect((await list({ limit: 2, cursor: first.next })).next).toBeUndefined();
      });
      it('continues after the last memory of the previous page is deleted', async () => {
        for (let minute = 0; minute < 4; minute++) await put({ id: `m${minute}`, created_at: at(minute) });
        const { next } = await list({ limit: 2 });
        await store.delete(workspace, 'm2');
        await put({ id: 'm9', created_at: at(9) });
        expect(await listed({ cursor: next })).toEqual(['m1', 'm0']);
      });
      it('filters by conversation, person and type, alone and together', async () => {
        await put({ id: 'a', created_at: at(1), conversation_id: 'c1', person_id: 'p1', type: 'fact' });
        await put({ id: 'b', created_at: at(2), conversation_id: 'c1', person_id: 'p2', type: 'decision' });
        await put({ id: 'c', created_at: at(3), conversation_id: 'c2', person_id: 'p1', type: 'decision' });
        await put({ id: 'd', created_at: at(4) });
        expect(await listed({ conversationId: 'c1' })).toEqual(['b', 'a']);
        expect(await listed({ personId: 'p1' })).toEqual(['c', 'a']);
        expect(await listed({ type: 'decision' })).toEqual(['c', 'b']);
        expect(await listed({ personId: 'p1', type: 'decision' })).toEqual(['c']);
        expect(await listed({ conversationId: 'c1', personId: 'p1' })).toEqual(['a']);
        expect(await listed({ conversationId: 'c9' })).toEqual([]);
      });
      it('accepts any string as a cursor', async () => {
        await put();
        for (const cursor of ['', '(', '[', '-', '+', "' OR 1=1 --", '\u{1F980}'])
          expect((await list({ cursor })).memories.length).toBeLessThanOrEqual(1);
      });
    });
    describe('searchMemories()', () => {
      it('ranks by cosine right after storing, with the cosine as score', async () => {
        const near = await put({}, { vector: pointing(1, 0.1) });
        const far = await put({}, { vector: pointing(0, 1) });
        const opposite = await put({}, { vector: pointing(-1) });
        await put();
        const results = await search({ vector: pointing(1) });
        const ids = results.map(({ memory }) => memory.id);
        expect([ids[0], ids.toSorted()]).toEqual([near.id, [near.id, far.id, opposite.id].toSorted()]);
        expect(results[0]?.score).toBeCloseTo(1 / Math.sqrt(1.01), 5);
        expect(results.slice(1).map(({ score }) => Math.abs(Math.round(score * 1e6)))).toEqual([0, 0]);
        expect(await found({ vector: pointing(1), limit: 1 })).toEqual([near.id]);
      });
      it('finds memories with a common word, with more weight for rarer words', async () => {
        const both = await put({ content: 'The fans of the Apollo are noisy.' });
        const common = await put({ content: 'Another Apollo arrived.' });
        await put({ content: 'The Apollo is green.' });
        const rare = await put({ content: 'A fan was replaced.' });
        await put({ content: 'Nothing of it.' });
        const results = await search({ text: 'Apollo fan' });
        const ids = results.map(({ memory }) => memory.id);
        expect(ids[0]).toBe(both.id);
        expect(results[0]?.score).toBeCloseTo(1, 9);
        expect(ids.indexOf(rare.id)).toBeLessThan(ids.indexOf(common.id));
        expect(ids).toHaveLength(4);
        for (const { score } of results) expect(score).toBeGreaterThan(0);
        expect(await found({ text: 'Apollo fan', limit: 2 })).toEqual([both.id, rare.id]);
      });
      it('lowers every score for a word that no memory contains', async () => {
        await put({ content: 'The fan.' });
        const [known] = await search({ text: 'fan' });
        const [partly] = await search({ text: 'fan zeppelin' });
        expect(known?.score).toBeCloseTo(1, 9);
        expect(partly?.score).toBeGreaterThan(0);
        expect(partly?.score).toBeLessThan(0.5);
        expect(await found({ text: 'zeppelin' })).toEqual([]);
        expect(await found({ text: 'the of and' })).toEqual([]);
      });
      it('finds words in other scripts and words with special characters', async () => {
        const memory = await put({ content: '风扇 переустановка "quoted" %_* \' OR 1=1; DROP TABLE memories --' });
        for (const text of ['风扇', 'переустановка', "quoted' --", 'drop table'])
          expect(await found({ text })).toEqual([memory.id]);
        expect(await store.count(workspace, { turns: false })).toBe(1);
      });
      it('finds by vector or text, and ranks matches of both first', async () => {
        const similar = await put({ content: 'It hums.' }, { vector: pointing(1, 0.5) });
        const lexical = await put({ content: 'The fan was replaced.' });
        const both = await put({ content: 'The fan is loud.' }, { vector: pointing(1, 0.5) });
        const results = await search({ vector: pointing(1), text: 'fan' });
        expect(results.map(({ memory }) => memory.id)).toEqual([both.id, similar.id, lexical.id]);
        expect(results.at(-1)?.score).toBeCloseTo(0.5, 6);
      });
      it('returns the newest with score 0 for a query without vector and text', async () => {
        for (const minute of [2, 1, 3]) await put({ id: `m${minute}`, created_at: at(minute) });
        const results = await search({ limit: 2 });
        expect(results).toMatchObject(['m3', 'm2'].map((id) => ({ memory: { id }, score: 0 })));
      });
      it('filters by type, time, confidence and conversation in every kind of search', async () => {
        const vector = pointing(1);
        await put({ id: 'a', type: 'fact', created_at: at(1), confidence: 0.2, conversation_id: 'c1' }, { vector });
        await put({ id: 'b', type: 'decision', created_at: at(2), confidence: 0.5, conversation_id: 'c1' }, { vector });
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
          for (const way of [{ vector }, { text: 'fan' }, { vector, text: 'fan' }, {}]) {
            expect((await found({ ...way, ...narrowing })).toSorted(), JSON.stringify({ way, narrowing })).toEqual(ids);
          }
        }
      });
      it('separates workspaces that have the same ids, persons and conversations', async () => {
        const one = workspace;
        const putSame = (content: string) =>
          put({ id: 'same', conversation_id: 'c', person_id: 'p', content }, { vector: pointing(1) });
        await putSame('The fan of one.');
        workspace = newWorkspace();
        const two = await putSame('The fan of two.');
        for (const way of [{ vector: pointing(1) }, { text: 'fan' }, { conversationId: 'c' }]) {
          expect((await search(way)).map(({ memory }) => memory)).toEqual([two]);
        }
        expect(await eraseAll(store, workspace, { personId: 'p' })).toEqual([two]);
        expect((await store.get(one, 'same'))?.content).toBe('The fan of one.');
        expect(await store.searchMemories(one, { vector: pointing(1), limit: 10 })).toHaveLength(1);
      });
    });
    describe('getMemoryRelationships()', () => {
      it('returns relations from and to a memory, oldest first, with the other memory', async () => {
        const first = await put({ created_at: at(1) });
        const relatedTo = [{ memory_id: first.id, type: 'replaces "x"|:' }];
        const second = await put({ created_at: at(2) }, { relatedTo });
        const third = await put({ created_at: at(3) }, { relatedTo: [{ memory_id: first.id, type: 'supports' }] });
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
      it('returns relations of several memories in their order', async () => {
        const first = await put({ created_at: at(1) });
        const relatedTo = [{ memory_id: first.id, type: 'supports' }];
        const second = await put({ created_at: at(2) }, { relatedTo });
        const third = await put({ created_at: at(3) }, { relatedTo });
        const ids = [second.id, 'unknown', first.id, third.id];
        const related = await store.relationshipsOf(ids, workspace);
        expect(related).toEqual(await Promise.all(ids.map((id) => store.getMemoryRelationships(id, workspace))));
        const memories = related.map((each) => each.map(({ memory }) => memory));
        expect(memories).toEqual([[first], [], [second, third], [first]]);
        expect(await store.relationshipsOf([], workspace)).toEqual([]);
      });
      it('returns as many relations as fit into one reply when memories are long', async () => {
        const hub = await put();
        const relatedTo = [{ memory_id: hub.id, type: 'supports' }];
        // Six times as long in JSON, and longer again in the reply of Redis.
        const content = `x${'\u0001'.repeat(31_999)}`;
        for (let minute = 0; minute < 80; minute++) await put({ created_at: at(minute), content }, { relatedTo });
        const relations = await store.getMemoryRelationships(hub.id, workspace);
        expect(relations.length).toBeGreaterThan(10);
        expect(relations.length).toBeLessThan(80);
      });
      it('returns at most a hundred relations', async () => {
        const hub = await put();
        const relatedTo = [{ memory_id: hub.id, type: 'supports' }];
        for (let minute = 0; minute < 103; minute++) await put({ created_at: at(minute) }, { relatedTo });
        const relations = await store.getMemoryRelationships(hub.id, workspace);
        expect(relations).toHaveLength(100);
        expect(relations[0]?.relationship.created_at).toBe(at(0));
      });
    });
    describe('turns of conversations', () => {
      const DAY_MS = 86_400_000;
      const turn = (id: string, minute: number, changes: Partial<Memory> = {}) =>
        put({
          ...{
            id,
            created_at: at(minute),
            content: 'A turn about the fan.',
            conversation_id: 'c',
            stored_by: 'user:a',
          },
          expires_at: new Date(Date.now() + DAY_MS).toISOString(),
          ...changes,
        });
      const limits = { perConversation: 10, perSubject: 10, perWorkspace: 10 };
      const surplus = async (changes: Partial<Parameters<MemoryStore['surplusTurns']>[1]> = {}) =>
        (
          await store.surplusTurns(workspace, { storedBy: 'user:a', conversationId: 'c', ...limits, ...changes })
        ).toSorted();

      it('are counted separately from other memories, and per subject', async () => {
        await turn('t1', 1);
        await turn('t2', 2, { stored_by: 'user:b' });
        for (const stored_by of ['user:a', 'user:a', 'user:b', undefined]) await put({ stored_by });
        const count = (turns: boolean, storedBy?: string) => store.count(workspace, { turns, storedBy });
        expect([await count(true), await count(true, 'user:a'), await count(false)]).toEqual([2, 1, 4]);
        expect([await count(false, 'user:a'), await count(false, 'user:c')]).toEqual([2, 0]);
        await store.erase(workspace, ['t1']);
        expect([await count(true), await count(true, 'user:a'), await count(false)]).toEqual([1, 0, 4]);
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
        await turn('expired', 2, { conversation_id: 'd', expires_at: new Date(Date.now() - 1000).toISOString() });
        await turn('live', 3);
        await put({ id: 'fact', stored_by: 'user:a', person_id: 'p' });
        await put({ id: 'other', stored_by: 'user:b', person_id: 'p' });
        expect(await surplus()).toEqual(['expired']);
        expect(await listed({ factsOf: 'user:a' })).toEqual(['fact']);
        for (const query of [{ text: 'fan' }, { vector: pointing(1) }, {}]) {
          await put({ id: 'near', stored_by: 'user:a', person_id: 'p', created_at: at(9) }, { vector: pointing(1) });
          const mine = (await found({ ...query, factsOf: 'user:a', personId: 'p' })).toSorted();
          expect(mine).toEqual(query.vector === undefined ? ['fact', 'near'] : ['near']);
        }
        expect(await found({ text: 'fan', factsOf: 'user:a', personId: 'q' })).toEqual([]);
      });
    });
    describe('delete() and erase()', () => {
      it('removes a memory from lists, searches and relations', async () => {
        const other = await put();
        const relatedTo = [{ memory_id: other.id, type: 'supports' }];
        const memory = await put(
          { content: 'A zeppelin.', conversation_id: 'c', person_id: 'p' },
          { vector: pointing(1), relatedTo },
        );
        expect(await store.delete(workspace, memory.id)).toBe(true);
        expect(await store.get(workspace, memory.id)).toBeUndefined();
        for (const query of [{ vector: pointing(1) }, { text: 'zeppelin' }]) expect(await found(query)).toEqual([]);
        expect(await found({})).toEqual([other.id]);
        for (const query of [{ conversationId: 'c' }, { personId: 'p' }]) expect(await listed(query)).toEqual([]);
        expect(await store.getMemoryRelationships(other.id, workspace)).toEqual([]);
        expect(await store.count(workspace, { turns: false })).toBe(1);
        expect(await store.delete(workspace, memory.id)).toBe(false);
      });
      it('erases many at once, and returns the ids that existed', async () => {
        const kept = await put({ person_id: 'p2', conversation_id: 'c2' });
        const mine: string[] = [];
        for (let index = 0; index < 120; index++) mine.push((await put({ person_id: 'p1' })).id);
        const some = mine.slice(0, 99);
        expect((await store.erase(workspace, [...some, 'unknown'])).toSorted()).toEqual(some.toSorted());
        expect(await store.erase(workspace, some)).toEqual([]);
        expect(await store.erase(workspace, [])).toEqual([]);
        expect(idsOf(await eraseAll(store, workspace, { personId: 'p1' }))).toEqual(mine.slice(99).toSorted());
        expect(await eraseAll(store, workspace, { conversationId: 'c2' })).toEqual([kept]);
        expect(await store.count(workspace, { turns: false })).toBe(0);
      });
    });
  });
};
