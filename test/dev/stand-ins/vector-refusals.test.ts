import { describe, expect, it } from 'vitest';
import { post, startVector } from './vector-clients.ts';

const dense = { indexes: [{ dimension: 2, name: 'shop', readOnlyToken: 'read-only' }] };
const vector = [1, 0];

describe('a request without a valid token', () => {
  it('is refused with 401, in the words of the service', async () => {
    const { server, clientFor } = await startVector(dense);
    await expect(clientFor('wrong').info()).rejects.toThrow(/^Unauthorized: Invalid auth token$/);
    expect(await post({ url: server.url, token: '' }, 'info')).toEqual({
      status: 401,
      body: { error: 'Unauthorized: Invalid auth token', status: 401 },
    });
  });

  it('may read with a read-only token, and write nothing', async () => {
    const { server, index, clientFor } = await startVector(dense);
    await index.upsert({ id: 'a', vector });
    const reader = clientFor('read-only');
    expect(await reader.query({ vector, topK: 1 })).toHaveLength(1);
    expect(await reader.range({ cursor: 0, limit: 1 })).toMatchObject({ vectors: [{ id: 'a' }] });
    const writes = await Promise.allSettled([
      reader.upsert({ id: 'b', vector }),
      reader.update({ id: 'a', vector }),
      reader.delete('a'),
      reader.reset(),
      reader.deleteNamespace('ns'),
    ]);
    const forbidden = { message: expect.stringContaining('Forbidden') };
    for (const write of writes) expect(write).toMatchObject({ status: 'rejected', reason: forbidden });
    expect(await post({ url: server.url, token: 'read-only' }, 'reset')).toMatchObject({ status: 403 });
    expect((await index.info()).vectorCount).toBe(1);
  });
});

