import { expect, it } from 'vitest';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const start = async (options = {}) => {
  const clock = { now: 1_000_000 };
  const started = await startVector({ indexingDelayMs: 150, now: () => clock.now, ...options });
  /** What queries find: ids with the version that they see. */
  const find = async () =>
    (await started.index.query({ vector, topK: 10, includeMetadata: true })).map(({ id, metadata }) =>
      [id, metadata?.version].join(''),
    );
  return { ...started, clock, find };
};

it('a write is visible to fetch and range at once, and to queries after the delay', async () => {
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
  expect(await index.fetch(['a'], { includeMetadata: true })).toEqual([{ id: 'a', metadata: { version: 2 } }]);
  clock.now += 150;
  expect(await find()).toEqual(['a2']);
});

it('a write stays hidden from queries until finishIndexing when the delay is infinite', async () => {
  const { server, index, find } = await start({ indexingDelayMs: Number.POSITIVE_INFINITY });
  await index.upsert({ id: 'a', vector });
  expect(await find()).toEqual([]);
  server.finishIndexing();
  expect(await find()).toEqual(['a']);
});

it.each([
  [false, []],
  [true, ['a']],
])(
  'a delete reaches fetch at once, and queries after the delay when deletesLinger is set (%j)',
  async (lingers, found) => {
    const { index, clock, find } = await start({ deletesLinger: lingers });
    await index.upsert({ id: 'a', vector });
    clock.now += 150;
    await index.upsert({ id: 'pending', vector });
    await index.delete(['a', 'pending']);
    expect(await index.fetch(['a'])).toEqual([null]);
    expect(await find()).toEqual(found);
    clock.now += 150;
    expect(await find()).toEqual([]);
  },
);
