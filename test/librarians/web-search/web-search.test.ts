import { expect, it, vi } from 'vitest';
import { searchCache, type WebSearch } from '../../../src/librarians/web-search/web-search.ts';

const asking = { limit: 10, workspace: 'default', signal: new AbortController().signal };

/** A cache of a search that is counted, which fails for one query. */
const counting = (options: { limit?: number } = {}) => {
  const search = vi.fn<WebSearch['search']>(async (query) =>
    query === 'broken' ? Promise.reject(new Error(query)) : [],
  );
  const clock = { now: 0 };
  return {
    search,
    clock,
    cache: searchCache({ provider: 'counting', search }, { now: () => clock.now, ...options }),
  };
};

it('caches a search for five minutes', async () => {
  const { search, clock, cache } = counting();
  const cached = [];
  for (const now of [0, 1, 299_999, 300_000]) {
    clock.now = now;
    cached.push((await cache.search('q', asking)).isCached);
  }
  expect([cached, search.mock.calls.length]).toEqual([[false, true, true, false], 2]);
});
it('shares nothing between workspaces, countries, languages, limits and kinds', async () => {
  const { search, cache } = counting();
  const others = [
    {},
    { workspace: 'acme' },
    { country: 'de' },
    { language: 'de' },
    { limit: 5 },
    { offers: true },
  ];
  for (const other of others) await cache.search('q', { ...asking, ...other });
  expect(search).toHaveBeenCalledTimes(others.length);
});
it('does not cache a failure', async () => {
  const { search, cache } = counting();
  for (const _ of [1, 2]) await expect(cache.search('broken', asking)).rejects.toThrow();
  expect(search).toHaveBeenCalledTimes(2);
});
it('holds at most its limit, the oldest go first', async () => {
  const { search, cache } = counting({ limit: 2 });
  for (const query of ['a', 'b', 'c', 'b', 'a']) await cache.search(query, asking);
  expect(search.mock.calls.map(([query]) => query)).toEqual(['a', 'b', 'c', 'a']);
});
