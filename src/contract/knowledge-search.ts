import * as z from 'zod';
import { Query, Timestamp } from './names.ts';
import { KnowledgeFile } from './navigator-response.ts';

const Label = z.string().trim().min(1, 'is empty').max(100);

/** `POST /v1/knowledge/search`: ranked passages, no threshold. */
export const KnowledgeSearchRequest = z.strictObject({
  query: Query,
  /** 1 to 50; 10 when absent. */
  limit: z.int().min(1).max(50).optional(),
  /** Only passages of articles that have these labels. */
  filter: z.strictObject({ intent: Label.optional(), device: Label.optional() }).optional(),
});
export type KnowledgeSearchRequest = z.infer<typeof KnowledgeSearchRequest>;

/** A passage that was found. */
export const KnowledgeHit = z.object({
  article_id: KnowledgeFile,
  title: z.string().max(500),
  /** Address of the article. */
  url: z.string().max(2048),
  /** The headings above the passage, outermost first, joined by ` > `; empty at the top of an article. */
  heading: z.string().max(2000),
  /** The passage, verbatim from the article. */
  text: z.string().max(64_000),
  /** Score of the engine, for ordering within one reply; not comparable between queries. */
  score: z.number(),
  /** Probability that the passage answers the question, 0 to 1; comparable between queries. */
  relevance: z.number().min(0).max(1),
  last_updated: Timestamp,
});
export type KnowledgeHit = z.infer<typeof KnowledgeHit>;

export const KnowledgeSearchResponse = z.object({
  /** The edition that was searched. */
  edition: z.string().min(1).max(128),
  /** Best first. */
  hits: z.array(KnowledgeHit).max(50),
  /** What was unavailable in time; absent when nothing was. `embeddings`: only words were compared, not meanings; `texts`: passages
   * whose text could not be read are missing. */
  degraded: z
    .array(z.enum(['embeddings', 'texts']))
    .min(1)
    .max(8)
    .optional(),
});
export type KnowledgeSearchResponse = z.infer<typeof KnowledgeSearchResponse>;

const Count = z.int().min(0);

/**
 * `GET /v1/knowledge/stats`: statistics of the query embedding cache of the workspace, as seen by the current isolate. Numbers only, no
 * text.
 */
export const KnowledgeStats = z.object({
  /** Null without an embedding model. */
  embedding_cache: z
    .object({
      /** Found in memory. */
      hits: Count,
      /** Found in the store behind it. */
      store_hits: Count,
      /** Shared with a call of another request in flight. */
      coalesced: Count,
      /** Embedded by the model. */
      misses: Count,
      /** Calls of the model without a vector. */
      failures: Count,
      /** The store failed or was too slow. */
      store_faults: Count,
      /** Share of texts without a call of the model; 0 before the first. */
      hit_rate: z.number().min(0).max(1),
    })
    .nullable(),
});
export type KnowledgeStats = z.infer<typeof KnowledgeStats>;
