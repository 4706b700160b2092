import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchResult } from '../../../src/contract/wire/memory.ts';
import type { ContextEngineConfig } from '../../../src/memory/context-engine/config.ts';
import { ContextEngine } from '../../../src/memory/context-engine/index.ts';
import { expandRelationships } from '../../../src/memory/context-engine/search.ts';
import { StoreUnavailable } from '../../../src/platform/storage/store-unavailable.ts';
import { memoryOf, memoryStorage, valueIn } from './engine-for-test.ts';

type Edge = readonly [from: string, to: string];
/** Relations between memories of one letter: 'ab' leads from a to b. */
const edgesOf = (pairs: string): Edge[] =>
  pairs.split(' ').map((pair): Edge => [pair.charAt(0), pair.charAt(1)]);
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const expand = async (
  roots: string[],
  edges: Edge[],
  { depth, ids = LETTERS }: { depth: number; ids?: string[] },
) => {
  const stored = ids.map((id) => ({ memory: memoryOf(id) }));
  const { getMemoryRelationships, lookups } = memoryStorage(stored, edges);
  const results = await expandRelationships(
    roots.map((id) => ({ memory: memoryOf(id), score: 1 })),
    { depth, adjacentTo: (ids) => Promise.all(ids.map((id) => getMemoryRelationships(id, 'w1'))) },
  );
  return { results, lookups };
};
const reached = (results: readonly SearchResult[]) =>
  results.map(({ relationships = [] }) =>
    relationships.map(({ memory, depth }) => `${memory.id}@${depth}`),
  );

/** Each memory with its distance from the closest root, found by widening a set step by step. */
const depthsFrom = (roots: readonly string[], edges: readonly Edge[], maxDepth: number) => {
  const depths = new Map(roots.map((id) => [id, 0]));
  for (let depth = 1; depth <= maxDepth; depth += 1) {
    const known = new Set(depths.keys());
    for (const [from, to] of edges) {
      if (known.has(from) && !depths.has(to)) depths.set(to, depth);
      if (known.has(to) && !depths.has(from)) depths.set(from, depth);
    }
  }
  return [...depths].flatMap(([id, depth]) => (depth === 0 ? [] : [`${id}@${depth}`])).toSorted();
};

describe('expandRelationships()', () => {
  it('lists a memory once, at the best result of its smallest depth, with the relation that led to it', async () => {
    const { results } = await expand(['a', 'b'], edgesOf('ab ac cd db be'), { depth: 2 });
    expect(reached(results)).toEqual([['c@1'], ['d@1', 'e@1']]);
    expect(results[1]?.relationships?.[0]?.relationship).toMatchObject({
      from_memory_id: 'd',
      to_memory_id: 'b',
    });
  });
  it('reaches the same memories as a plain search in random graphs, and reads each once', async () => {
    const id = fc.constantFrom(...LETTERS);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(id, id), { maxLength: 14 }),
        fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (edges, roots, depth) => {
          const { results, lookups } = await expand(roots, edges, { depth });
          expect(reached(results).flat().toSorted()).toEqual(depthsFrom(roots, edges, depth));
          expect(new Set(lookups).size).toBe(lookups.length);
        },
      ),
    );
  });
  it('keeps its bounds in a complete graph', async () => {
    const many = Array.from({ length: 1500 }, (_, at) => `n${at}`);
    const roots = Array.from({ length: 20 }, (_, at) => `a${at}`);
    const edges = many.flatMap((id, at) => [
      [`a${at % 20}`, id] as const,
      [id, many[(at * 7) % 1500] ?? ''] as const,
    ]);
    const { results, lookups } = await expand(roots, edges, { ids: [...roots, ...many], depth: 5 });
    const counts = reached(results).map(({ length }) => length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(counts.reduce((sum, count) => sum + count)).toBe(900);
    expect(lookups.length).toBeLessThanOrEqual(200);
  });
});

