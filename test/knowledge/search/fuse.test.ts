import { expect, it } from 'vitest';
import { fuse } from '../../../src/knowledge/search/search-edition.ts';

type ByChunk = Record<number, number>;

/** Fuses lexical scores and cosines, both by chunk. */
const fused = (
  orders: ByChunk,
  near: ByChunk,
  { model = 'text-embedding-3-small', total = 10 } = {},
) => {
  const candidates = Object.entries(orders)
    .map(([chunk, order]) => ({ hit: { chunk: Number(chunk) }, order }))
    .toSorted((left, right) => right.order - left.order);
  const similarities = Object.entries(near).map(
    ([chunk, similarity]) => [Number(chunk), similarity] as const,
  );
  return fuse(candidates, { model, near: new Map(similarities), total });
};

it.each<[string, ByChunk, ByChunk, number[], options?: Parameters<typeof fused>[2]]>([
  [
    'ranks a good lexical match above a similar vector',
    { 1: 20, 2: 0 },
    { 2: 0.7, 1: 0.3 },
    [1, 2],
  ],
  [
    'ranks a very similar vector above a weak match',
    { 1: 4, 2: 0 },
    { 2: 0.7, 3: 0.42, 1: 0.45 },
    [2, 1],
  ],
  ['does not rank distant vectors above a weak match', { 1: 4, 2: 0 }, { 2: 0.25, 3: 0.2 }, [1, 2]],
  [
    'breaks lexical ties by vectors',
    { 1: 10, 2: 9.9, 3: 9.8 },
    { 3: 0.6, 2: 0.5, 1: 0.4 },
    [3, 2, 1],
  ],
  [
    'weights an unknown model less',
    { 1: 4, 2: 0 },
    { 2: 0.7, 3: 0.42, 1: 0.45 },
    [1, 2],
    { model: 'unheard-of' },
  ],
  [
    'ranks by vectors when no word is known',
    { 1: 0, 2: 0, 3: 0 },
    { 1: 0.1, 2: 0.2, 3: 0.3 },
    [3, 2, 1],
    { total: 0 },
  ],
  ['keeps the lexical order when no vector is close', { 1: 10, 2: 30, 3: 20 }, {}, [2, 3, 1]],
])('fuse() %s', (_, orders, near, expected, options) => {
  expect(fused(orders, near, options).map(({ chunk }) => chunk)).toEqual(expected);
});

it('fuse() depends on differences of cosines, not on their range', () => {
  const [orders, near] = [
    { 1: 12, 2: 8, 3: 4, 4: 2 },
    { 1: 0.31, 2: 0.4, 3: 0.62, 5: 0.2 },
  ];
  const moved = Object.fromEntries(
    Object.entries(near).map(([chunk, similarity]) => [chunk, similarity - 0.15]),
  );
  const chunks = [near, moved].map((each) => fused(orders, each).map(({ chunk }) => chunk));
  expect(chunks[1]).toEqual(chunks[0]);
});

it('fuse() exposes the score that determines the order, and the similarity of close chunks only', () => {
  const hits = fused({ 1: 20, 2: 5, 3: 11 }, { 2: 0.4, 3: 0.39 });
  const scores = hits.map((hit) => hit.fused);
  expect(scores).toEqual(scores.toSorted((left, right) => right - left));
  expect(Object.fromEntries(hits.map(({ chunk, similarity }) => [chunk, similarity]))).toEqual({
    2: 0.4,
    3: 0.39,
  });
});
