import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Product } from '../../tools/run/product.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { type RedisServer, startRedisServer } from '../../tools/stand-ins/redis/redis-server.ts';
import {
  startVectorServer,
  type VectorServer,
} from '../../tools/stand-ins/vector/vector-server.ts';
import { idsInVector, textsInRedis } from './look-into-services.ts';
import { memoriesIn } from './memories-for-test.ts';
import { grant, startEmbedded } from './product-for-test.ts';

const GLOBEX = 'ck_globex_0123456789abcdef';

let vector: VectorServer;
let redis: RedisServer;
let openai: OpenAIServer;
let product: Product;
const logs: string[] = [];
const { call, store, search, searchWord, erase, stats } = memoriesIn(() => product);

beforeAll(async () => {
  [vector, redis, openai] = await Promise.all([
    startVectorServer({ indexes: [{ dimension: 64 }], indexingDelayMs: 200, deletesLinger: true }),
    startRedisServer(),
    startOpenAIServer(),
  ]);
  const allVars = {
    UPSTASH_VECTOR_REST_URL: vector.url,
    UPSTASH_VECTOR_REST_TOKEN: vector.token,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: redis.token,
    OPENAI_BASE_URL: openai.url,
    OPENAI_API_KEY: openai.apiKey,
    EMBEDDING_DIMENSIONS: '64',
    CHAT_MODEL: 'none',
  };
  product = await startEmbedded({
    functions: ['memory'],
    allVars,
    onLog: (line) => logs.push(line),
  });
  await grant(product, GLOBEX, { workspaces: ['globex'], capabilities: ['memory:*'] });
});

afterAll(async () => {
  await product?.stop();
  await Promise.all([vector?.stop(), redis?.stop(), openai?.stop()]);
});

afterEach(() => {
  for (const { faults } of [vector, redis, openai]) faults.none();
});

describe('memories with vectors in Upstash, with embeddings, all functions in workerd', () => {
  it('are found by meaning immediately after they are stored, and not after they are deleted', async () => {
    const { memory, degraded } = await store('The espresso machine stands in Lisbon.');
    expect(degraded).toBeUndefined();
    expect(await search('espresso machines')).toMatchObject({
      contents: [memory.content],
      degraded: undefined,
    });
    expect(vector.requests.some(({ path }) => path === '/upsert/memory_default')).toBe(true);
    expect((await call(`DELETE /${memory.id}`)).status).toBe(204);
    expect((await search('espresso machines')).contents).toEqual([]);
  });

  it('need one embedding for repeated searches', async () => {
    openai.forgetRequests();
    for (let index = 0; index < 5; index++) await search('a question that comes again');
    expect(openai.requests).toHaveLength(1);
    expect((await stats()).embedding_cache?.hits).toBeGreaterThanOrEqual(4);
  });

  it('reveal nothing to another workspace by figures or cache', async () => {
    const globex = memoriesIn(() => product, { key: GLOBEX, workspace: 'globex' });
    const before = (await globex.stats()).embedding_cache;
    await search('Who knows of the walrus?');
    expect((await globex.stats()).embedding_cache).toEqual(before);
    openai.forgetRequests();
    for (let time = 0; time < 2; time += 1) {
      await globex.search('Who knows of the walrus?');
      expect(openai.requests).toHaveLength(1);
    }
  });

  it('leave no embedding of a search in the caches when they are erased', async () => {
    const content = 'The password of the harbour is swordfish.';
    await store(content, { person_id: 'ann' });
    await search(content);
    await search(content);
    openai.forgetRequests();
    await search(content);
    expect(openai.requests).toHaveLength(0);
    expect(await erase('person_id=ann')).toEqual({ erased: 1 });
    await search(content);
    expect(openai.requests).toHaveLength(1);
  });

  it('are never in Redis, and gone from the vector index once erased', async () => {
    const vectors = () => idsInVector(vector, 'memory_default');
    const inRedis = async (pattern: RegExp) =>
      (await textsInRedis(redis)).filter((text) => pattern.test(text));
    const before = await vectors();
    await store('The okapi sleeps in the pantry.', { person_id: 'carol' });
    const { memory } = await store('The okapi eats figs.', {
      conversation_id: 'okapis',
      person_id: 'carol',
    });
    await search('The okapi eats figs.');
    expect((await textsInRedis(redis)).length).toBeGreaterThan(0);
    expect(await inRedis(/okapi|pantry|figs|carol/)).toEqual([]);
    await expect.poll(async () => (await vectors()).length).toBe(before.length + 2);
    expect((await call(`DELETE /${memory.id}`)).status).toBe(204);
    expect(await erase('person_id=carol')).toEqual({ erased: 1 });
    await expect.poll(vectors).toEqual(before);
    expect(await searchWord('okapi')).toEqual([]);
  });

  const DOWN = ['is down', { kind: 'status', status: 500 }] as const;
  const HANGS = ['hangs', { kind: 'hang-before-headers' }] as const;

  it.each([
    ['embeddings', ...DOWN],
    ['embeddings', ...HANGS],
    ['vectors', ...DOWN],
    ['vectors', ...HANGS],
  ] as const)(
    'are stored and found by their words when the service of %s %s',
    { timeout: 60_000 },
    async (service, _, fault) => {
      const { faults } = service === 'vectors' ? vector : openai;
      faults.always(fault);
      const word = `zeppelin${Math.random().toString(36).slice(2).replace(/\d/g, 'x')}`;
      const { memory, degraded } = await store(`The ${word} lands.`);
      expect(degraded).toEqual([service]);
      expect(await search(word)).toMatchObject({ contents: [memory.content], degraded: [service] });
      faults.none();
      expect((await search(`${word} again`)).contents).toContain(memory.content);
    },
  );

  it.each([['refuses the token', { kind: 'status', status: 401 }], HANGS] as const)(
    'are stored, found and listed when Redis %s, as it only caches embeddings',
    async (_, fault) => {
      redis.faults.always(fault);
      const { memory, degraded } = await store('The narwhal sings.');
      expect(degraded).toBeUndefined();
      expect((await search('Which narwhal sings?')).contents).toContain(memory.content);
      expect((await call('GET ')).status).toBe(200);
    },
    60_000,
  );

  it('leave no text and no token in the log', () => {
    const all = logs.join('\n');
    expect(all).toContain('"librarian":"memory"');
    expect(all).not.toMatch(/espresso|harbour|swordfish|zeppelin|okapi|walrus|narwhal/i);
    for (const secret of [vector.token, redis.token, openai.apiKey])
      expect(all).not.toContain(secret);
  });
});
