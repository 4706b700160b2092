import { Index } from '@upstash/vector';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  startVectorServer,
  type VectorServerOptions,
} from '../../../tools/stand-ins/vector/vector-server.ts';

const vector = [1, 0];
const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, vector: [1, at] }));
const idsOf = (found: readonly { id: number | string }[]) => found.map(({ id }) => id);

/** A server for one test, of two dimensions by default, and the official client of its first index. */
const startVector = async (options: VectorServerOptions = {}) => {
  const server = await startVectorServer({
    indexes: [{ dimension: 2 }],
    indexingDelayMs: 0,
    ...options,
  });
  onTestFinished(() => server.stop());
  const clientFor = (token: string) => new Index({ url: server.url, token, retry: { retries: 0 } });
  return { server, index: clientFor(server.token), clientFor };
};

describe('the client against the local vector index', () => {
  it('stores vectors by id in the default namespace and in another', async () => {
    const { index } = await startVector();
    for (const options of [{}, { namespace: 'ns-1' }]) {
      const written = { id: 33, vector: [0.1, 0.2], metadata: { a: [1, null, { b: 'ü' }] } };
      await index.upsert(written, options);
      const all = { includeMetadata: true, includeVectors: true, ...options };
      expect(await index.fetch(['33', 'none'], all)).toEqual([{ ...written, id: '33' }, null]);
      await index.upsert({ id: '33', vector: [0, 1] }, options);
      expect(await index.fetch(['33'], all)).toEqual([{ id: '33', vector: [0, 1] }]);
    }
  });
  it('lists pages with an empty cursor after the last', async () => {
    const { index } = await startVector();
    await index.upsert(numbered(10));
    const first = await index.range({ cursor: 0, limit: 5 });
    expect(first).toEqual({ nextCursor: '5', vectors: numbered(5).map(({ id }) => ({ id })) });
    expect(await index.range({ cursor: first.nextCursor, limit: 5 })).toMatchObject({
      nextCursor: '',
    });
  });
  it('deletes by prefix or filter, and reports how many there were', async () => {
    const { index } = await startVector();
    await index.upsert([...numbered(3, 'b-'), { id: 'c', vector, metadata: { kind: 'animal' } }]);
    expect(await index.delete({ prefix: 'b-' })).toEqual({ deleted: 3 });
    expect(await index.delete({ filter: "kind = 'animal'" })).toEqual({ deleted: 1 });
    expect(await index.delete(['c'], { namespace: 'none' })).toEqual({ deleted: 0 });
  });
  it('scores by cosine from 0 to 1, whatever the length of the vectors, and returns the first topK', async () => {
    const { index } = await startVector();
    const vectors = {
      opposite: [-1, 0],
      right: [0, 2],
      same: [7, 0],
      near: [0.6, 0.8],
      zero: [0, 0],
    };
    await index.upsert(Object.entries(vectors).map(([id, each]) => ({ id, vector: each })));
    const scores = Object.entries({ same: 1, near: 0.8, right: 0.5, zero: 0.5, opposite: 0 });
    const expected = scores.map(([id, score]) => ({ id, score }));
    expect(await index.query({ vector: [2, 0], topK: 5 })).toEqual(expected);
    expect(await index.query({ vector: [2, 0], topK: 1 })).toEqual(expected.slice(0, 1));
  });
  it('creates namespaces by the first write, and keeps them after a reset', async () => {
    const { index } = await startVector();
    for (const namespace of ['one', 'two']) await index.upsert(numbered(2), { namespace });
    await index.reset({ namespace: 'one' });
    expect(await index.listNamespaces()).toEqual(['', 'one', 'two']);
    await index.deleteNamespace('one');
    await expect(index.deleteNamespace('one')).rejects.toThrow(
      'Namespace one for the index local-0 does not exist',
    );
    await index.reset({ all: true });
    expect(await index.info()).toMatchObject({
      vectorCount: 0,
      namespaces: { '': {}, two: { vectorCount: 0 } },
    });
  });
  it('opens one index for each token, and writes nothing with a read-only token', async () => {
    const { index, clientFor } = await startVector({
      indexes: [{ dimension: 2, readOnlyToken: 'read-only' }, { token: 'second' }],
    });
    await index.upsert({ id: 'a', vector });
    expect(await clientFor('second').info()).toMatchObject({
      vectorCount: 0,
      dimension: 1536,
      indexType: 'DENSE',
    });
    const reader = clientFor('read-only');
    expect(await reader.query({ vector, topK: 1 })).toHaveLength(1);
    const writes = [
      reader.upsert({ id: 'b', vector }),
      reader.delete('a'),
      reader.reset(),
      reader.deleteNamespace('n'),
    ];
    for (const write of await Promise.allSettled(writes))
      expect(String((write as PromiseRejectedResult).reason)).toContain('Forbidden');
    await expect(clientFor('wrong').info()).rejects.toThrow(/^Unauthorized: Invalid auth token$/);
  });
});

