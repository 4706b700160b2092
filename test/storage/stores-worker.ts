import { kvEmbeddingStore } from '../../src/storage/embedding-store.ts';
import { redisEmbeddingStore } from '../../src/storage/redis-embedding-store.ts';
import { durableObjectSql, type SqlStorage } from '../../src/storage/sql.ts';
import { sqlVectorIndex } from '../../src/storage/sql-vector-index.ts';
import { upstashVectorIndex } from '../../src/storage/upstash-vector-index.ts';
import type { VectorIndex } from '../../src/storage/vector-index.ts';

interface Env {
  EMBEDDINGS: Parameters<typeof kvEmbeddingStore>[0];
  VECTORS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
  VECTOR_URL: string;
  VECTOR_TOKEN: string;
  REDIS_URL: string;
  REDIS_TOKEN: string;
}

const RECORDS = [
  { id: 'east', vector: [1, 0, 0], metadata: { type: 'fact' } },
  { id: 'north', vector: [0, 1, 0], metadata: { type: 'decision' } },
];

/** Writes, searches once the records are indexed, filters, lists, deletes and clears. */
const useIndex = async (index: VectorIndex) => {
  await index.upsert(RECORDS);
  for (let poll = 0; poll < 200 && (await index.pending()) > 0; poll += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const found = await index.query([1, 0.1, 0], { limit: 5 });
  const facts = await index.query([1, 0.1, 0], { limit: 5, filter: [{ field: 'type', in: ['fact'] }] });
  await index.delete(['north']);
  const { ids } = await index.list();
  await index.clear();
  return { found: found.map(({ id }) => id), facts, ids, left: await index.list() };
};

/** Vectors in the SQLite of a Durable Object; a query compares `?count=` of them. */
export class Vectors {
  readonly #storage: SqlStorage;

  constructor({ storage }: { storage: SqlStorage }) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const sql = durableObjectSql(this.#storage);
    const used = await useIndex(sqlVectorIndex(sql, { namespace: 'a', dimensions: 3 }));
    const count = Number(searchParams.get('count') ?? 0);
    const index = sqlVectorIndex(sql, { namespace: 'many', dimensions: 64 });
    const vectorAt = (seed: number) => Array.from({ length: 64 }, (_, at) => Math.sin(seed * 64 + at + 1));
    await index.upsert(Array.from({ length: count }, (_, at) => ({ id: `v${at}`, vector: vectorAt(at) })));
    const [closest] = await index.query(vectorAt(count - 1), { limit: 1 });
    return Response.json({ ...used, closest: closest?.id });
  }
}

const handlers: Record<string, (env: Env, request: Request) => Promise<unknown>> = {
  '/vector': ({ VECTOR_URL: url, VECTOR_TOKEN: token }) =>
    useIndex(upstashVectorIndex({ url, token, namespace: 'in-workerd', dimensions: 3 })),
  '/stores': async (env) => {
    const redis = redisEmbeddingStore({ url: env.REDIS_URL, token: env.REDIS_TOKEN, dimensions: 3 });
    const found = [];
    for (const store of [redis, kvEmbeddingStore(env.EMBEDDINGS, { dimensions: 3 })]) {
      const keys = Array.from({ length: 120 }, (_, at) => `model:${at}`);
      await store.setMany(keys.map((key, at) => ({ key, embedding: [at, 0.5, 0.25] })));
      const before = await store.getMany([...keys, 'none']);
      await store.deleteMany(keys);
      found.push([before[119], before[120], (await store.getMany(keys)).filter((each) => each !== undefined).length]);
    }
    return found;
  },
  '/hanging': async ({ VECTOR_URL: url, VECTOR_TOKEN: token, REDIS_URL, REDIS_TOKEN }) => {
    const index = upstashVectorIndex({ url, token, namespace: 'n', dimensions: 3, timeoutMs: 200 });
    const store = redisEmbeddingStore({ url: REDIS_URL, token: REDIS_TOKEN, dimensions: 3, timeoutMs: 200 });
    const failures = await Promise.allSettled([
      index.query([1, 0, 0], { limit: 1 }),
      index.query([1, 0, 0], { limit: 1, signal: AbortSignal.timeout(50) }),
      store.getMany(['a']),
      store.getMany(['a'], { signal: AbortSignal.timeout(50) }),
    ]);
    return failures.map((each) => (each.status === 'rejected' ? each.reason.reason : each.value));
  },
  '/object': async ({ VECTORS }, request) => (await VECTORS.getByName('one').fetch(request)).json(),
};

export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    const handle = handlers[new URL(request.url).pathname];
    try {
      return Response.json((await handle?.(env, request)) ?? null);
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
};
