import * as z from 'zod';
import { withinLimits } from './json-object.ts';
import { Timestamp } from './names.ts';

/** Maximum number of sources in a reply. */
export const RETRIEVAL_MAX_SOURCES = 3;
/** Below this score a source is weak, and omitted unless `include_weak` is set. */
export const RETRIEVAL_MIN_SCORE = 0.7;
/** Maximum characters of an excerpt. */
export const EXCERPT_MAX_LENGTH = 150;
/** Maximum characters of an article's address; a longer one is omitted, since a cut address leads nowhere. */
export const ARTICLE_URL_MAX_LENGTH = 500;

/** `POST /v1/knowledge/retrieve`. Unknown members are refused, except within `metadata`, where `null` and empty mean absent. */
export const RetrievalRequest = z.strictObject({
  /** The primary intent from the classification: `not_hashing`. */
  intent: z.string().trim().min(1, 'is empty').max(100),
  /** The customer's latest message. */
  message: z.string().regex(/\S/, 'is empty').max(32_000),
  metadata: z
    .looseObject({
      product: z.string().trim().max(100).nullish(),
      /** File names. */
      attachments: z.array(z.string().max(300)).max(100).nullish(),
      /** Who asks: what is stored about the question is erased with the person. */
      person_id: z
        .string()
        .max(128)
        .regex(/^[!-~]*$/, 'is not an id of visible ASCII characters')
        .nullish(),
    })
    .superRefine(withinLimits({ maxDepth: 6, maxLength: 16_000 }))
    .nullish(),
  /** Shows sources below 0.7 too. */
  include_weak: z.boolean().optional(),
});
export type RetrievalRequest = z.infer<typeof RetrievalRequest>;

/** An article that was found. */
export const RetrievedSource = z.object({
  title: z.string().min(1, 'is empty').max(200),
  /** The address of the article; its id when that has none of at most 500 characters. */
  url: z.string().min(1, 'is empty').max(ARTICLE_URL_MAX_LENGTH),
  /** Probability that the article answers the message, 0 to 1. */
  relevance_score: z.number().min(0).max(1),
  /** A snippet of the article, 150 characters at most. */
  excerpt: z.string().max(EXCERPT_MAX_LENGTH),
  last_updated: Timestamp,
});
export type RetrievedSource = z.infer<typeof RetrievedSource>;

/**
 * How well the knowledge base covers the message: `high` from 0.8 with the named product covered, `medium` from 0.7, `low` from 0.4,
 * `none` below and on failure.
 */
export const Coverage = z.enum(['high', 'medium', 'low', 'none']);
export type Coverage = z.infer<typeof Coverage>;

/**
 * `embeddings`: only words were compared, not meanings; `timeout`: the time was up before everything was searched, or before the
 * knowledge base was read; `unavailable`: the knowledge base cannot be read, or the search failed; `not_allowed`: the caller may not read
 * it; `invalid_query`: the request was invalid, see `detail`.
 */
export const RetrievalDegraded = z.enum(['embeddings', 'timeout', 'unavailable', 'not_allowed', 'invalid_query']);
export type RetrievalDegraded = z.infer<typeof RetrievalDegraded>;

/** The `knowledge_retrieval` block with weak sources allowed: what `include_weak` may return, and what a client accepts. */
export const WeakKnowledgeRetrieval = z.object({
  /** Best first, at most 3; empty when none was found or retrieval failed. */
  sources_consulted: z.array(RetrievedSource).max(RETRIEVAL_MAX_SOURCES),
  coverage: Coverage,
  /** Missing documentation, one sentence each; empty when all is covered. */
  gaps: z.array(z.string().min(1, 'is empty').max(500)).max(20),
  /** Whole milliseconds, every wait included; 0 when retrieval failed. */
  retrieval_time_ms: z.int().min(0),
  /** Why the result is degraded; absent when it is not. */
  degraded: z.array(RetrievalDegraded).min(1).max(8).optional(),
  /** Why the request could not be read, in one sentence. */
  detail: z.string().max(1000).optional(),
});
export type WeakKnowledgeRetrieval = z.infer<typeof WeakKnowledgeRetrieval>;

/** The `knowledge_retrieval` block as guaranteed (docs/contract.md#knowledge-retrieval): every source has a score of at least 0.7. */
export const KnowledgeRetrieval = WeakKnowledgeRetrieval.superRefine(({ sources_consulted }, check) => {
  for (const [index, { relevance_score }] of sources_consulted.entries()) {
    if (relevance_score >= RETRIEVAL_MIN_SCORE) continue;
    check.addIssue({
      code: 'custom',
      path: ['sources_consulted', index, 'relevance_score'],
      message: `is ${relevance_score}, below the ${RETRIEVAL_MIN_SCORE} that is guaranteed`,
    });
  }
});
export type KnowledgeRetrieval = z.infer<typeof KnowledgeRetrieval>;

/** The reply, with status 200, when retrieval fails or exceeds its deadline, or cannot read the request, which `detail` explains. */
export const unavailableRetrieval = (why?: RetrievalDegraded, detail?: string): KnowledgeRetrieval => ({
  sources_consulted: [],
  coverage: 'none',
  gaps: ['Knowledge retrieval unavailable'],
  retrieval_time_ms: 0,
  ...(why === undefined ? {} : { degraded: [why] }),
  ...(detail === undefined ? {} : { detail }),
});

/** The three fields that a v1.0 client reads. Replies of v1.0 and of v1.1 both parse with it. */
export const KnowledgeRetrievalV1 = z.object({
  sources_consulted: z.array(z.unknown()),
  coverage: z.string(),
  gaps: z.array(z.string()),
});
export type KnowledgeRetrievalV1 = z.infer<typeof KnowledgeRetrievalV1>;
