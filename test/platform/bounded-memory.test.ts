import { describe, expect, it } from 'vitest';
import { linkCache, memoryReplayStore } from '../../src/platform/context/verify-context.ts';

describe('linkCache()', () => {
  it('holds the most recently used links up to its limit', () => {
    const cache = linkCache(2);
    cache.add('v1', 'a');
    cache.add('v1', 'b');
    expect(cache.has('v1', 'a')).toBe(true);
    cache.add('v1', 'c');
    expect(['a', 'b', 'c'].map((link) => cache.has('v1', link))).toEqual([true, false, true]);
  });
  it('is cleared when the directory changes, also when it changes back', () => {
    const cache = linkCache();
    cache.add('v1', 'a');
    expect(cache.has('v2', 'a')).toBe(false);
    expect(cache.has('v1', 'a')).toBe(false);
  });
});

describe('memoryReplayStore()', () => {
  const options = (nowMs: number) => ({ workspace: 'default', ttlSeconds: 65, nowMs });
  it('recognises a call while it could be replayed', async () => {
    const store = memoryReplayStore();
    expect(await store.isFirst('a', options(0))).toBe(true);
    expect(await store.isFirst('a', options(64_999))).toBe(false);
    expect(await store.isFirst('a', options(65_000))).toBe(true);
  });
  it('holds calls up to its limit and evicts the oldest', async () => {
    const store = memoryReplayStore(2);
    for (const link of ['a', 'b', 'c']) await store.isFirst(link, options(0));
    expect(await store.isFirst('c', options(1))).toBe(false);
    expect(await store.isFirst('b', options(1))).toBe(false);
    expect(await store.isFirst('a', options(1))).toBe(true);
  });
});
