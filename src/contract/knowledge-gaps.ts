import * as z from 'zod';
import { Timestamp } from './names.ts';

/**
 * What is missing: `product`: the named product has no article of its own on this; `intent`: no article is about the intent; `question`:
 * a part of the question is covered by no source; `outdated`: the article is older than the product.
 */
export const GapKind = z.enum(['product', 'intent', 'question', 'outdated']);
export type GapKind = z.infer<typeof GapKind>;

/** Something that customers ask and the knowledge base does not answer. */
export const KnowledgeGap = z.object({
  id: z.string().min(1).max(100),
  kind: GapKind,
  /** One sentence, as in `knowledge_retrieval.gaps`. */
  gap: z.string().min(1, 'is empty').max(500),
  intent: z.string().max(100).nullable(),
  product: z.string().max(100).nullable(),
  /** How often it occurred. */
  count: z.int().min(1),
  /** The newest questions, without personal data. */
  example_queries: z.array(z.string().max(1000)).max(5),
  state: z.enum(['open', 'closed']),
  first_seen: Timestamp,
  last_seen: Timestamp,
  /** When an edition closed it; null while it is open. */
  closed_at: Timestamp.nullable(),
  /** The edition that it was last checked against. */
  checked_edition: z.string().max(200).nullable(),
});
export type KnowledgeGap = z.infer<typeof KnowledgeGap>;

/** Query of `GET /v1/knowledge/gaps`. */
export const KnowledgeGapsRequest = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});
export type KnowledgeGapsRequest = z.infer<typeof KnowledgeGapsRequest>;

/** Reply of `GET /v1/knowledge/gaps`: most frequent first. */
export const KnowledgeGapsResponse = z.object({
  gaps: z.array(KnowledgeGap).max(200),
  /** Number of gaps with that state. */
  total: z.int().min(0),
  next_cursor: z.string().max(200).nullable(),
  /** The edition that the states refer to; null before the first. */
  edition: z.string().max(200).nullable(),
});
export type KnowledgeGapsResponse = z.infer<typeof KnowledgeGapsResponse>;
