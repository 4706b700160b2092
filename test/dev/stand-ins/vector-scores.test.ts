import { FusionAlgorithm, WeightingStrategy } from '@upstash/vector';
import { describe, expect, it } from 'vitest';
import { startVector, THREE_DOCUMENTS } from './vector-clients.ts';

// The scores are those that the vendor's own tests expect of the live service (upstash/vector-js and vector-py).
const hybrid = async () => {
  const started = await startVector({ indexes: [{ type: 'HYBRID', dimension: 2 }] });
  await started.index.upsert(THREE_DOCUMENTS, { namespace: 'ns' });
  return started.index.namespace('ns');
};

describe('scores of a hybrid index', () => {
  it('fuses by reciprocal ranks from 0, over lists longer than topK', async () => {
    const index = await hybrid();
    const first = { vector: [0.1, 0.1], sparseVector: { indices: [3, 4], values: [0.1, 0.2] }, topK: 1 };
    expect(await index.query({ ...first, fusionAlgorithm: FusionAlgorithm.RRF })).toEqual([
      { id: 'id2', score: 0.033333335 },
    ]);
    const second = { vector: [0.5, 0.1], sparseVector: { indices: [0, 1], values: [0.5, 0.1] }, topK: 1 };
    expect(await index.query({ ...second, includeVectors: true })).toEqual([
      { ...THREE_DOCUMENTS[0], score: 0.032795697 },
    ]);
  });

  it('gives the raw score when only one of both vectors is asked for', async () => {
    const index = await hybrid();
    const sparse = {
      sparseVector: { indices: [2, 3], values: [0.5, 0.5] },
      weightingStrategy: WeightingStrategy.IDF,
      fusionAlgorithm: FusionAlgorithm.DBSF,
      includeMetadata: true,
      topK: 1,
    };
    expect(await index.query(sparse)).toEqual([{ id: 'id2', score: 0.26666638, metadata: { key: 'value' } }]);
    const dense = { vector: [0.3, 0.4], topK: 1, fusionAlgorithm: FusionAlgorithm.DBSF };
    expect(await index.query(dense)).toEqual([{ id: 'id2', score: 1 }]);
  });

  it('goes on with a batch that is fused for itself', async () => {
    const index = await hybrid();
    const { result, fetchNext, stop } = await index.resumableQuery({
      vector: [0.1, 0.1],
      sparseVector: { indices: [0], values: [0.1] },
      topK: 2,
      maxIdle: 3600,
      includeData: true,
      weightingStrategy: WeightingStrategy.IDF,
      fusionAlgorithm: FusionAlgorithm.DBSF,
    });
    expect(result).toEqual([
      { id: 'id2', score: 0.617851, data: 'data' },
      { id: 'id0', score: 0.5 },
    ]);
    expect(await fetchNext(1)).toEqual([{ id: 'id1', score: 0.5 }]);
    expect(await fetchNext(1)).toEqual([]);
    expect(await stop()).toBe('Success');
  });

  it('fuses by the distribution of scores', async () => {
    const { index } = await startVector({ indexes: [{ type: 'HYBRID', dimension: 2 }] });
    await index.upsert([
      { id: 'id0', vector: [0.8, 0.9], sparseVector: { indices: [0, 1], values: [0.1, 0.1] } },
      { id: 'id1', vector: [0.9, 0.9], sparseVector: { indices: [1, 2], values: [0.1, 0.1] } },
      { id: 'id2', vector: [0.3, 0.9], sparseVector: { indices: [2, 3], values: [0.1, 0.1] } },
    ]);
    const found = await index.query({
      vector: [0.9, 0.9],
      sparseVector: { indices: [0, 1, 3], values: [0.1, 0.1, 100] },
      fusionAlgorithm: FusionAlgorithm.DBSF,
      topK: 10,
    });
    expect(found.map(({ id }) => id)).toEqual(['id1', 'id2', 'id0']);
  });
});

describe('scores of a sparse index', () => {
  it('weighs by inverse frequency when asked to, and leaves out what shares no index', async () => {
    const { index } = await startVector({ indexes: [{ type: 'SPARSE' }] });
    await index.upsert(THREE_DOCUMENTS.map(({ id, sparseVector }) => ({ id, sparseVector })));
    const sparseVector = { indices: [0, 1], values: [0.1, 0.2] };
    expect(await index.query({ sparseVector, topK: 5, weightingStrategy: WeightingStrategy.IDF })).toEqual([
      { id: 'id0', score: 0.028608438 },
      { id: 'id1', score: 0.018800145 },
    ]);
    expect(await index.query({ sparseVector, topK: 5 })).toEqual([
      { id: 'id0', score: expect.closeTo(0.05, 7) },
      { id: 'id1', score: expect.closeTo(0.04, 7) },
    ]);
  });
});

describe('scores of a dense index', () => {
  const vectors = { same: [1, 0], near: [0.6, 0.8], right: [0, 1], opposite: [-1, 0] };

  it.each([
    ['COSINE', [1, 0.8, 0.5, 0]],
    ['DOT_PRODUCT', [1, 0.8, 0.5, 0]],
    ['EUCLIDEAN', [1, 5 / 9, 1 / 3, 0.2]],
  ] as const)('lie between 0 and 1 by %s', async (similarityFunction, scores) => {
    const { index } = await startVector({ indexes: [{ dimension: 2, similarityFunction }] });
    await index.upsert(Object.entries(vectors).map(([id, vector]) => ({ id, vector })));
    const found = await index.query({ vector: [1, 0], topK: 4 });
    expect(found).toEqual(Object.keys(vectors).map((id, at) => ({ id, score: expect.closeTo(scores[at] ?? 0, 6) })));
  });

  it('do not depend on length by COSINE', async () => {
    const { index } = await startVector({ indexes: [{ dimension: 384 }] });
    const vector = Array.from({ length: 384 }, (_, at) => at);
    await index.upsert({ id: 1, vector: vector.map((value) => value * 7) });
    expect(await index.query({ vector, topK: 1 })).toEqual([{ id: '1', score: 1 }]);
  });

  it('print values in the shortest form of 32 bits', async () => {
    const { server, index } = await startVector({ indexes: [{ dimension: 3 }] });
    await index.upsert({ id: 'a', vector: [0.1, 1 / 3, 16777217] });
    const response = await fetch(`${server.url}/fetch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}` },
      body: JSON.stringify({ ids: ['a'], includeVectors: true }),
    });
    expect(await response.text()).toBe('{"result":[{"id":"a","vector":[0.1,0.33333334,16777216]}]}');
  });
});

it('searches 5,000 vectors of 1,536 dimensions exactly', async () => {
  const { index } = await startVector();
  const vectorOf = (seed: number) =>
    Array.from({ length: 1536 }, (_, at) => ((seed * (at + 1) * 7919 + at * 31) % 10_007) - 5003);
  for (let from = 0; from < 5000; from += 500) {
    await index.upsert(Array.from({ length: 500 }, (_, at) => ({ id: from + at, vector: vectorOf(from + at) })));
  }
  const found = await index.query({ vector: vectorOf(4321), topK: 3 });
  expect(found[0]).toEqual({ id: '4321', score: 1 });
});
