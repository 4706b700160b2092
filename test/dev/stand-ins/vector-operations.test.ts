import { describe, expect, it } from 'vitest';
import { post, startVector } from './vector-clients.ts';

const dense = { indexes: [{ dimension: 2, name: 'shop' }] };
const everything = { includeMetadata: true, includeVectors: true, includeData: true };
const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, vector: [1, at] }));

describe('upsert and fetch', () => {
  it('keep what was written, with ids as texts, in the default namespace and in others', async () => {
    const { index, onCloudflare } = await startVector(dense);
    const written = { id: 33, vector: [0.1, 0.2], metadata: { a: [1, null, { b: 'ü' }] }, data: 'text' };
    for (const namespace of [undefined, 'ns-1']) {
      const options = namespace ? { namespace } : {};
      expect(await onCloudflare.upsert(written, options)).toBe('Success');
      expect(await index.fetch(['33', 'none'], { ...everything, ...options })).toEqual([
        { ...written, id: '33' },
        null,
      ]);
      expect(await index.fetch(['33'], { ...options })).toEqual([{ id: '33' }]);
    }
    expect(await index.namespace('ns-1').fetch(['33'], everything)).toEqual([{ ...written, id: '33' }]);
    expect(await index.fetch(['33'], { namespace: 'never-written' })).toEqual([null]);
  });

  it('fetch by prefix, at most 1,000', async () => {
    const { index } = await startVector(dense);
    await index.upsert(numbered(1000, 'doc-'));
    await index.upsert(numbered(3, 'doc-x'));
    await index.upsert(numbered(3, 'other-'));
    expect(await index.fetch({ prefix: 'other-' })).toEqual([{ id: 'other-0' }, { id: 'other-1' }, { id: 'other-2' }]);
    expect(await index.fetch({ prefix: 'doc-' })).toHaveLength(1000);
  });

  it('replace the vector of an id', async () => {
    const { index } = await startVector(dense);
    await index.upsert([{ id: 'a', vector: [1, 0], metadata: { old: true } }]);
    await index.upsert([{ id: 'a', vector: [0, 1] }]);
    expect(await index.fetch(['a'], everything)).toEqual([{ id: 'a', vector: [0, 1] }]);
  });
});

describe('query', () => {
  it('answers one query with its scores, and several with a list of lists', async () => {
    const { server, index } = await startVector(dense);
    await index.upsert(numbered(12));
    const { body } = await post(server, 'query', [{ vector: [1, 0] }]);
    expect(body).toMatchObject({ result: { length: 10, 0: { id: '0', score: 1 } } });
    expect(await index.queryMany([{ vector: [1, 0], topK: 1 }])).toEqual([[{ id: '0', score: 1 }]]);
    expect(
      await index.queryMany([
        { vector: [1, 0], topK: 1 },
        { vector: [0, 1], topK: 2 },
      ]),
    ).toEqual([
      [{ id: '0', score: 1 }],
      [expect.objectContaining({ id: '11' }), expect.objectContaining({ id: '10' })],
    ]);
  });

  it('shows only what was requested, and omits what is absent', async () => {
    const { index } = await startVector(dense);
    await index.upsert([{ id: 'a', vector: [1, 0] }]);
    expect(await index.query({ vector: [1, 0], topK: 1 })).toEqual([{ id: 'a', score: 1 }]);
    expect(await index.query({ vector: [1, 0], topK: 1, ...everything })).toEqual([
      { id: 'a', score: 1, vector: [1, 0] },
    ]);
  });

  it('finds nothing in a namespace that was never written', async () => {
    const { index } = await startVector(dense);
    expect(await index.query({ vector: [1, 0], topK: 5 }, { namespace: 'none' })).toEqual([]);
    expect(
      (await index.resumableQuery({ vector: [1, 0], topK: 5, maxIdle: 60 }, { namespace: 'none' })).result,
    ).toEqual([]);
  });
});

describe('resumable queries', () => {
  it('go on where they stopped, until nothing is left', async () => {
    const { index } = await startVector(dense);
    await index.namespace('ns').upsert(numbered(5));
    const { result, fetchNext, stop } = await index.namespace('ns').resumableQuery({
      vector: [1, 0],
      topK: 2,
      maxIdle: 60,
      filter: '',
    });
    expect(result.map(({ id }) => id)).toEqual(['0', '1']);
    expect((await fetchNext(2)).map(({ id }) => id)).toEqual(['2', '3']);
    expect((await fetchNext(2)).map(({ id }) => id)).toEqual(['4']);
    expect(await fetchNext(2)).toEqual([]);
    expect(await stop()).toBe('Success');
  });

  it('end when they rest for longer than they may', async () => {
    let now = 0;
    const { server, index } = await startVector({ ...dense, now: () => now });
    await index.upsert(numbered(5));
    const { fetchNext } = await index.resumableQuery({ vector: [1, 0], topK: 1, maxIdle: 60 });
    now += 60_000;
    expect(await fetchNext(1)).toHaveLength(1);
    now += 60_001;
    await expect(fetchNext(1)).rejects.toThrow('does not exist');
    expect(await post(server, 'resumable-query-end', { uuid: 'unknown' })).toMatchObject({ status: 404 });
  });
});

