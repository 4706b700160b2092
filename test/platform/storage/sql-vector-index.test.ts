import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sqlVectorIndex } from '../../../src/platform/storage/sql-vector-index.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { cosine } from '../../knowledge/vectors-for-test.ts';
import { describeVectorIndex } from './describe-vector-index.ts';

const makeIndex = (dimensions = 3) => {
  const sql = nodeSql();
  return { sql, index: sqlVectorIndex(sql, { namespace: 'a', dimensions }) };
};

describeVectorIndex('SQLite', async () => {
  const { sql, index } = makeIndex();
  return { index, other: sqlVectorIndex(sql, { namespace: 'b', dimensions: 3 }) };
});

it('returns the same as sorting all cosines', async () => {
  const number = fc.integer({ min: -100, max: 100 });
  const vector = fc.array(number, { minLength: 4, maxLength: 4 });
  const property = fc.asyncProperty(
    fc.array(vector, { maxLength: 700 }),
    vector.filter((each) => each.some((one) => one !== 0)),
    fc.integer({ min: 1, max: 20 }),
    async (vectors, query, limit) => {
      const { index } = makeIndex(4);
      await index.upsert(vectors.map((each, at) => ({ id: `v${at}`, vector: each })));
      const hits = await index.query(query, { limit });
      const exact = vectors.map((each) => cosine(each, query)).sort((left, right) => right - left);
      expect(hits).toHaveLength(Math.min(limit, vectors.length));
      hits.forEach(({ similarity }, at) => {
        expect(similarity).toBeCloseTo(exact[at] ?? Number.NaN, 5);
      });
    },
  );
  await fc.assert(property, { numRuns: 40 });
});
it('compares vectors whose squares overflow a 64-bit float', async () => {
  const { index } = makeIndex();
  await index.upsert([
    { id: 'huge', vector: [1e300, 0, 0] },
    { id: 'tiny', vector: [0, 1e-300, 0] },
  ]);
  const hits = await index.query([0, 1e-200, 0], { limit: 2 });
  expect(hits.map(({ id, similarity }) => [id, similarity])).toEqual([
    ['tiny', 1],
    ['huge', 0],
  ]);
});
it('skips vectors with another number of dimensions', async () => {
  const { sql, index } = makeIndex();
  await index.upsert([{ id: 'old', vector: [1, 0, 0] }]);
  const newer = sqlVectorIndex(sql, { namespace: 'a', dimensions: 2 });
  await newer.upsert([{ id: 'new', vector: [1, 0] }]);
  expect((await newer.query([1, 0], { limit: 5 })).map(({ id }) => id)).toEqual(['new']);
});
it('reports a failed database without the statement', async () => {
  const sql = nodeSql();
  const broken = sqlVectorIndex(sql, { namespace: 'a', dimensions: 3 });
  sql.run('DROP TABLE vector_record');
  await expect(broken.query([1, 0, 0], { limit: 1 })).rejects.toMatchObject({
    name: 'StoreUnavailable',
    reason: 'unavailable',
    message: 'Cannot search vectors: the database failed',
  });
});
