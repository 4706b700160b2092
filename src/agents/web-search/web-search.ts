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
  /** Prefers offers with prices to pages, where the provider tells them apart. */
  offers?: boolean | undefined;
  /** Milliseconds that are left, for whether a second attempt is worth it. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
}

/**
 * One result, made safe by `webResult`: text is plain and bounded, the address absolute http(s). What the text says is a
 * stranger's all the same.
 */
export interface WebResult {
  title: string;
  snippet: string;
  url: string | undefined;
  /** The shop or site, as the provider names it. */
  shop: string | undefined;
  price: Price | undefined;
  /** `used`, `refurbished`, as the provider says it; `undefined` for new or unknown. */
  condition: string | undefined;
}