describe('range', () => {
  it('pages in the order of writing, with an empty cursor after the last', async () => {
    const { index } = await startVector(dense);
    await index.upsert(numbered(10));
    const first = await index.range({ cursor: 0, limit: 5 });
    expect(first).toEqual({ nextCursor: '5', vectors: numbered(5).map(({ id }) => ({ id })) });
    expect((await index.range({ cursor: first.nextCursor, limit: 5 })).nextCursor).toBe('');
    expect((await index.range({ cursor: '', limit: 3, includeVectors: true })).vectors[2]).toEqual(numbered(3)[2]);
    expect(await index.range({ cursor: '0', limit: 3 }, { namespace: 'none' })).toEqual({
      nextCursor: '',
      vectors: [],
    });
  });

  it('pages through a prefix', async () => {
    const { index } = await startVector(dense);
    await index.upsert([...numbered(3, 'a-'), ...numbered(3, 'b-'), ...numbered(1, 'c-')]);
    const first = await index.range({ cursor: 0, limit: 2, prefix: 'b-' });
    const second = await index.range({ cursor: first.nextCursor, limit: 2, prefix: 'b-' });
    expect([...first.vectors, ...second.vectors].map(({ id }) => id)).toEqual(['b-0', 'b-1', 'b-2']);
    expect(second.nextCursor).toBe('');
  });
});

describe('update', () => {
  it('replaces metadata, or patches it as RFC 7396 says', async () => {
    const { index } = await startVector(dense);
    await index.upsert({ id: 'a', vector: [1, 0], metadata: { x: 1, y: { z: 1, w: 2 } }, data: 'd' });
    const patch = { id: 'a', metadata: { x: null, y: { z: 3 }, n: [1] }, metadataUpdateMode: 'PATCH' as const };
    expect(await index.update(patch)).toEqual({ updated: 1 });
    expect((await index.fetch(['a'], everything))[0]?.metadata).toEqual({ y: { z: 3, w: 2 }, n: [1] });
    expect(await index.update({ id: 'a', metadata: { only: true } })).toEqual({ updated: 1 });
    expect(await index.update({ id: 'a', vector: [0, 1] })).toEqual({ updated: 1 });
    expect(await index.fetch(['a'], everything)).toEqual([
      { id: 'a', vector: [0, 1], metadata: { only: true }, data: 'd' },
    ]);
    expect(await index.update({ id: 'none', metadata: {} })).toEqual({ updated: 0 });
  });

  it('wants both vectors or none in a hybrid index', async () => {
    const { index } = await startVector({ indexes: [{ type: 'HYBRID', dimension: 2 }] });
    await index.upsert({ id: 'a', vector: [1, 0], sparseVector: { indices: [1], values: [1] } });
    await expect(index.update({ id: 'a', vector: [1, 1] })).rejects.toThrow('updated together');
    expect(await index.update({ id: 'a', metadata: { m: 1 } })).toEqual({ updated: 1 });
  });
});

describe('delete', () => {
  it('removes by id, prefix or filter, and returns how many there were', async () => {
    const { index } = await startVector(dense);
    await index.upsert([...numbered(3, 'a-'), ...numbered(3, 'b-')]);
    await index.upsert([{ id: 'c', vector: [1, 0], metadata: { kind: 'animal' } }]);
    expect(await index.delete('a-0')).toEqual({ deleted: 1 });
    expect(await index.delete(['a-0', 'a-1'])).toEqual({ deleted: 1 });
    expect(await index.delete({ prefix: 'b-' })).toEqual({ deleted: 3 });
    expect(await index.delete({ filter: "kind = 'animal'" })).toEqual({ deleted: 1 });
    expect(await index.delete({ ids: ['a-2'] }, { namespace: 'none' })).toEqual({ deleted: 0 });
    expect((await index.query({ vector: [1, 0], topK: 10 })).map(({ id }) => id)).toEqual(['a-2']);
  });
});

