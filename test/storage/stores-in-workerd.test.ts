import { fileURLToPath } from 'node:url';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../../src/dev/build/bundle-function.ts';
import { type RedisServer, startRedisServer } from '../../src/dev/stand-ins/redis/redis-server.ts';
import { startVectorServer, type VectorServer } from '../../src/dev/stand-ins/vector/vector-server.ts';
import { oneWorker } from './worker-for-test.ts';

let vectors: VectorServer;
let redis: RedisServer;
let miniflare: Miniflare;

beforeAll(async () => {
  vectors = await startVectorServer({ indexes: [{ dimension: 3 }], indexingDelayMs: 40 });
  redis = await startRedisServer();
  const [vector, { url, token }] = [vectors, redis];
  miniflare = oneWorker(await bundle(fileURLToPath(new URL('stores-worker.ts', import.meta.url))), {
    kvNamespaces: ['EMBEDDINGS'],
    durableObjects: { VECTORS: { className: 'Vectors', useSQLite: true } },
    bindings: { VECTOR_URL: vector.url, VECTOR_TOKEN: vector.token, REDIS_URL: url, REDIS_TOKEN: token },
  });
});
afterAll(async () => {
  await miniflare?.dispose();
  await vectors?.stop();
  await redis?.stop();
});

const get = async (path: string): Promise<unknown> => (await miniflare.dispatchFetch(`http://localhost${path}`)).json();

const EXPECTED = {
  found: ['east', 'north'],
  facts: [{ id: 'east', metadata: { type: 'fact' } }],
  ids: ['east'],
  left: { ids: [] },
};

it('Upstash Vector works in workerd', async () => {
  expect(await get('/vector')).toMatchObject(EXPECTED);
});

it("a Durable Object's SQLite stores more vectors than a page and a statement hold", async () => {
  expect(await get('/object?count=700')).toMatchObject({ ...EXPECTED, closest: 'v699' });
});

it('Redis and KV store embeddings in workerd', async () => {
  const stored = [[119, 0.5, 0.25], null, 0];
  expect(await get('/stores')).toEqual([stored, stored]);
});

it('a service that hangs times out in workerd', async () => {
  for (const kind of ['hang-before-headers', 'hang-in-body'] as const) {
    for (const server of [vectors, redis]) {
      server.faults.none();
      server.faults.always({ kind });
    }
    expect([kind, await get('/hanging')]).toEqual([kind, ['unavailable', 'aborted', 'unavailable', 'aborted']]);
  }
});
