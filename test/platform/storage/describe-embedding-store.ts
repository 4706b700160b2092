import { describe, expect, it } from 'vitest';
import type { EmbeddingStore } from '../../../src/platform/storage/embedding-store.ts';

const A_AND_B = [
  { key: 'a', embedding: [1, 0, 0, 0] },
  { key: 'b', embedding: [2, 0, 0, 0] },
];

/**
 * The contract of every adapter.
 *
 * @param make An empty store for embeddings with four dimensions.
 * @param tooMany More entries than fit into one of its requests.
 */
export function describeEmbeddingStore(
  name: string,
  make: () => Promise<EmbeddingStore>,
  tooMany: number,
): void {
  describe(`${name}: a store of embeddings`, () => {
    it('returns exactly what was set, as 32-bit floats', async () => {
      const store = await make();
      const embeddings = [
        [0.1, -0.25, 3.4e38, -1e-40],
        [0, -0, 1, 2 ** -149],
      ];
      await store.setMany(embeddings.map((embedding, at) => ({ key: `model:${at}`, embedding })));
      const found = await store.getMany(['model:0', 'model:1']);
      expect(found).toEqual(embeddings.map((embedding) => embedding.map(Math.fround)));
    });
    it('returns values in the order of the keys, repeated and missing keys included', async () => {
      const store = await make();
      await store.setMany(A_AND_B);
      const found = await store.getMany(['b', 'none', 'a', 'b']);
      expect(found.map((each) => each?.[0])).toEqual([2, undefined, 1, 2]);
    });
    it('replaces an earlier value, deletes at once, and ignores missing keys', async () => {
      const store = await make();
      await store.setMany(A_AND_B);
      await store.setMany([{ key: 'a', embedding: [5, 0, 0, 0] }]);
      expect(await store.getMany(['a'])).toEqual([[5, 0, 0, 0]]);
      await store.deleteMany(['a', 'none']);
      expect(await store.getMany(['a', 'b'])).toEqual([undefined, [2, 0, 0, 0]]);
    });
    it('accepts empty calls, and more keys than fit into one request', async () => {
      const store = await make();
      await store.setMany([]);
      await store.deleteMany([]);
      expect(await store.getMany([])).toEqual([]);
      const entries = Array.from({ length: tooMany }, (_, at) => ({
        key: `key-${at}`,
        embedding: [at, 0, 0, 0],
      }));
      await store.setMany(entries);
      const keys = entries.map(({ key }) => key);
      const found = await store.getMany(keys);
      expect(found.map((each) => each?.[0])).toEqual(entries.map((_, at) => at));
      await store.deleteMany(keys);
      expect((await store.getMany(keys)).every((each) => each === undefined)).toBe(true);
    });
    it.each([
      ['of another dimension', [1, 2]],
      ['with a number that is not finite', [1, 2, 3, Number.NaN]],
      ['with a number that 32 bits cannot hold', [1, 2, 3, 1e39]],
    ])('refuses an embedding %s', async (_name, embedding) => {
      const store = await make();
      await expect(store.setMany([{ key: 'a', embedding }])).rejects.toThrow(RangeError);
      expect(await store.getMany(['a'])).toEqual([undefined]);
    });
    const callsWith = (store: EmbeddingStore, key: string, options?: { signal: AbortSignal }) => [
      () => store.getMany([key], options),
      () => store.setMany([{ key, embedding: [1, 2, 3, 4] }], options),
      () => store.deleteMany([key], options),
    ];
    it.each(['', 'x'.repeat(401), 'a b', 'ä', 'a\n'])('refuses the key %j', async (key) => {
      const store = await make();
      for (const call of callsWith(store, key)) await expect(call()).rejects.toThrow(RangeError);
    });
    it('does nothing after the signal has aborted', async () => {
      const store = await make();
      const refused = { name: 'StoreUnavailable', reason: 'aborted' };
      for (const call of callsWith(store, 'a', { signal: AbortSignal.abort() }))
        await expect(call()).rejects.toMatchObject(refused);
      expect(await store.getMany(['a'])).toEqual([undefined]);
    });
  });
}