describe('namespaces', () => {
  it('come into being with the first write, stay when they are reset, and go when they are deleted', async () => {
    const { index } = await startVector(dense);
    expect(await index.listNamespaces()).toEqual(['']);
    await index.upsert(numbered(2));
    await index.upsert(numbered(2), { namespace: 'one' });
    await index.upsert(numbered(2), { namespace: 'two' });
    expect(await index.reset({ namespace: 'one' })).toBe('Success');
    expect(await index.listNamespaces()).toEqual(['', 'one', 'two']);
    expect((await index.info()).namespaces).toMatchObject({ '': { vectorCount: 2 }, one: { vectorCount: 0 } });
    expect(await index.deleteNamespace('one')).toBe('Success');
    await expect(index.deleteNamespace('one')).rejects.toThrow('Namespace one for the index shop does not exist');
    expect(await index.reset({ all: true })).toBe('Success');
    expect(await index.info()).toMatchObject({ vectorCount: 0, namespaces: { '': {}, two: { vectorCount: 0 } } });
  });

  it('keep their vectors apart', async () => {
    const { index } = await startVector(dense);
    await index.upsert(numbered(1, 'mine-'), { namespace: 'a' });
    await index.upsert(numbered(1, 'yours-'), { namespace: 'b' });
    expect(await index.query({ vector: [1, 0], topK: 5 }, { namespace: 'a' })).toEqual([{ id: 'mine-0', score: 1 }]);
  });

  it('can be renamed, which the SDK has no method for', async () => {
    const { server, index } = await startVector(dense);
    await index.upsert(numbered(1), { namespace: 'old' });
    const renamed = await post(server, 'rename-namespace', { namespace: 'old', newNamespace: 'new' });
    expect(renamed).toEqual({ status: 200, body: { result: { renamed: 1 } } });
    expect(await index.listNamespaces()).toEqual(['', 'new']);
    expect(await post(server, 'random/new')).toEqual({
      status: 200,
      body: { result: { id: '0', vector: [1, 0] } },
    });
    expect(await post(server, 'random')).toEqual({ status: 200, body: { result: null } });
  });

  it('reach the path as the SDK writes them, so that a slash ends in 404 and a question mark in another one', async () => {
    const { server, index } = await startVector(dense);
    await expect(index.upsert(numbered(1), { namespace: 'a/b' })).rejects.toThrow('Not found');
    await index.upsert(numbered(1), { namespace: 'x?y' });
    expect(await index.listNamespaces()).toEqual(['', 'x']);
    expect(server.requests.map(({ path }) => path)).toEqual(['/upsert/a/b', '/upsert/x', '/list-namespaces']);
  });
});

describe('indexes', () => {
  it('are distinguished by their tokens', async () => {
    const { index, others } = await startVector({
      token: 'first-token',
      indexes: [{ dimension: 2 }, { type: 'SPARSE', token: 'second-token' }],
    });
    await index.upsert(numbered(1));
    expect(await index.info()).toEqual({
      vectorCount: 1,
      pendingVectorCount: 0,
      indexSize: 9,
      dimension: 2,
      similarityFunction: 'COSINE',
      indexType: 'DENSE',
      denseIndex: { dimension: 2, similarityFunction: 'COSINE' },
      namespaces: { '': { vectorCount: 1, pendingVectorCount: 0 } },
    });
    expect(await others[0]?.info()).toMatchObject({ vectorCount: 0, indexType: 'SPARSE', sparseIndex: {} });
  });

  it('with hosted models take texts for vectors', async () => {
    const { index } = await startVector({
      indexes: [{ type: 'HYBRID', denseModel: 'BGE_SMALL_EN_V1_5', sparseModel: 'BM25' }],
    });
    await index.upsert([
      { id: 'red', data: 'The red pump stops when the filter is blocked' },
      { id: 'blue', data: 'Blue bicycles for children', metadata: { colour: 'blue' } },
    ]);
    for (const queryMode of ['HYBRID', 'DENSE', 'SPARSE'] as const) {
      const [best] = await index.query({ data: 'filters', topK: 1, queryMode: queryMode as never });
      expect(best?.id).toBe('red');
    }
    const sparse = await index.query({ data: 'pump', topK: 5, queryMode: 'SPARSE' as never });
    expect(sparse.map(({ id }) => id)).toEqual(['red']);
    expect(await index.fetch(['blue'], { includeData: true })).toEqual([
      { id: 'blue', data: 'Blue bicycles for children' },
    ]);
    expect(await index.update({ id: 'blue', data: 'A filter, blocked' })).toEqual({ updated: 1 });
    expect(await index.info()).toMatchObject({
      dimension: 384,
      denseIndex: { embeddingModel: 'BGE_SMALL_EN_V1_5' },
      sparseIndex: { embeddingModel: 'BM25' },
    });
    const { result, fetchNext } = await index.resumableQuery({ data: 'filter', topK: 1, maxIdle: 60 });
    expect([...result, ...(await fetchNext(1))].map(({ id }) => id).sort()).toEqual(['blue', 'red']);
  });
});
