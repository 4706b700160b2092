import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ContextResult } from '../../src/contract/context-engine.ts';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { MemorySearchResponse, MemoryStats, MemoryStored } from '../../src/contract/memory.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { type OpenAIServer, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import { type RedisServer, startRedisServer } from '../../src/dev/stand-ins/redis/redis-server.ts';
import { startVectorServer, type VectorServer } from '../../src/dev/stand-ins/vector/vector-server.ts';

let vector: VectorServer;
let redis: RedisServer;
let openai: OpenAIServer;
let product: Product;
const logs: string[] = [];

beforeAll(async () => {
  [vector, redis, openai] = await Promise.all([
    startVectorServer({ indexes: [{ dimension: 64 }], indexingDelayMs: 200, deletesLinger: true }),
    startRedisServer(),
    startOpenAIServer(),
  ]);
  product = await startProduct({
    kb: 'sample',
    port: 0,
    onLog: (line) => logs.push(line),
    allVars: {
      UPSTASH_VECTOR_REST_URL: vector.url,
      UPSTASH_VECTOR_REST_TOKEN: vector.token,
      UPSTASH_REDIS_REST_URL: redis.url,
      UPSTASH_REDIS_REST_TOKEN: redis.token,
      OPENAI_BASE_URL: openai.url,
      OPENAI_API_KEY: openai.apiKey,
      EMBEDDING_DIMENSIONS: '64',
      CHAT_MODEL: 'none',
    },
  });
});

afterAll(async () => {
  await product?.stop();
  await Promise.all([vector?.stop(), redis?.stop(), openai?.stop()]);
});

afterEach(() => {
  for (const { faults } of [vector, redis, openai]) faults.none();
});

const call = (route: string, body?: unknown): Promise<Response> => {
  const [method = 'GET', path = ''] = route.split(' ');
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  return product.fetch(`/v1/workspaces/default/memories${path}`, { method, ...init });
};

const store = async (content: string, more: object = {}) => {
  const response = await call('POST ', { type: 'fact', content, ...more });
  expect(response.status).toBe(201);
  return MemoryStored.parse(await response.json());
};

const search = async (query: string) => {
  const response = await call('POST /search', { query });
  expect(response.status).toBe(200);
  const { results, degraded } = MemorySearchResponse.parse(await response.json());
  return { contents: results.map(({ memory }) => memory.content), degraded };
};

describe('memories in Upstash, with embeddings, all functions in workerd', () => {
  it('are found by meaning as soon as they are stored, and are gone as soon as they are deleted', async () => {
    const { memory, degraded } = await store('The espresso machine stands in Lisbon.');
    expect(degraded).toBeUndefined();
    expect(await search('espresso machines')).toEqual({ contents: [memory.content], degraded: undefined });
    expect(vector.requests.some(({ path }) => path === '/upsert/memory_default')).toBe(true);
    expect((await call(`DELETE /${memory.id}`)).status).toBe(204);
    expect((await search('espresso machines')).contents).toEqual([]);
  });

  it('become context', async () => {
    await store('The harbour opens at six.', { conversation_id: 'c' });
    const response = await call('POST /context', { query: 'When does the harbour open?' });
    const { context, tokenCount } = ContextResult.parse(await response.json());
    expect(context).toContain('- The harbour opens at six.');
    expect(tokenCount).toBeGreaterThan(5);
  });

  it('are asked for with one embedding however often the same is looked for', async () => {
    openai.forgetRequests();
    for (let index = 0; index < 5; index++) await search('a question that comes again');
    expect(openai.requests).toHaveLength(1);
    const stats = MemoryStats.parse(await (await call('GET /stats')).json());
    expect(stats.embedding_cache?.hits).toBeGreaterThanOrEqual(4);
  });

  it('leave no embedding of what was looked for in the caches when they are erased', async () => {
    const content = 'The password of the harbour is swordfish.';
    await store(content, { person_id: 'ann' });
    await search(content);
    await search(content);
    openai.forgetRequests();
    await search(content);
    expect(openai.requests).toHaveLength(0);
    expect(await (await call('DELETE ?person_id=ann')).json()).toEqual({ erased: 1 });
    await search(content);
    expect(openai.requests).toHaveLength(1);
  });

  it.each([
    ['is down', { kind: 'status', status: 500 }],
    ['has too much to do', { kind: 'status', status: 429 }],
    ['hangs', { kind: 'hang-before-headers' }],
    ['answers without JSON', { kind: 'malformed-json' }],
    ['is cut off half-way', { kind: 'truncated-json' }],
  ] as const)(
    'are stored and found by their words when the embedding model %s',
    async (_, fault) => {
      openai.faults.always(fault);
      const word = `zeppelin${Math.random().toString(36).slice(2).replace(/\d/g, 'x')}`;
      const { memory, degraded } = await store(`The ${word} lands.`);
      expect(degraded).toEqual(['embeddings']);
      expect(await search(word)).toEqual({ contents: [memory.content], degraded: ['embeddings'] });
      openai.faults.none();
      expect((await search(`${word} again`)).contents).toContain(memory.content);
    },
    60_000,
  );

  it.each([
    ['is down', { kind: 'status', status: 500 }],
    ['hangs', { kind: 'hang-before-headers' }],
    ['answers without JSON', { kind: 'malformed-json' }],
  ] as const)(
    'are stored and found by their words when the vector index %s',
    async (_, fault) => {
      vector.faults.always(fault);
      const word = `galleon${Math.random().toString(36).slice(2).replace(/\d/g, 'x')}`;
      const { memory, degraded } = await store(`The ${word} sails.`);
      expect(degraded).toEqual(['vectors']);
      expect(await search(word)).toEqual({ contents: [memory.content], degraded: ['vectors'] });
    },
    60_000,
  );

  it.each([
    ['is down', { kind: 'status', status: 500 }],
    ['refuses the token', { kind: 'status', status: 401 }],
    ['hangs', { kind: 'hang-before-headers' }],
    ['answers without JSON', { kind: 'malformed-json' }],
  ] as const)(
    'say in time that they are not available when Redis %s',
    async (_, fault) => {
      redis.faults.always(fault);
      const calls: [string, unknown?][] = [
        ['POST ', { type: 'fact', content: 'x' }],
        ['POST /search', { query: 'x' }],
        ['POST /context', { query: 'x' }],
        ['GET '],
        ['DELETE ?person_id=p'],
      ];
      await Promise.all(
        calls.map(async ([route, body]) => {
          const response = await call(route, body);
          const { error } = ErrorBody.parse(await response.json());
          expect([503, 504], route).toContain(response.status);
          expect(['SERVICE_UNAVAILABLE', 'TIMEOUT'], route).toContain(error.code);
        }),
      );
    },
    60_000,
  );

  it('leave no text and no token in the log', () => {
    const all = logs.join('\n');
    expect(all).toContain('"librarian":"memory"');
    expect(all).not.toMatch(/espresso|harbour|swordfish|zeppelin|galleon/i);
    for (const secret of [vector.token, redis.token, openai.apiKey]) expect(all).not.toContain(secret);
  });
});