describe('filters', () => {
  const start = async () => {
    const { index } = await startVector();
    const metadata = {
      istanbul: { name: 'Istanbul', population: 15_460_000, kind: 'port' },
      ankara: { name: 'Ankara', population: 5_700_000, kind: 'inland' },
      oslo: { name: "O'slo", population: -5.5, kind: null },
    };
    await index.upsert(
      Object.entries(metadata).map(([id, each]) => ({ id, vector, metadata: each })),
    );
    await index.upsert({ id: 'bare', vector });
    return async (filter: string) => idsOf(await index.query({ vector, topK: 10, filter }));
  };
  it.each([
    ['', ['istanbul', 'ankara', 'oslo', 'bare']],
    ['name = "O\'slo"', ['oslo']],
    ["kind != 'port'", ['ankara']],
    ['population > 5700000', ['istanbul']],
    ['population <= -5.5', ['oslo']],
    ['name > 0', []],
    [
      "(name in ('Istanbul', 'Ankara')) AND (population >= 1) AND (population <= 6000000.5)",
      ['ankara'],
    ],
    ["name = 'Istanbul' OR name = 'Ankara' AND population < 0", ['istanbul']],
    ["(name = 'Istanbul' or name = 'Ankara') and population < 9000000", ['ankara']],
    // A quote within a value ends it: what follows is read as conditions.
    ["population > 99999999 AND name = 'x' OR kind = 'port' OR name = 'x'", ['istanbul']],
  ])('select by metadata: %s', async (filter, expected) => {
    const find = await start();
    expect(await find(filter)).toEqual(expected);
  });
  it('are refused when they are malformed or not supported', async () => {
    const find = await start();
    const wrong = [
      "name == 'x'",
      "name = 'x",
      "name = 'it''s'",
      'name = x',
      'population > 1e-10',
      "(name = 'x'",
    ];
    for (const filter of [...wrong, 'name IN ()', "größe = 'x'", "name = 'x'; DROP"])
      await expect(find(filter), filter).rejects.toThrow('Invalid filter');
  });
});

describe('a request that the index cannot serve', () => {
  const one = { id: 'a', vector };
  const large = { ...one, metadata: { text: 'x'.repeat(48 * 1024) } };
  it.each<[what: string, path: string, body: unknown, status: number, message: string]>([
    [
      'a vector of another dimension',
      'upsert',
      [one, { id: 'b', vector: [1] }],
      422,
      'dimension: 1, expected: 2',
    ],
    [
      'a query of another dimension',
      'query',
      { vector: [1, 0, 0] },
      422,
      'dimension: 3, expected: 2',
    ],
    ['too much metadata', 'upsert', large, 422, 'Metadata is too large'],
    ['an empty id', 'upsert', { ...one, id: '' }, 400, 'Invalid request'],
    ['a vector of strings', 'upsert', { ...one, vector: ['1', '0'] }, 400, 'Invalid request'],
    ['more than 1,000 vectors', 'upsert', numbered(1001), 400, 'Invalid request'],
    ['malformed JSON', 'upsert', '{"id":', 400, 'not valid JSON'],
    ['a topK over 1,000', 'query', { vector, topK: 1001 }, 400, 'Invalid request'],
    ['a page over 1,000', 'range', { cursor: 0, limit: 1001 }, 400, 'Invalid request'],
    ['an unknown cursor', 'range', { cursor: 'x', limit: 1 }, 400, 'Invalid cursor'],
    [
      'a delete of more than 1,000 ids',
      'delete',
      { ids: idsOf(numbered(1001)) },
      400,
      'Invalid request',
    ],
    [
      'a delete by two criteria',
      'delete',
      { ids: ['a'], prefix: 'b' },
      422,
      'Only and only one of the ids, prefix, or',
    ],
    ['an unknown operation', 'query-data', { data: 'text' }, 404, 'Not found'],
  ])('is refused: %s', async (_name, path, body, status, message) => {
    const { server, index } = await startVector();
    const response = await fetch(`${server.url}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringContaining(message), status });
    expect((await index.info()).vectorCount).toBe(0);
  });
});

describe('eventual consistency', () => {
  const start = async (options = {}) => {
    const clock = { now: 1_000_000 };
    const started = await startVector({ indexingDelayMs: 150, now: () => clock.now, ...options });
    /** What queries find: ids with the version that they see. */
    const find = async () =>
      (await started.index.query({ vector, topK: 10, includeMetadata: true })).map(
        ({ id, metadata }) => [id, metadata?.version].join(''),
      );
    return { ...started, clock, find };
  };

  it('shows a write to fetch and range at once, and to queries after the delay', async () => {
    const { index, clock, find } = await start();
    const write = (version: number) => index.upsert({ id: 'a', vector, metadata: { version } });
    await write(1);
    clock.now += 149;
    expect((await index.range({ cursor: 0, limit: 5 })).vectors).toEqual([{ id: 'a' }]);
    expect(await find()).toEqual([]);
    expect(await index.info()).toMatchObject({ vectorCount: 0, pendingVectorCount: 1 });
    clock.now += 1;
    expect(await index.info()).toMatchObject({ vectorCount: 1, pendingVectorCount: 0 });
    expect(await find()).toEqual(['a1']);
    await write(2);
    expect(await find()).toEqual(['a1']);
    expect(await index.fetch(['a'], { includeMetadata: true })).toEqual([
      { id: 'a', metadata: { version: 2 } },
    ]);
    clock.now += 150;
    expect(await find()).toEqual(['a2']);
  });
  it('hides a write from queries until finishIndexing when the delay is infinite', async () => {
    const { server, index, find } = await start({ indexingDelayMs: Number.POSITIVE_INFINITY });
    await index.upsert({ id: 'a', vector });
    expect(await find()).toEqual([]);
    server.finishIndexing();
    expect(await find()).toEqual(['a']);
  });
  it.each([false, true])(
    'shows a delete to queries after the delay when deletesLinger is %j',
    async (deletesLinger) => {
      const { index, clock, find } = await start({ deletesLinger });
      await index.upsert({ id: 'a', vector });
      clock.now += 150;
      await index.upsert({ id: 'pending', vector });
      await index.delete(['a', 'pending']);
      expect(await index.fetch(['a'])).toEqual([null]);
      expect(await find()).toEqual(deletesLinger ? ['a'] : []);
      clock.now += 150;
      expect(await find()).toEqual([]);
    },
  );
});
