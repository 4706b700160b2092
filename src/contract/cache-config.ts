import * as z from 'zod';

/** How embeddings are kept (seed 002, Configuration). */
export const CacheConfig = z.strictObject({
  /** Embeddings at most, 1 to 1,000,000. */
  maxSize: z.int().min(1).max(1_000_000).optional(),
  /** Seconds that an embedding is kept, up to a year. */
  ttl: z.number().positive().max(31_536_000).optional(),
});
export type CacheConfig = z.infer<typeof CacheConfig>;
