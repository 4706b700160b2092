import type { Fetcher } from '@cloudflare/workers-types';
import { Hono } from 'hono';

/** Forwards every request over one service binding: the baseline of the benchmark. */
export default new Hono<{ Bindings: { EMPTY: Fetcher } }>().post('/*', (c) =>
  // The two fetch types describe the same function; the workers' one is stricter about request properties.
  (c.env.EMPTY.fetch as unknown as typeof fetch)(c.req.raw),
);
