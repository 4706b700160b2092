import * as z from 'zod';

/** Upper bound of `FACT_TOKENS_PER_QUESTION`. */
export const MAX_FACT_TOKENS = 2000;

/** Configuration of the embedding cache. */
export const CacheConfig = z.strictObject({
  /** Maximum number of embeddings, 1 to 1,000,000. */
  maxSize: z.int().min(1).max(1_000_000).optional(),
  /** Seconds until a cached embedding expires, up to a year. */
  ttl: z.number().positive().max(31_536_000).optional(),
});
export type CacheConfig = z.infer<typeof CacheConfig>;
