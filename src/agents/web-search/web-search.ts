import type { Price } from './parse-price.ts';

/** Finds pages and offers on the web. */
export interface WebSearch {
  /** `serpapi`, `brave`: for cache keys and metadata. */
  readonly provider: string;
  /**
   * Best first, at most `limit`; empty when nothing matches.
   *
   * @throws {CodedError} RATE_LIMITED, TIMEOUT, SERVICE_UNAVAILABLE (the key is refused) or DATA_SOURCE_ERROR, with
   *   sentences of our own; never with the key or the address in it.
   */
  search(query: string, options: WebSearchOptions): Promise<WebResult[]>;
}

export interface WebSearchOptions {
  /** 1 to 20. */
  limit: number;
  /** Two letters, lower case: where the results should come from. */
  country?: string | undefined;
  /** Two letters, lower case. */
  language?: string | undefined;
  /** Prefers offers with prices to pages, if the provider distinguishes them. */
  offers?: boolean | undefined;
  /** Milliseconds left, which decide whether a second attempt is worth it. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
}

/**
 * One result, made safe by `webResult`: text is plain and bounded, the address absolute http(s). What the text says
 * remains untrusted.
 */
export interface WebResult {
  title: string;
  snippet: string;
  url: string | undefined;
  /** The name of the shop or site, from the provider. */
  shop: string | undefined;
  price: Price | undefined;
  /** `used`, `refurbished`, in the provider's words; `undefined` for new or unknown. */
  condition: string | undefined;
}

/** Results of a provider, cached in the isolate. */
export interface SearchCache {
  /** The results, and whether they came from the cache. A failure is not cached. */
  search(
    query: string,
    options: WebSearchOptions & { workspace: string },
  ): Promise<{ results: WebResult[]; isCached: boolean }>;
}

/**
 * Caches the results of a search for five minutes, 200 searches at most; the oldest is dropped first. Workspaces share
 * nothing, so that response times do not reveal searches of other workspaces.
 */
export const searchCache = (
  search: WebSearch,
  { now, limit = 200, maxAgeMs = 300_000 }: { now: () => number; limit?: number; maxAgeMs?: number },
): SearchCache => {
  const cached = new Map<string, { results: WebResult[]; expiresAtMs: number }>();
  return {
    search: async (query, { workspace, ...options }) => {
      const { limit: most, country, language, offers = false } = options;
      const key = JSON.stringify([workspace, search.provider, query, most, country, language, offers]);
      const known = cached.get(key);
      if (known !== undefined && now() < known.expiresAtMs) return { results: known.results, isCached: true };
      const results = await search.search(query, options);
      cached.delete(key);
      cached.set(key, { results, expiresAtMs: now() + maxAgeMs });
      if (cached.size > limit) cached.delete(cached.keys().next().value ?? '');
      return { results, isCached: false };
    },
  };
};
