import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { encodeEmbedding } from '../../../src/platform/storage/embedding-store.ts';
import { redisEmbeddingStore } from '../../../src/platform/storage/redis-embedding-store.ts';
import { type RedisServer, startRedisServer } from '../../../tools/stand-ins/redis/redis-server.ts';
import { describeEmbeddingStore } from './describe-embedding-store.ts';
import { describeUpstashFaults } from './describe-upstash-faults.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => {
  server.faults.none();
});
afterAll(() => server?.stop());

const storeOf = (settings: Partial<Parameters<typeof redisEmbeddingStore>[0]> = {}) =>
  redisEmbeddingStore({
    url: server.url,
    token: server.token,
    dimensions: 4,
    prefix: `${randomUUID()}:`,
    ...settings,
  });

/** Sends a command without the adapter. */
const command = async (...words: (string | number)[]): Promise<unknown> => {
  const headers = { authorization: `Bearer ${server.token}` };
  const response = await fetch(server.url, {
    method: 'POST',
    headers,
    body: JSON.stringify(words),
  });
  return ((await response.json()) as { result: unknown }).result;
};

describeEmbeddingStore('Upstash Redis', async () => storeOf(), 1100);

describeUpstashFaults('Upstash Redis', {
  server: () => server,
  calls: (access) => {
    const store = storeOf(access);
    return {
      getMany: (signal) => store.getMany(['secret-key'], { signal }),
      setMany: (signal) =>
        store.setMany([{ key: 'secret-key', embedding: [0.25, 1, 2, 3] }], { signal }),
      deleteMany: (signal) => store.deleteMany(['secret-key'], { signal }),
    };
  },
  secrets: ['secret-key', encodeEmbedding([0.25, 1, 2, 3]), '0.123456789'],
});

const entries = Array.from({ length: 50 }, (_, at) => ({
  key: `key-${at}`,
  embedding: [at, 0, 0, 0],
}));
const keys = entries.map(({ key }) => key);
it('reads, writes and deletes many keys in one request each, without headers of the SDK', async () => {
  const store = storeOf();
  server.forgetRequests();
  await store.setMany(entries);
  await store.getMany(keys);
  await store.deleteMany(keys);
  expect(server.requests.map(({ path }) => path)).toEqual(['/pipeline', '/', '/']);
  const names = server.requests.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((header) => header.startsWith('upstash-'))).toEqual([]);
});
it('splits a call that is too large for one request', async () => {
  const store = storeOf({ dimensions: 3072 });
  const embedding = Array.from({ length: 3072 }, (_, at) => Math.fround(Math.sin(at)));
  server.forgetRequests();
  await store.setMany(Array.from({ length: 600 }, (_, at) => ({ key: `key-${at}`, embedding })));
  expect(server.requests).toHaveLength(3);
  for (const { body } of server.requests) expect(body.length).toBeLessThan(5_000_000);
  expect((await store.getMany(['key-0', 'key-599']))[1]).toEqual(embedding);
});
it('expires an embedding after `ttlSeconds`', async () => {
  await storeOf({ prefix: 'timed:', ttlSeconds: 120 }).setMany([
    { key: 'a', embedding: [1, 2, 3, 4] },
  ]);
  const left = Number(await command('TTL', 'timed:a'));
  expect([left > 100, left <= 120]).toEqual([true, true]);
});
it('stores a value in a quarter of the size of JSON', async () => {
  const embedding = Array.from({ length: 1536 }, (_, at) => Math.sin(at + 1) / 40);
  await storeOf({ prefix: 'small:', dimensions: 1536 }).setMany([{ key: 'a', embedding }]);
  const length = Number(await command('STRLEN', 'small:a'));
  expect(length).toBeLessThan(8200);
  expect(length * 3.5).toBeLessThan(JSON.stringify(embedding).length);
});
// What else is not an embedding is tested with decodeEmbedding().
it.each([
  ['that is not an embedding', 'SET', 'hello'],
  ['that the SDK would convert to a number', 'SET', '12345678'],
  ['of JSON', 'SET', '[1,2,3,4]'],
  ['of another type', 'LPUSH', 'x'],
])('reads a value %s as missing', async (_name, write, value) => {
  const prefix = `${randomUUID()}:`;
  await command(write, `${prefix}a`, value);
  expect(await storeOf({ prefix }).getMany(['a'])).toEqual([undefined]);
});
it('throws when one of several commands is refused', async () => {
  const store = storeOf({ token: server.readOnlyToken });
  await expect(store.setMany(entries)).rejects.toMatchObject({
    name: 'StoreUnavailable',
    reason: 'refused',
  });
  expect(await store.getMany(['key-0'])).toEqual([undefined]);
});
it.each([{}, { result: 'OK' }, [], null, 'x'])(
  'throws `malformed` when a deletion returns %j',
  async (reply) => {
    const store = storeOf({
      url: 'https://redis.test',
      token: 't',
      fetch: async () => Response.json(reply),
    });
    await expect(store.deleteMany(['a'])).rejects.toMatchObject({
      name: 'StoreUnavailable',
      reason: 'malformed',
    });
  },
);