describe('relationships of results', () => {
  const stored = ['a', 'b'].map((id) => ({ memory: memoryOf(id, { content: `word ${id}` }) }));
  const parts = (changes: Partial<ContextEngineConfig['storageClient']> = {}) => {
    const storage = memoryStorage(stored, [['a', 'b']]);
    return { storage, engine: new ContextEngine({ storageClient: { ...storage, ...changes } }) };
  };
  const WANTED = { includeRelationships: true };

  it('are returned only on request', async () => {
    const { storage, engine } = parts();
    await engine.search('a', 'w1', { relationshipDepth: 2 });
    expect(storage.lookups).toEqual([]);
    expect(reached(valueIn(await engine.search('a', 'w1', WANTED)))).toEqual([['b@1']]);
  });

  const relationship = {
    from_memory_id: 'a',
    to_memory_id: 'b',
    type: 't',
    created_at: '2026-01-01T00:00:00Z',
  };
  const foreign = async () => [{ relationship, memory: memoryOf('b', { workspace_id: 'w2' }) }];
  const fails = () => Promise.reject(new StoreUnavailable('rate_limited', 'x'));
  it.each([
    [
      'cannot be read',
      fails,
      'storage_error',
      'Cannot read relationships: the storage is rate limited',
    ],
    ['are of another workspace', foreign, 'search_error', 'Cannot use the results'],
  ])('are an error when they %s', async (_, getMemoryRelationships, type, reason) => {
    const message = expect.stringContaining(reason);
    const found = await parts({ getMemoryRelationships }).engine.search('a', 'w1', WANTED);
    expect(found).toMatchObject({ error: { type, message } });
  });
  it('are read one level per call when the storage supports it', async () => {
    const stored = ['a', 'b', 'c', 'd'].map((id) =>
      memoryOf(id, { content: 'ab'.includes(id) ? 'word' : 'other' }),
    );
    const memories = stored.map((memory) => ({ memory }));
    const storage = memoryStorage(memories, edgesOf('ac cd'));
    const calls: (readonly string[])[] = [];
    const relationshipsOf = async (ids: readonly string[], workspaceId: string) => {
      calls.push(ids);
      return Promise.all(ids.map((id) => storage.getMemoryRelationships(id, workspaceId)));
    };
    const engine = new ContextEngine({ storageClient: { ...storage, relationshipsOf } });
    const results = valueIn(await engine.search('word', 'w1', { ...WANTED, relationshipDepth: 3 }));
    expect(reached(results)).toEqual([['c@1', 'd@2'], []]);
    expect(calls).toEqual([['a', 'b'], ['c'], ['d']]);
  });
  it('are read although the signal of the search has aborted', async () => {
    const search = new AbortController();
    const { storage, engine } = parts({
      getMemoryRelationships: async (...call) => {
        search.abort();
        await Promise.resolve();
        return storage.getMemoryRelationships(...call);
      },
    });
    const request = engine.forRequest({
      searchSignal: search.signal,
      signal: new AbortController().signal,
    });
    expect(reached(valueIn(await request.search('a', 'w1', WANTED)))).toEqual([['b@1']]);
    expect(await request.search('a', 'w1')).toMatchObject({ ok: false });
  });
  it('are followed until four million characters are reached', async () => {
    const roots = Array.from({ length: 5 }, (_, at) => memoryOf(`root${at}`, { content: 'root' }));
    const many = Array.from({ length: 400 }, (_, at) =>
      memoryOf(`n${at}`, { content: 'x'.repeat(32_000) }),
    );
    const edges = many.map(({ id }, at): Edge => [`root${at % 5}`, id]);
    const memories = [...roots, ...many].map((memory) => ({ memory }));
    const storageClient = memoryStorage(memories, edges);
    const results = valueIn(
      await new ContextEngine({ storageClient }).search('root', 'w1', WANTED),
    );
    expect(reached(results).flat()).toHaveLength(125);
  });
});
