import type { EmbeddingStatistics } from '../ai/embeddings/cache.ts';
import type { MemoryStats } from '../contract/memory.ts';

/** What another request was embedding already counts as a hit. */
export const toldCache = ({
  hits,
  storeHits,
  coalesced,
  misses,
}: EmbeddingStatistics): MemoryStats['embedding_cache'] => {
  const all = hits + storeHits + coalesced;
  return { hits: all, misses, hit_rate: all + misses === 0 ? 0 : all / (all + misses) };
};
