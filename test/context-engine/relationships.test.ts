import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextEngine } from '../../src/context-engine/index.ts';
import { expandRelationships } from '../../src/context-engine/search.ts';
import type { SearchResult } from '../../src/contract/memory.ts';
import { StoreUnavailable } from '../../src/storage/store-unavailable.ts';
import { memoryOf, memoryStorage } from './memory-storage.ts';

type Edge = readonly [from: string, to: string];
/** Relations between memories of one letter: 'ab' leads from a to b. */
const edgesOf = (pairs: string): Edge[] => pairs.split(' ').map((pair): Edge => [pair.charAt(0), pair.charAt(1)]);

const expand = async (roots: string[], { ids, edges, depth }: { ids: string[]; edges: Edge[]; depth: number }) => {
  const storage = memoryStorage(
    ids.map((id) => ({ memory: memoryOf(id) })),
    edges,
  );
  const results = await expandRelationships(
    roots.map((id) => ({ memory: memoryOf(id), score: 1 })),
    { depth, adjacentTo: (ids) => Promise.all(ids.map((id) => storage.getMemoryRelationships(id, 'w1'))) },
  );
  return { results, lookups: storage.lookups };
};
const reached = (results: readonly SearchResult[]) =>
  results.map(({ relationships = [] }) => relationships.map(({ memory, depth }) => `${memory.id}@${depth}`));

describe('expandRelationships()', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];

  it('follows relations in both directions down to the depth', async () => {
    const edges = edgesOf('ab cb cd');
    expect(reached((await expand(['a'], { ids, edges, depth: 1 })).results)).toEqual([['b@1']]);
    expect(reached((await expand(['a'], { ids, edges, depth: 2 })).results)).toEqual([['b@1', 'c@2']]);
    expect(reached((await expand(['a'], { ids, edges, depth: 5 })).results)).toEqual([['b@1', 'c@2', 'd@3']]);
  });

  it('returns the relation that led to a memory', async () => {
    const { results } = await expand(['b'], { ids, edges: [['a', 'b']], depth: 1 });
    expect(results[0]?.relationships?.[0]?.relationship).toMatchObject({ from_memory_id: 'a', to_memory_id: 'b' });
  });

  it('ends in a cycle and reads each memory once', async () => {
    const edges = edgesOf('ab bc ca aa');
    const { results, lookups } = await expand(['a'], { ids, edges, depth: 5 });
    expect(reached(results)).toEqual([['b@1', 'c@1']]);
    expect(lookups).toEqual(['a', 'b', 'c']);
  });

  it('lists a memory once, at its smallest depth, and never a result itself', async () => {
    const edges = edgesOf('ab ac cd bd be');
    expect(reached((await expand(['a', 'b'], { ids, edges, depth: 2 })).results)).toEqual([['c@1'], ['d@1', 'e@1']]);
  });
  it('has an empty list without relations', async () => {
    expect(reached((await expand(['a'], { ids, edges: [], depth: 3 })).results)).toEqual([[]]);
  });

  it('keeps its bounds in a complete graph', async () => {
    const many = Array.from({ length: 1500 }, (_, at) => `n${at}`);
    const edges = many.flatMap((id, at): Edge[] => [
      [`a${at % 20}`, id],
      [id, many[(at * 7) % 1500] ?? ''],
    ]);
    const roots = Array.from({ length: 20 }, (_, at) => `a${at}`);
    const { results, lookups } = await expand(roots, { ids: [...roots, ...many], edges, depth: 5 });
    const counts = reached(results).map(({ length }) => length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(counts.reduce((sum, count) => sum + count)).toBe(900);
    expect(lookups.length).toBeLessThanOrEqual(200);
  });

  it('reaches the same memories as a plain search, in random graphs', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(id, id), { maxLength: 14 }),
        fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (edges, roots, depth) => {
          const { results } = await expand(roots, { ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], edges, depth });
          const paths = reached(results).flat();
          expect(new Set(paths.map((entry) => entry.charAt(0))).size).toBe(paths.length);
          expect(paths.toSorted()).toEqual(depthsFrom(roots, { edges, depth }));
        },
      ),
    );
  });
});

