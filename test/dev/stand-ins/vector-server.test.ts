import { describe, expect, it } from 'vitest';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const everything = { includeMetadata: true, includeVectors: true };
const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, vector: [1, at] }));
const idsOf = (found: readonly { id: number | string }[]) => found.map(({ id }) => id);

/** A request that the client would not send. */
const post = async ({ url, token }: { url: string; token: string }, path: string, body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: text });
  return { status: response.status, body: (await response.json()) as unknown };
};

describe('upsert, fetch, range, delete and query', () => {
  it('store vectors by id in the default namespace and in another', async () => {
    const { index } = await startVector();
    for (const options of [{}, { namespace: 'ns-1' }]) {
      const written = { id: 33, vector: [0.1, 0.2], metadata: { a: [1, null, { b: 'ü' }] } };
      expect(await index.upsert(written, options)).toBe('Success');
      const all = { ...everything, ...options };
      expect(await index.fetch(['33', 'none'], all)).toEqual([{ ...written, id: '33' }, null]);
      await index.upsert({ id: '33', vector: [0, 1] }, options);
      expect(await index.fetch(['33'], all)).toEqual([{ id: '33', vector: [0, 1] }]);
    }
    expect(await index.fetch(['33'], { namespace: 'never-written' })).toEqual([null]);
  });
  it('list pages in the order of writing, with an empty cursor after the last', async () => {
    const { index } = await startVector();
    await index.upsert(numbered(10));
    const first = await index.range({ cursor: 0, limit: 5 });
    expect(first).toEqual({ nextCursor: '5', vectors: numbered(5).map(({ id }) => ({ id })) });
    const second = await index.range({ cursor: first.nextCursor, limit: 5, includeVectors: true });
    expect(second).toEqual({ nextCursor: '', vectors: numbered(10).slice(5) });
  });
  it('delete by id, prefix or filter, and report how many there were', async () => {
    const { index } = await startVector();
    await index.upsert([...numbered(3, 'a-'), ...numbered(3, 'b-')]);
    await index.upsert({ id: 'c', vector, metadata: { kind: 'animal' } });
    expect(await index.delete(['a-0', 'none'])).toEqual({ deleted: 1 });
    expect(await index.delete({ prefix: 'b-' })).toEqual({ deleted: 3 });
    expect(await index.delete({ filter: "kind = 'animal'" })).toEqual({ deleted: 1 });
    expect(await index.delete(['a-2'], { namespace: 'none' })).toEqual({ deleted: 0 });
    expect(idsOf(await index.query({ vector, topK: 10 }))).toEqual(['a-1', 'a-2']);
  });
  it('score by cosine from 0 to 1, whatever the length of the vectors, and return the first topK', async () => {
    const { index } = await startVector();
    const vectors = { opposite: [-1, 0], right: [0, 2], same: [7, 0], near: [0.6, 0.8], zero: [0, 0] };
    await index.upsert(Object.entries(vectors).map(([id, each]) => ({ id, vector: each, metadata: { id } })));
    const scores = Object.entries({ same: 1, near: 0.8, right: 0.5, zero: 0.5, opposite: 0 });
    const expected = scores.map(([id, score]) => ({ id, score }));
    expect(await index.query({ vector: [2, 0], topK: 5 })).toEqual(expected);
    expect(await index.query({ vector: [2, 0], topK: 1, ...everything })).toEqual([
      { ...expected[0], vector: [7, 0], metadata: { id: 'same' } },
    ]);
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
    await index.upsert(Object.entries(metadata).map(([id, each]) => ({ id, vector, metadata: each })));
    await index.upsert({ id: 'bare', vector });
    return async (filter: string) => idsOf(await index.query({ vector, topK: 10, filter }));
  };
  it.each([
    ['', ['istanbul', 'ankara', 'oslo', 'bare']],
    ["name = 'Ankara'", ['ankara']],
    ['name = "O\'slo"', ['oslo']],
    ["kind != 'port'", ['ankara']],
    ['population > 5700000', ['istanbul']],
    ['population >= 5700000', ['istanbul', 'ankara']],
    ['population < 5700000', ['oslo']],
    ['population <= -5.5', ['oslo']],
    ['name > 0', []],
    ["name IN ('Ankara', 'Berlin')", ['ankara']],
    ['population in (5700000, -5.5)', ['ankara', 'oslo']],
    ["(name IN ('Istanbul', 'Ankara')) AND (population >= 1) AND (population <= 6000000.5)", ['ankara']],
    ["name = 'Istanbul' OR name = 'Ankara' AND population < 0", ['istanbul']],
    ["(name = 'Istanbul' or name = 'Ankara') and population < 9000000", ['ankara']],
    // A quote within a value ends it: what follows is read as conditions.
    ["population > 99999999 AND name = 'x' OR kind = 'port' OR name = 'x'", ['istanbul']],
  ])('select by metadata: %s', async (filter, expected) => {
    const find = await start();
    expect(await find(filter)).toEqual(expected);
  });
  it.each([
    "name == 'x'",
    "name = 'x",
    "name = 'it''s'",
    'name = x',
    'population > 1e-10',
    "(name = 'x'",
    'name IN ()',
    "größe = 'x'",
    "name = 'x'; DROP",
  ])('are refused when they are malformed or not supported: %s', async (filter) => {
    const find = await start();
    await expect(find(filter)).rejects.toThrow('Invalid filter');
  });
});

describe('namespaces', () => {
  it('are created by the first write, remain after a reset, and separate their vectors', async () => {
    const { index } = await startVector();
    await index.upsert(numbered(2));
    await index.upsert(numbered(2), { namespace: 'one' });
    await index.upsert(numbered(1, 'other-'), { namespace: 'two' });
    expect(await index.query({ vector, topK: 5 }, { namespace: 'two' })).toEqual([{ id: 'other-0', score: 1 }]);
    expect(await index.query({ vector, topK: 5 }, { namespace: 'none' })).toEqual([]);
    expect(await index.reset({ namespace: 'one' })).toBe('Success');
    expect(await index.listNamespaces()).toEqual(['', 'one', 'two']);
    expect((await index.info()).namespaces).toMatchObject({ '': { vectorCount: 2 }, one: { vectorCount: 0 } });
    expect(await index.deleteNamespace('one')).toBe('Success');
    await expect(index.deleteNamespace('one')).rejects.toThrow('Namespace one for the index local-0 does not exist');
    expect(await index.reset({ all: true })).toBe('Success');
    expect(await index.info()).toMatchObject({ vectorCount: 0, namespaces: { '': {}, two: { vectorCount: 0 } } });
  });
});

describe('access', () => {
  it('is by token: one index for each, and no writes with a read-only token', async () => {
    const { server, index, clientFor } = await startVector({
      indexes: [{ dimension: 2, readOnlyToken: 'read-only' }, { token: 'second' }],
    });
    await index.upsert({ id: 'a', vector });
    expect(await clientFor('second').info()).toMatchObject({ vectorCount: 0, dimension: 1536, indexType: 'DENSE' });
    const reader = clientFor('read-only');
    expect(await reader.query({ vector, topK: 1 })).toHaveLength(1);
    const writes = [
      () => reader.upsert({ id: 'b', vector }),
      () => reader.delete('a'),
      () => reader.reset(),
      () => reader.deleteNamespace('ns'),
    ];
    for (const write of writes) await expect(write).rejects.toThrow('Forbidden');
    await expect(clientFor('wrong').info()).rejects.toThrow(/^Unauthorized: Invalid auth token$/);
    const { status } = await post({ url: server.url, token: '' }, 'info', []);
    expect(status).toBe(401);
  });
});

describe('a request that the index cannot serve', () => {
  const ids = idsOf(numbered(1001));
  const one = { id: 'a', vector };
  it.each<[what: string, path: string, body: unknown, status: number, message: string]>([
    ['a vector of another dimension', 'upsert', [one, { id: 'b', vector: [1] }], 422, 'dimension: 1, expected: 2'],
    ['a query of another dimension', 'query', { vector: [1, 0, 0] }, 422, 'dimension: 3, expected: 2'],
    [
      'too much metadata',
      'upsert',
      { ...one, metadata: { text: 'x'.repeat(48 * 1024) } },
      422,
      'Metadata is too large',
    ],
    ['an empty id', 'upsert', { ...one, id: '' }, 400, 'Invalid request'],
    ['a vector of strings', 'upsert', { ...one, vector: ['1', '0'] }, 400, 'Invalid request'],
    ['more than 1,000 vectors', 'upsert', numbered(1001), 400, 'Invalid request'],
    ['malformed JSON', 'upsert', '{"id":', 400, 'not valid JSON'],
    ['a topK over 1,000', 'query', { vector, topK: 1001 }, 400, 'Invalid request'],
    ['a page over 1,000', 'range', { cursor: 0, limit: 1001 }, 400, 'Invalid request'],
    ['an unknown cursor', 'range', { cursor: 'x', limit: 1 }, 400, 'Invalid cursor'],
    ['a delete of more than 1,000 ids', 'delete', { ids }, 400, 'Invalid request'],
    [
      'a delete by two criteria',
      'delete',
      { ids: ['a'], prefix: 'b' },
      422,
      'Only and only one of the ids, prefix, or',
    ],
    ['a namespace with a slash', 'upsert/a/b', one, 404, 'Not found'],
    ['an unknown operation', 'query-data', { data: 'text' }, 404, 'Not found'],
  ])('is refused: %s', async (_name, path, body, status, message) => {
    const { server, index } = await startVector();
    const refused = { status, body: { error: expect.stringContaining(message), status } };
    expect(await post(server, path, body)).toEqual(refused);
    expect((await index.info()).vectorCount).toBe(0);
  });
});
