import { describe, expect, it } from 'vitest';
import type { VectorIndex, VectorRecord } from '../../../src/platform/storage/vector-index.ts';

export interface VectorIndexForTest {
  index: VectorIndex;
  /** Another tenant of the same store. */
  other: VectorIndex;
}

const eventually = (condition: () => Promise<boolean>): Promise<void> =>
  expect.poll(condition, { interval: 10, timeout: 60_000 }).toBe(true);
const untilVisible = (index: VectorIndex): Promise<void> =>
  eventually(async () => (await index.pending()) === 0);

const POINTS: VectorRecord[] = [
  { id: 'east', vector: [1, 0, 0], metadata: { type: 'fact', confidence: 0.9, isOpen: true } },
  {
    id: 'north',
    vector: [0, 1, 0],
    metadata: { type: 'decision', confidence: 0.5, isOpen: false },
  },
  { id: 'west', vector: [-1, 0, 0], metadata: { type: 'fact', confidence: 0.2 } },
  { id: 'bare', vector: [3, 3, 0] },
];

const FACT = { field: 'type', in: ['fact'] };
const AT_MOST_0_4 = { field: 'confidence', atMost: 0.4 };
const idsOf = (hits: readonly { id: string }[]) => hits.map(({ id }) => id);

/** The contract of every adapter. @param make An empty index with three dimensions. */
export function describeVectorIndex(name: string, make: () => Promise<VectorIndexForTest>): void {
  const filled = async (records: readonly VectorRecord[] = POINTS): Promise<VectorIndexForTest> => {
    const made = await make();
    await made.index.upsert(records);
    await untilVisible(made.index);
    return made;
  };
  describe(`${name}: a vector index`, () => {
    it('is empty before the first write', async () => {
      const { index } = await make();
      expect(await index.query([1, 0, 0], { limit: 5 })).toEqual([]);
      expect(await index.list()).toEqual({ ids: [] });
      expect(await index.pending()).toBe(0);
      await index.delete(['east']);
      await index.clear();
    });
    it('ranks by cosine and returns the metadata', async () => {
      const { index } = await filled();
      const hits = await index.query([2, 0.001, 0], { limit: 10 });
      const cosines = { east: 1, bare: Math.SQRT1_2, north: 0, west: -1 };
      expect(hits.map(({ id, similarity }) => [id, similarity])).toEqual(
        Object.entries(cosines).map(([id, similarity]) => [id, expect.closeTo(similarity, 2)]),
      );
      expect(hits[0]?.metadata).toEqual({ type: 'fact', confidence: 0.9, isOpen: true });
      expect(hits.every(({ similarity }) => similarity >= -1 && similarity <= 1)).toBe(true);
      expect(idsOf(await index.query([1, 0, 0], { limit: 1 }))).toEqual(['east']);
      expect(await index.query([0, 0, 0], { limit: 5 })).toEqual([]);
    });
    it('replaces a record with its metadata', async () => {
      const { index } = await filled();
      await index.upsert([{ id: 'east', vector: [0, 0, 1] }]);
      await untilVisible(index);
      const [hit] = await index.query([0, 0, 1], { limit: 1 });
      expect(hit?.id).toBe('east');
      expect(hit?.metadata?.type).toBeUndefined();
      expect((await index.list()).ids).toHaveLength(4);
    });
    it.each([
      ['one value', [FACT], ['east', 'west']],
      ['one of several values', [{ field: 'type', in: ['decision', 'rule'] }], ['north']],
      ['no value', [{ field: 'type', in: [] }], []],
      ['at least', [{ field: 'confidence', atLeast: 0.5 }], ['east', 'north']],
      ['at most', [{ field: 'confidence', atMost: 0.5 }], ['north', 'west']],
      ['a field that no record has', [{ field: 'owner', atLeast: 0 }], []],
      ['a number against a string', [{ field: 'type', atLeast: 0 }], []],
      ['several conditions', [FACT, { field: 'confidence', atLeast: 0.1 }, AT_MOST_0_4], ['west']],
      ['no condition', [], ['bare', 'east', 'north', 'west']],
    ] as const)('filters by metadata: %s', async (_name, filter, expected) => {
      const { index } = await filled();
      const hits = await index.query([1, 0.001, 0], { limit: 10, filter });
      expect(idsOf(hits).sort()).toEqual([...expected]);
    });
    it('deletes records and ignores unknown ids', async () => {
      const { index } = await filled();
      await index.delete(['east', 'nowhere']);
      await eventually(
        async () => !idsOf(await index.query([1, 0, 0], { limit: 10 })).includes('east'),
      );
      expect((await index.list()).ids.sort()).toEqual(['bare', 'north', 'west']);
    });
    it('stores and lists more records than fit into one request', async () => {
      const many = Array.from({ length: 2100 }, (_, at) => ({
        id: `r${at}`,
        vector: [1, at / 1000, 0],
      }));
      const { index } = await filled(many);
      const ids: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await index.list({ cursor });
        ids.push(...page.ids);
        cursor = page.next;
        pages += 1;
      } while (cursor !== undefined && pages < 50);
      expect([pages > 1, new Set(ids).size, ids.length]).toEqual([true, 2100, 2100]);
      expect(await index.query([1, 0, 0], { limit: 1000 })).toHaveLength(1000);
      await index.delete(ids);
      expect(await index.list()).toEqual({ ids: [] });
    });
    it('separates tenants, clears only one of them, and accepts writes after that', async () => {
      const { index, other } = await filled();
      await other.upsert([{ id: 'theirs', vector: [1, 0, 0] }]);
      await untilVisible(other);
      expect(idsOf(await index.query([1, 0, 0], { limit: 10 }))).not.toContain('theirs');
      expect(idsOf(await other.query([1, 0, 0], { limit: 10 }))).toEqual(['theirs']);
      await other.delete(['east']);
      await index.clear();
      await untilVisible(index);
      expect(await index.list()).toEqual({ ids: [] });
      expect(await index.query([1, 0, 0], { limit: 10 })).toEqual([]);
      expect((await other.list()).ids).toEqual(['theirs']);
      await index.upsert([{ id: 'new', vector: [0, 1, 0] }]);
      await untilVisible(index);
      expect(idsOf(await index.query([0, 1, 0], { limit: 10 }))).toEqual(['new']);
    });
    it.each([
      ['a vector of another dimension', { id: 'x', vector: [1, 2] }],
      ['a number that is not finite', { id: 'x', vector: [1, Number.NaN, 0] }],
      ['an id with other characters', { id: 'a/b', vector: [1, 2, 3] }],
      ['an empty id', { id: '', vector: [1, 2, 3] }],
      ['an id that is too long', { id: 'x'.repeat(201), vector: [1, 2, 3] }],
      [
        'metadata that is too long',
        { id: 'x', vector: [1, 2, 3], metadata: { text: 'x'.repeat(50_000) } },
      ],
    ])('refuses %s, and stores nothing of the batch', async (_name, record) => {
      const { index } = await make();
      await expect(index.upsert([...POINTS, record])).rejects.toThrow(RangeError);
      expect(await index.list()).toEqual({ ids: [] });
    });
    it('refuses a query vector of another dimension and a limit out of range', async () => {
      const { index } = await make();
      await expect(index.query([1], { limit: 1 })).rejects.toThrow(RangeError);
      for (const limit of [0, 1001, 1.5])
        await expect(index.query([1, 0, 0], { limit })).rejects.toThrow(RangeError);
      await expect(index.delete(['a b'])).rejects.toThrow(RangeError);
    });
    it('does nothing after the signal has aborted', async () => {
      const { index } = await make();
      const options = { signal: AbortSignal.abort() };
      const refused = { name: 'StoreUnavailable', reason: 'aborted' };
      await expect(index.upsert(POINTS, options)).rejects.toMatchObject(refused);
      await expect(index.query([1, 0, 0], { limit: 1, ...options })).rejects.toMatchObject(refused);
      await expect(index.delete(['east'], options)).rejects.toMatchObject(refused);
      await expect(index.list(options)).rejects.toMatchObject(refused);
      await expect(index.clear(options)).rejects.toMatchObject(refused);
      expect(await index.list()).toEqual({ ids: [] });
    });
  });
}
