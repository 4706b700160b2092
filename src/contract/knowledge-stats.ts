import * as z from 'zod';

const Count = z.int().min(0);

/** `GET /v1/knowledge/stats`: how questions of the workspace became vectors, as the isolate that answers sees it. Numbers only, no text. */
export const KnowledgeStats = z.object({
  /** Null where there is no embedding model. */
  embedding_cache: z
    .object({
      /** Found in the isolate. */
      hits: Count,
      /** Found in the store behind it. */
      store_hits: Count,
      /** Shared with a call that another request had begun. */
      coalesced: Count,
      /** Embedded by the model. */
      misses: Count,
      /** The model was asked and gave no vector. */
      failures: Count,
      /** The store failed or was too slow. */
      store_faults: Count,
      /** Of all texts, the share that cost no call of the model; 0 before the first. */
      hit_rate: z.number().min(0).max(1),
    })
    .nullable(),
});
export type KnowledgeStats = z.infer<typeof KnowledgeStats>;
