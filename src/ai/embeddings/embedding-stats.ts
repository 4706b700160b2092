import type { KnowledgeStats } from '../../contract/wire/knowledge.ts';
import type { EmbeddingStatistics } from './cached-embeddings.ts';

/** What a function says of its cache at `GET /v1/knowledge/stats`. */
export function embeddingStats(counted: EmbeddingStatistics | undefined): KnowledgeStats {
  if (counted === undefined) return { embedding_cache: null };
  const { hits, storeHits, coalesced, misses, failures, storeFaults } = counted;
  const saved = hits + storeHits + coalesced;
  const hitRate = saved + misses === 0 ? 0 : saved / (saved + misses);
  const counts = {
    hits,
    store_hits: storeHits,
    coalesced,
    misses,
    failures,
    store_faults: storeFaults,
  };
  return { embedding_cache: { ...counts, hit_rate: hitRate } };
}
