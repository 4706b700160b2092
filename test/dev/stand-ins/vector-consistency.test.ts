import { describe, expect, it } from 'vitest';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const start = async (options = {}) => {
  const clock = { now: 1_000_000 };
  const started = await startVector({ indexingDelayMs: 150, now: () => clock.now, ...options });
  const find = async () => (await started.index.query({ vector, topK: 10, includeMetadata: true })).map(({ id }) => id);
  return { ...started, clock, find };
};

describe('a write', () => {
  it('is visible to fetch and range at once, and to queries after the delay, when nothing is pending', async () => {
    const { index, clock, find } = await start();
    await index.upsert([{ id: 'a', vector }], { namespace: 'ns' });
    await index.upsert([{ id: 'b', vector }]);
    clock.now += 149;
    expect(await index.fetch(['b'])).toEqual([{ id: 'b' }]);
    expect((await index.range({ cursor: 0, limit: 5 })).vectors).toEqual([{ id: 'b' }]);
    expect(await find()).toEqual([]);
    expect(await index.info()).toMatchObject({
      vectorCount: 0,
      pendingVectorCount: 2,
      namespaces: { '': { vectorCount: 0, pendingVectorCount: 1 }, ns: { vectorCount: 0, pendingVectorCount: 1 } },
    });
    clock.now += 1;
    expect(await index.info()).toMatchObject({ vectorCount: 2, pendingVectorCount: 0 });
    expect(await find()).toEqual(['b']);
  });

  it('leaves the old version to queries until then', async () => {
    const { index, clock } = await start();
    await index.upsert({ id: 'a', vector, metadata: { version: 1 } });
    clock.now += 150;
    await index.upsert({ id: 'a', vector, metadata: { version: 2 } });
    const versions = async () =>
      (await index.query({ vector, topK: 1, includeMetadata: true })).map(({ metadata }) => metadata?.version);
    expect(await versions()).toEqual([1]);
    expect((await index.fetch(['a'], { includeMetadata: true }))[0]?.metadata).toEqual({ version: 2 });
    clock.now += 150;
    expect(await versions()).toEqual([2]);
  });

  it('stays hidden from queries until finishIndexing when the delay is infinite', async () => {
    const { server, index, find } = await start({ indexingDelayMs: Number.POSITIVE_INFINITY });
    await index.upsert({ id: 'a', vector });
    expect(await find()).toEqual([]);
    server.finishIndexing();
    expect(await find()).toEqual(['a']);
  });
});

describe('a delete', () => {
  it('removes a vector from queries at once, also a pending one', async () => {
    const { index, clock, find } = await start();
    await index.upsert({ id: 'a', vector });
    clock.now += 150;
    await index.upsert({ id: 'b', vector });
    await index.delete(['a', 'b']);
    expect(await find()).toEqual([]);
    expect(await index.info()).toMatchObject({ vectorCount: 0, pendingVectorCount: 0 });
    clock.now += 150;
    expect(await find()).toEqual([]);
  });

  it('reaches queries after the delay when deletes linger, and fetch at once', async () => {
    const { index, clock, find } = await start({ deletesLinger: true });
    await index.upsert({ id: 'a', vector });
    clock.now += 150;
    await index.delete('a');
    expect(await index.fetch(['a'])).toEqual([null]);
    expect(await find()).toEqual(['a']);
    clock.now += 150;
    expect(await find()).toEqual([]);
  });
});
