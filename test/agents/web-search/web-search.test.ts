import { describe, expect, it } from 'vitest';
import type { WebSearch } from '../../../src/agents/web-search/web-search.ts';
import { searchCache } from '../../../src/agents/web-search/web-search.ts';

const counting = () => {
  const queries: string[] = [];
  const search: WebSearch = {
    provider: 'counting',
    search: async (query) => {
      queries.push(query);
      if (query === 'broken') throw new Error('broken');
      return [];
    },
  };
  return { queries, search };
};
const signal = new AbortController().signal;
const asking = { limit: 10, workspace: 'default', signal };

describe('searchCache()', () => {
  it('caches a search for five minutes', async () => {
    const clock = { now: 0 };
    const { queries, search } = counting();
    const cache = searchCache(search, { now: () => clock.now });
    const cached = [];
    for (const now of [0, 1, 299_999, 300_000]) {
      clock.now = now;
      cached.push((await cache.search('q', asking)).isCached);
    }
    expect(cached).toEqual([false, true, true, false]);
    expect(queries).toHaveLength(2);
  });

  it('shares nothing between workspaces, countries, languages, limits and kinds', async () => {
    const { queries, search } = counting();
    const cache = searchCache(search, { now: () => 0 });
    const others = [{}, { workspace: 'acme' }, { country: 'de' }, { language: 'de' }, { limit: 5 }, { offers: true }];
    for (const other of others) await cache.search('q', { ...asking, ...other });
    expect(queries).toHaveLength(others.length);
  });

  it('does not cache a failure', async () => {
    const { queries, search } = counting();
    const cache = searchCache(search, { now: () => 0 });
    await expect(cache.search('broken', asking)).rejects.toThrow();
    await expect(cache.search('broken', asking)).rejects.toThrow();
    expect(queries).toHaveLength(2);
  });

  it('holds at most its limit, the oldest go first', async () => {
    const { queries, search } = counting();
    const cache = searchCache(search, { now: () => 0, limit: 2 });
    for (const query of ['a', 'b', 'c', 'b', 'a']) await cache.search(query, asking);
    expect(queries).toEqual(['a', 'b', 'c', 'a']);
  });
});
