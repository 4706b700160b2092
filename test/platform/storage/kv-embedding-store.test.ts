import { randomUUID } from 'node:crypto';
import type { KVNamespace } from '@cloudflare/workers-types';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kvEmbeddingStore } from '../../../src/platform/storage/embedding-store.ts';
import { describeEmbeddingStore } from './describe-embedding-store.ts';
import { oneWorker } from './worker-for-test.ts';

type KvEmbeddingConfig = Parameters<typeof kvEmbeddingStore>[1];

let miniflare: Miniflare;
let kv: KVNamespace;

beforeAll(async () => {
  miniflare = oneWorker('export default {}', { kvNamespaces: ['EMBEDDINGS'] });
  // Two packages have types for the same binding.
  kv = (await miniflare.getKVNamespace('EMBEDDINGS')) as unknown as KVNamespace;
});
afterAll(() => miniflare?.dispose());

const storeOf = (settings: Partial<KvEmbeddingConfig> = {}) =>
  kvEmbeddingStore(kv, { dimensions: 4, prefix: `${randomUUID()}:`, ...settings });

// A long timeout, as each write is a request, which is slow on a busy machine.
describeEmbeddingStore('KV', async () => storeOf({ timeoutMs: 60_000 }), 110);

/** A binding with some methods replaced. */
const binding = (methods: object, timeoutMs = 100) =>
  kvEmbeddingStore({ get: kv.get, put: kv.put, delete: kv.delete, ...methods } as KVNamespace, {
    dimensions: 4,
    timeoutMs,
  });
const ENTRY = { key: 'a', embedding: [1, 2, 3, 4] };

it('reads a hundred keys per request', async () => {
  const sizes: number[] = [];
  const get = (keys: string[], type: 'text') => {
    sizes.push(keys.length);
    return kv.get(keys, type);
  };
  await binding({ get }, 10_000).getMany(Array.from({ length: 250 }, (_, at) => `key-${at}`));
  expect(sizes.sort((left, right) => right - left)).toEqual([100, 100, 50]);
});
it('expires an embedding after `ttlSeconds`', async () => {
  await storeOf({ prefix: 'timed:', ttlSeconds: 3600 }).setMany([ENTRY]);
  const { keys } = await kv.list({ prefix: 'timed:' });
  const left = (keys[0]?.expiration ?? 0) - Date.now() / 1000;
  expect([left > 3500, left <= 3601]).toEqual([true, true]);
});
it.each([59, 0, 60.5])('refuses a `ttlSeconds` of %d', (ttlSeconds) => {
  expect(() => storeOf({ ttlSeconds })).toThrow(RangeError);
});
it('reads a malformed value as missing', async () => {
  await kv.put('odd:a', 'hello');
  expect(await storeOf({ prefix: 'odd:' }).getMany(['a', 'b'])).toEqual([undefined, undefined]);
});
it.each([
  ['KV PUT failed: 429 Too Many Requests', 'rate_limited'],
  ['KV PUT failed: 500 Internal Server Error', 'unavailable'],
  ['KV PUT failed: 413 Value length of secret', 'refused'],
  ['secret', 'unavailable'],
])('classifies %j without repeating it, and starts no further write', async (message, reason) => {
  let writes = 0;
  const put = async () => {
    writes += 1;
    throw new Error(message);
  };
  const entries = Array.from({ length: 200 }, (_, at) => ({ ...ENTRY, key: `key-${at}` }));
  const error = await binding({ put })
    .setMany(entries)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: 'StoreUnavailable', reason, cause: undefined });
  expect(String(error)).not.toContain('secret');
  expect(writes).toBeLessThanOrEqual(6);
});
it('throws at the timeout when KV hangs', async () => {
  const hanging = () => new Promise<never>(() => {});
  const store = binding({ get: hanging, put: hanging, delete: hanging });
  const failsAs = (reason: string) => ({ name: 'StoreUnavailable', reason });
  await expect(store.getMany(['a'])).rejects.toMatchObject(failsAs('unavailable'));
  await expect(store.deleteMany(['a'])).rejects.toMatchObject(failsAs('unavailable'));
  const signal = AbortSignal.timeout(10);
  await expect(store.getMany(['a'], { signal })).rejects.toMatchObject(failsAs('aborted'));
});
