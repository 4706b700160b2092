import type { Fetcher } from '@cloudflare/workers-types';
import { Hono } from 'hono';

/** Hands every request on over one service binding and does nothing else: the floor that the bench compares with. */
export default new Hono<{ Bindings: { EMPTY: Fetcher } }>().post('/*', (c) =>
  // The two fetch types describe the same function; the workers' one is stricter about request properties.
  (c.env.EMPTY.fetch as unknown as typeof fetch)(c.req.raw),
);
