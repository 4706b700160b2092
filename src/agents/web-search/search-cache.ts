import type { WebResult, WebSearch, WebSearchOptions } from './web-search.ts';

/** Answers of a provider, kept in the isolate for a while. */
export interface SearchCache {
  /** The results, and whether they were remembered. A failure is not kept. */
  search(
    query: string,
    options: WebSearchOptions & { workspace: string },
  ): Promise<{ results: WebResult[]; isRemembered: boolean }>;
}

/**
 * Remembers what a search found for five minutes, 200 searches at most, the oldest go first. Workspaces share nothing,
 * so that nobody can tell from an answer's speed what another one asked.
 */
export const searchCache = (
  search: WebSearch,
  { now, limit = 200, maxAgeMs = 300_000 }: { now: () => number; limit?: number; maxAgeMs?: number },
): SearchCache => {
  const kept = new Map<string, { results: WebResult[]; untilMs: number }>();
  return {
    search: async (query, { workspace, ...options }) => {
      const { limit: most, country, language, offers = false } = options;
      const key = JSON.stringify([workspace, search.provider, query, most, country, language, offers]);
      const known = kept.get(key);
      if (known !== undefined && now() < known.untilMs) return { results: known.results, isRemembered: true };
      const results = await search.search(query, options);
      kept.delete(key);
      kept.set(key, { results, untilMs: now() + maxAgeMs });
      if (kept.size > limit) kept.delete(kept.keys().next().value ?? '');
      return { results, isRemembered: false };
    },
  };
};