describe('a request that the index cannot take', () => {
  it.each([
    ['upsert', { id: 'a', vector: [1, 0, 0] }, 422, 'Invalid vector dimension: 3, expected: 2'],
    ['query', { vector: [1], topK: 1 }, 422, 'Invalid vector dimension: 1, expected: 2'],
    ['upsert-data', { id: 'a', data: 'text' }, 422, 'Embedding data for this index is not allowed. The index must be'],
    ['query-data', { data: 'text' }, 422, 'Embedding data for this index is not allowed. The index must be created'],
    [
      'upsert',
      [
        { id: 'a', vector },
        { id: 'b', data: 'text' },
      ],
      422,
      'This index requires dense vectors.',
    ],
    ['upsert', { id: 'a', vector, sparseVector: { indices: [1], values: [1] } }, 422, 'does not take sparse vectors'],
    ['upsert', { id: '', vector }, 400, 'Invalid request'],
    ['upsert', { id: 'a', vector: ['1', '0'] }, 400, 'Invalid request'],
    ['upsert', [], 400, 'Invalid request'],
    ['upsert', '{"id":', 400, 'not valid JSON'],
    ['delete', { ids: ['a'], prefix: 'b' }, 422, 'Only and only one of the ids, prefix, or filter must be provided.'],
    ['delete', {}, 422, 'Only and only one of the ids, prefix, or filter must be provided.'],
    ['delete', { filter: 'name' }, 400, 'Invalid filter'],
    ['fetch', { ids: ['a'], prefix: 'b' }, 422, 'Only one of ids or prefix must be provided.'],
    ['fetch', {}, 422, 'Only one of ids or prefix must be provided.'],
    ['range', { cursor: '0', limit: 0 }, 400, 'Invalid request'],
    ['range', { cursor: 'x', limit: 1 }, 400, 'Invalid cursor'],
    ['delete-namespace/none', [], 404, 'Namespace none for the index shop does not exist'],
    ['delete-namespace/', [], 404, 'Not found'],
    ['info/ns', [], 404, 'Not found'],
    ['unknown', {}, 404, 'Not found'],
  ])('is refused: %s %j', async (path, body, status, message) => {
    const { server } = await startVector(dense);
    const answer = await post(server, path, body);
    expect(answer).toEqual({ status, body: { error: expect.stringContaining(message), status } });
  });

  it('reaches the caller of the SDK as its message', async () => {
    const { index } = await startVector(dense);
    await expect(index.upsert({ id: 'a', vector: [1] })).rejects.toThrow('Invalid vector dimension: 1, expected: 2');
    await expect(index.delete({ ids: ['a'], prefix: 'b' } as never)).rejects.toThrow('Only and only one of');
    await expect(index.fetch({ ids: ['a'], prefix: 'b' } as never)).rejects.toThrow('Only one of ids or prefix');
  });

  it('writes nothing of a batch of which one part is wrong', async () => {
    const { index } = await startVector(dense);
    await expect(
      index.upsert([
        { id: 'a', vector },
        { id: 'b', vector: [1] },
      ]),
    ).rejects.toThrow('dimension');
    expect(await index.fetch(['a'])).toEqual([null]);
  });

  it('needs POST, or the method that fits', async () => {
    const { server } = await startVector(dense);
    expect(await post(server, 'info', undefined, { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await post(server, 'reset', undefined, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await post(server, 'reset', undefined, { method: 'GET' })).toMatchObject({ status: 405 });
    expect(await post(server, 'info', undefined, { method: 'DELETE' })).toMatchObject({ status: 405 });
  });
});

describe('limits', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at, vector }));

  it('are 1,000 vectors a write, an answer, a page and a list of ids', async () => {
    const { server, index } = await startVector(dense);
    expect(await index.upsert(many(1000))).toBe('Success');
    expect(await index.query({ vector, topK: 1000 })).toHaveLength(1000);
    expect((await index.range({ cursor: 0, limit: 1000 })).vectors).toHaveLength(1000);
    const ids = many(1001).map(({ id }) => id);
    for (const [path, body] of [
      ['upsert', many(1001)],
      ['query', { vector, topK: 1001 }],
      ['query', { vector, topK: 0 }],
      ['range', { cursor: 0, limit: 1001 }],
      ['fetch', { ids }],
      ['delete', { ids }],
    ] as const) {
      expect((await post(server, path, body)).status, path).toBe(400);
    }
  });

  it('are 48 KB of metadata and 1 MB of data a vector, also after an update', async () => {
    const { index } = await startVector(dense);
    const text = (length: number) => 'x'.repeat(length);
    await index.upsert({ id: 'a', vector, metadata: { text: text(48 * 1024 - 11) }, data: text(1024 * 1024) });
    await expect(index.upsert({ id: 'b', vector, metadata: { text: text(48 * 1024) } })).rejects.toThrow('Metadata is');
    await expect(index.upsert({ id: 'b', vector, data: text(1024 * 1024 + 1) })).rejects.toThrow('Data is too large');
    const patch = { id: 'a', metadata: { more: text(100) }, metadataUpdateMode: 'PATCH' as const };
    await expect(index.update(patch)).rejects.toThrow('Metadata is too large');
  });

  it('are 1,000 entries of 32 bits in a sparse vector', async () => {
    const { index } = await startVector({ indexes: [{ type: 'SPARSE' }] });
    const sparse = (count: number) => ({
      indices: Array.from({ length: count }, (_, at) => at),
      values: Array.from({ length: count }, () => 1),
    });
    expect(await index.upsert({ id: 'a', sparseVector: sparse(1000) })).toBe('Success');
    await expect(index.upsert({ id: 'a', sparseVector: sparse(1001) })).rejects.toThrow('too long');
    const beyond = { indices: [2 ** 31], values: [1] };
    await expect(index.upsert({ id: 'a', sparseVector: beyond })).rejects.toThrow('Invalid request');
    const uneven = { indices: [1, 2], values: [1] };
    await expect(index.upsert({ id: 'a', sparseVector: uneven })).rejects.toThrow('Invalid sparse vector');
  });
});
