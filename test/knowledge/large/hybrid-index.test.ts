import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HybridIndex, HybridRecord } from '../../../src/knowledge/large/hybrid-index.ts';
import { upstashHybridIndex } from '../../../src/knowledge/large/upstash-hybrid-index.ts';
import {
  startVectorServer,
  type VectorServer,
} from '../../../tools/stand-ins/vector/vector-server.ts';

let server: VectorServer;

beforeAll(async () => {
  server = await startVectorServer({
    indexes: [{ dimension: 2, isHybrid: true }],
    indexingDelayMs: Number.POSITIVE_INFINITY,
    deletesLinger: true,
  });
});
afterEach(() => server.faults.none());
afterAll(() => server?.stop());

const indexOf = (namespace: string = randomUUID()): HybridIndex =>
  upstashHybridIndex({ url: server.url, token: server.token, namespace, dimensions: 2 });

const record = (at: number, more: Partial<HybridRecord> = {}): HybridRecord => ({
  id: `id${at}`,
  dense: [(at + 1) / 10, (at + 2) / 10],
  sparse: { indices: [at, at + 1], values: [(at + 1) / 10, (at + 2) / 10] },
  metadata: { b: at + 1, aud: String(at), dev: ['d1', `e${at}`] },
  data: `text ${at}`,
  ...more,
});

const filled = async (): Promise<HybridIndex> => {
  const index = indexOf();
  await index.upsert([record(0), record(1), record(2)]);
  server.finishIndexing();
  return index;
};
const idsOf = (hits: readonly { id: string }[] | undefined) => hits?.map(({ id }) => id);

describe('the hybrid index of Upstash', () => {
  it('has the scores of the service for sparse queries', async () => {
    const index = await filled();
    const [first, second] = await index.query(
      [
        { sparse: { indices: [0, 1], values: [0.1, 0.2] } },
        { sparse: { indices: [2, 3], values: [0.5, 0.5] } },
      ],
      { limit: 2 },
    );
    expect(first?.map(({ id, score }) => [id, score])).toEqual([
      ['id0', 0.028608438],
      ['id1', 0.018800145],
    ]);
    expect(second?.[0]).toMatchObject({
      id: 'id2',
      score: expect.closeTo(0.26666638, 6),
      data: 'text 2',
    });
  });
  it('gives the cosine for dense queries', async () => {
    const index = await filled();
    const [hits] = await index.query([{ dense: [0.2, 0.3] }], { limit: 3 });
    expect(hits?.[0]).toMatchObject({ id: 'id1', score: expect.closeTo(1, 6) });
    expect(hits).toHaveLength(3);
  });
  it.each([
    [{ field: 'b', atMost: 2 }, ['id0', 'id1']],
    [{ field: 'aud', in: ['0', '2'] }, ['id0', 'id2']],
    [{ field: 'dev', contains: 'e1' }, ['id1']],
    [{ field: 'dev', contains: 'd1' }, ['id0', 'id1', 'id2']],
    [{ field: 'gone', contains: 'd1' }, []],
  ])('filters by %j', async (condition, ids) => {
    const index = await filled();
    const [hits] = await index.query([{ dense: [1, 1] }], { limit: 10, filter: [condition] });
    expect(idsOf(hits)?.sort()).toEqual(ids);
  });
  it('finds a record once it is not pending, and one that was deleted for a while longer', async () => {
    const index = indexOf();
    const find = async () =>
      idsOf((await index.query([{ sparse: { indices: [1], values: [1] } }], { limit: 5 }))[0]);
    await index.upsert([record(0)]);
    expect([await find(), await index.pending()]).toEqual([[], 1]);
    expect(await index.stored(['id0', 'id9'])).toEqual(new Set(['id0']));
    server.finishIndexing();
    expect([await find(), await index.pending()]).toEqual([['id0'], 0]);
    await index.delete(['id0', 'unknown']);
    expect([await find(), await index.stored(['id0'])]).toEqual([['id0'], new Set()]);
    server.finishIndexing();
    expect(await find()).toEqual([]);
  });
  it('counts document frequencies without what was replaced or deleted', async () => {
    const index = await filled();
    const others = Array.from({ length: 1500 }, (_, at) => record(0, { id: `more${at}` }));
    await index.upsert(others);
    server.finishIndexing();
    await index.upsert(others);
    server.finishIndexing();
    await index.delete(others.map(({ id }) => id));
    server.finishIndexing();
    const [hits] = await index.query([{ sparse: { indices: [0, 1], values: [0.1, 0.2] } }], {
      limit: 5,
    });
    expect(hits?.[0]?.score).toBe(0.028608438);
  });
  it('lists all records with their metadata, and is empty once cleared', async () => {
    const index = await filled();
    expect((await index.list()).records[1]).toEqual({ id: 'id1', metadata: record(1).metadata });
    await index.clear();
    expect(await index.list()).toEqual({ records: [] });
    expect(await index.query([{ dense: [1, 1] }], { limit: 1 })).toEqual([[]]);
    expect(await index.query([{ dense: [1, 1] }, { dense: [1, 0] }], { limit: 1 })).toEqual([
      [],
      [],
    ]);
    expect(await index.query([], { limit: 1 })).toEqual([]);
  });
  it('stores 1,500 records in requests of at most 1,000', async () => {
    const index = indexOf();
    await index.upsert(Array.from({ length: 1500 }, (_, at) => record(0, { id: `r${at}` })));
    const { records, next } = await index.list();
    const last = await index.list({ cursor: next });
    expect([records.length, last.records.length, last.next]).toEqual([1000, 500, undefined]);
  });
  it.each([
    { dense: [0, 0] },
    { dense: [1] },
    { id: '' },
    { sparse: { indices: [2, 1], values: [1, 1] } },
    { sparse: { indices: [1, 1], values: [1, 1] } },
    { sparse: { indices: [-1], values: [1] } },
    { sparse: { indices: [1], values: [] } },
    { sparse: { indices: [1], values: [Number.NaN] } },
    {
      sparse: { indices: Array.from({ length: 1001 }, (_, at) => at), values: Array(1001).fill(1) },
    },
    { data: 'x'.repeat(100_001) },
    { metadata: { a: 'x'.repeat(16_001) } },
  ])('refuses a record that is out of bounds before it is sent: %#', async (more) => {
    await expect(indexOf().upsert([record(0, more)])).rejects.toThrow(RangeError);
  });
  it('refuses queries that are out of bounds', async () => {
    const many = Array.from({ length: 17 }, () => ({ dense: [1, 1] }));
    await expect(indexOf().query(many, { limit: 1 })).rejects.toThrow(RangeError);
    await expect(indexOf().query([{ dense: [1, 1] }], { limit: 101 })).rejects.toThrow(RangeError);
  });
  it.each(['[[{"id": 1}]]', '{}', '[[]]'])(
    'fails for a reply of another form: %s',
    async (reply) => {
      const index = upstashHybridIndex({
        url: server.url,
        token: 'x',
        namespace: 'n',
        dimensions: 2,
        fetch: async () => new Response(`{"result": ${reply}}`),
      });
      const two = [{ dense: [1, 1] }, { dense: [1, 0] }];
      await expect(index.query(two, { limit: 1 })).rejects.toMatchObject({ reason: 'malformed' });
    },
  );
});