/** Each memory with its distance from the closest root, found by widening a set step by step. */
const depthsFrom = (
  roots: readonly string[],
  { edges, depth: maxDepth }: { edges: readonly Edge[]; depth: number },
) => {
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

describe('relationships of results', () => {
  const stored = ['a', 'b'].map((id) => ({ memory: memoryOf(id, { content: `word ${id}` }) }));

  it('are returned only on request', async () => {
    const storage = memoryStorage(stored, [['a', 'b']]);
    const engine = new ContextEngine({ storageClient: storage });
    await engine.search('a', 'w1', { relationshipDepth: 2 });
    expect(storage.lookups).toEqual([]);
    const result = await engine.search('a', 'w1', { includeRelationships: true });
    expect(result.ok && reached(result.value)).toEqual([['b@1']]);
  });

  it('are a storage_error when they cannot be read, and a search_error when they are of another workspace', async () => {
    const storage = memoryStorage(stored, [['a', 'b']]);
    const down = async () => Promise.reject(new StoreUnavailable('rate_limited', 'x'));
    const failing = new ContextEngine({ storageClient: { ...storage, getMemoryRelationships: down } });
    expect(await failing.search('a', 'w1', { includeRelationships: true })).toMatchObject({
      error: { type: 'storage_error', message: 'Cannot read relationships: the storage is rate limited' },
    });
    const ofOtherWorkspace = async () =>
      (await storage.getMemoryRelationships('a', 'w1')).map((entry) => ({
        ...entry,
        memory: { ...entry.memory, workspace_id: 'w2' },
      }));
    const leaking = new ContextEngine({ storageClient: { ...storage, getMemoryRelationships: ofOtherWorkspace } });
    expect(await leaking.search('a', 'w1', { includeRelationships: true })).toMatchObject({
      error: { type: 'search_error' },
    });
  });

  it('are read one level per call when the storage supports it', async () => {
    const four = ['a', 'b', 'c', 'd'].map((id) => memoryOf(id, { content: 'ab'.includes(id) ? 'word' : 'other' }));
    const storage = memoryStorage(
      four.map((memory) => ({ memory })),
      edgesOf('ac cd'),
    );
    const calls: (readonly string[])[] = [];
    const relationshipsOf = async (ids: readonly string[], workspaceId: string) => {
      calls.push(ids);
      return Promise.all(ids.map((id) => storage.getMemoryRelationships(id, workspaceId)));
    };
    const engine = new ContextEngine({ storageClient: { ...storage, relationshipsOf } });
    const result = await engine.search('word', 'w1', { includeRelationships: true, relationshipDepth: 3 });
    expect(result.ok && reached(result.value)).toEqual([['c@1', 'd@2'], []]);
    expect(calls).toEqual([['a', 'b'], ['c'], ['d']]);
  });

  it('are read although the signal of the search has aborted', async () => {
    const storage = memoryStorage(stored, [['a', 'b']]);
    const search = new AbortController();
    const getMemoryRelationships: typeof storage.getMemoryRelationships = async (...call) => {
      search.abort();
      await Promise.resolve();
      return storage.getMemoryRelationships(...call);
    };
    const engine = new ContextEngine({ storageClient: { ...storage, getMemoryRelationships } });
    const request = engine.forRequest({ searchSignal: search.signal, signal: new AbortController().signal });
    const result = await request.search('a', 'w1', { includeRelationships: true });
    expect(result.ok && reached(result.value)).toEqual([['b@1']]);
    expect(await request.search('a', 'w1')).toMatchObject({ ok: false });
  });

  it('are followed until four million characters are reached', async () => {
    const content = 'x'.repeat(32_000);
    const roots = Array.from({ length: 5 }, (_, at) => `root${at}`);
    const many = Array.from({ length: 400 }, (_, at) => `n${at}`);
    const memories = [
      ...roots.map((id) => memoryOf(id, { content: 'root' })),
      ...many.map((id) => memoryOf(id, { content })),
    ];
    const long = memories.map((memory) => ({ memory }));
    const edges = many.map((id, at): Edge => [roots[at % 5] ?? '', id]);
    const engine = new ContextEngine({ storageClient: memoryStorage(long, edges) });
    const result = await engine.search('root', 'w1', { includeRelationships: true });
    expect(result.ok && result.value.flatMap(({ relationships = [] }) => relationships)).toHaveLength(125);
  });
});
