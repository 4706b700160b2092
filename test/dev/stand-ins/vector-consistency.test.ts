import { describe, expect, it, vi } from 'vitest';
import { startVector } from './vector-clients.ts';

const vector = [1, 0];
const start = async (options = {}) => {
  const clock = { now: 1_000_000 };
  const started = await startVector({
    indexes: [{ dimension: 2 }],
    indexingDelayMs: 150,
    now: () => clock.now,
    ...options,
  });
  const find = async () => (await started.index.query({ vector, topK: 10, includeMetadata: true })).map(({ id }) => id);
  return { ...started, clock, find };
};

describe('what was written', () => {
  it('is fetched at once, and found by queries after the delay, when nothing is pending any more', async () => {
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

  it('leaves the older version to queries until then', async () => {
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

  it('waits by the clock of the machine when no other is given', async () => {
    const { index, find } = await start({ now: Date.now, indexingDelayMs: 30 });
    await index.upsert({ id: 'a', vector });
    await vi.waitFor(async () => expect((await index.info()).pendingVectorCount).toBe(0), { timeout: 5000 });
    expect(await find()).toEqual(['a']);
  });

  it('waits for 150 ms by default', async () => {
    const { server } = await startVector({ indexingDelayMs: undefined as never });
    expect(server.indexing.delayMs).toBe(150);
  });

  it('can be held back until it is let go', async () => {
    const { server, index, find } = await start({ indexingDelayMs: Number.POSITIVE_INFINITY });
    await index.upsert({ id: 'a', vector });
    expect(await find()).toEqual([]);
    server.finishIndexing();
    expect(await find()).toEqual(['a']);
    server.indexing.delayMs = 0;
    await index.upsert({ id: 'b', vector });
    expect(await find()).toEqual(['a', 'b']);
  });
});

describe('what was deleted', () => {
  it('is gone from queries at once, also while it is pending', async () => {
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

  it('stays in queries until the delay has passed if configured, but not in fetch', async () => {
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
