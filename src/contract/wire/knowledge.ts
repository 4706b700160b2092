import * as z from 'zod';
import { withinLimits } from '../core/json-object.ts';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { MemoryId, Query, Timestamp } from '../core/names.ts';

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
   * whose text could not be read are missing; `freshness`: the host did not say in time what it has changed. */
  degraded: z
    .array(z.enum(['embeddings', 'texts', 'freshness']))
    .min(1)
    .max(8)
    .optional(),
});
export type KnowledgeSearchResponse = z.infer<typeof KnowledgeSearchResponse>;

const Count = z.int().min(0);

/** How a cache of query embeddings did, as seen by an isolate. Numbers only, no text. */
export const EmbeddingCacheCounts = z.object({
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
});
export type EmbeddingCacheCounts = z.infer<typeof EmbeddingCacheCounts>;

/** `GET /v1/knowledge/stats`: statistics of the query embedding caches of the workspace, as seen by the current isolates. */
export const KnowledgeStats = z.object({
  /** All functions together; null without an embedding model. */
  embedding_cache: EmbeddingCacheCounts.nullable(),
  /** By the function that embeds: `semantic` for searches and answers about documents, `support` for the retrieval of tickets. */
  by_function: z.record(z.string().max(64), EmbeddingCacheCounts.nullable()).optional(),
});
export type KnowledgeStats = z.infer<typeof KnowledgeStats>;

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
 * `embeddings`: only words were compared, not meanings; `freshness`: the host did not say in time what it has changed since the last sync;
 * `timeout`: the time was up before everything was searched, or before the knowledge base was read; `unavailable`: the knowledge base cannot be read, or the search failed; `not_allowed`: the caller may not read
 * it; `invalid_query`: the request was invalid, see `detail`.
 */
export const RetrievalDegraded = z.enum([
  'embeddings',
  'freshness',
  'timeout',
  'unavailable',
  'not_allowed',
  'invalid_query',
]);
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
export const KnowledgeRetrieval = WeakKnowledgeRetrieval.superRefine(
  ({ sources_consulted }, check) => {
    for (const [index, { relevance_score }] of sources_consulted.entries()) {
      if (relevance_score >= RETRIEVAL_MIN_SCORE) continue;
      check.addIssue({
        code: 'custom',
        path: ['sources_consulted', index, 'relevance_score'],
        message: `is ${relevance_score}, below the ${RETRIEVAL_MIN_SCORE} that is guaranteed`,
      });
    }
  },
);
export type KnowledgeRetrieval = z.infer<typeof KnowledgeRetrieval>;

/** The reply, with status 200, when retrieval fails or exceeds its deadline, or cannot read the request, which `detail` explains. */
export function unavailableRetrieval(why?: RetrievalDegraded, detail?: string): KnowledgeRetrieval {
  return {
    sources_consulted: [],
    coverage: 'none',
    gaps: ['Knowledge retrieval unavailable'],
    retrieval_time_ms: 0,
    ...(why === undefined ? {} : { degraded: [why] }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** The three fields that a v1.0 client reads. Replies of v1.0 and of v1.1 both parse with it. */
export const KnowledgeRetrievalV1 = z.object({
  sources_consulted: z.array(z.unknown()),
  coverage: z.string(),
  gaps: z.array(z.string()),
});
export type KnowledgeRetrievalV1 = z.infer<typeof KnowledgeRetrievalV1>;

/**
 * What is missing: `product`: the named product has no article of its own on this; `intent`: no article is about the intent; `question`:
 * a part of the question is covered by no source; `outdated`: the article is older than the product.
 */
export const GapKind = z.enum(['product', 'intent', 'question', 'outdated']);
export type GapKind = z.infer<typeof GapKind>;

/** Weeks over which gaps are counted. */
export const GAP_WEEKS = 8;

/** Something that customers ask and the knowledge base does not answer. */
export const KnowledgeGap = z.object({
  id: z.string().min(1).max(100),
  kind: GapKind,
  /** The question in a customer's words, the newest one, without personal data. */
  gap: z.string().min(1, 'is empty').max(500),
  /** What the articles lack, as a sentence of `knowledge_retrieval.gaps`; null where only the question is known. */
  missing: z.string().max(500).nullable().default(null),
  intent: z.string().max(100).nullable(),
  product: z.string().max(100).nullable(),
  /** How often it occurred. */
  count: z.int().min(1),
  /** The newest questions, without personal data. */
  example_queries: z.array(z.string().max(1000)).max(5),
  state: z.enum(['open', 'closed']),
  first_seen: Timestamp,
  last_seen: Timestamp,
  /** How often it occurred in each of the last eight weeks of seven days (UTC), the oldest first; the last one ends today. */
  weeks: z.array(z.int().min(0)).max(GAP_WEEKS),
  /** When an edition closed it; null while it is open. */
  closed_at: Timestamp.nullable(),
  /** The edition that it was last checked against. */
  checked_edition: z.string().max(200).nullable(),
});
export type KnowledgeGap = z.infer<typeof KnowledgeGap>;

/**
 * `POST /v1/knowledge/gaps`: a question that the articles should answer. Questions that were declined, answered in doubt or disliked are
 * reported by the gateway itself, where answers are kept.
 */
export const KnowledgeGapReport = z.strictObject({
  /** 1 to 4,000 characters; stored without personal data. */
  question: Query,
  /** `reported` when absent: by a person. */
  why: z.enum(['reported', 'declined', 'unsure', 'disliked']).optional(),
  /** Who asked: the question is erased with the person. */
  person_id: MemoryId.nullish(),
});
export type KnowledgeGapReport = z.infer<typeof KnowledgeGapReport>;

/** Reply of `POST /v1/knowledge/gaps`: what became of the report. */
export const KnowledgeGapReported = z.object({
  /** The gap that it counts for, as it stands now; null when none was recorded. */
  gap: KnowledgeGap.nullable(),
  /**
   * `new`: a gap was added; `counted`: the same was asked before; `repeated`: this question was counted within the last hour already;
   * `answered`: the articles answer it; `no_question`: it asks nothing of the articles, or has no word to search for; `limit`: the key has
   * added as many gaps as it may in a day; `unavailable`: the articles or the gaps could not be read.
   */
  outcome: z.enum([
    'new',
    'counted',
    'repeated',
    'answered',
    'no_question',
    'limit',
    'unavailable',
  ]),
});
export type KnowledgeGapReported = z.infer<typeof KnowledgeGapReported>;

/** Questions that the gateway reports in one call. */
export const MAX_REPORTED_TOGETHER = 20;

/** What the gateway reports together. */
export const KnowledgeGapReports = z.array(KnowledgeGapReport).min(1).max(MAX_REPORTED_TOGETHER);

/** What became of each report, in their order. */
export const KnowledgeGapsReported = z.object({
  reported: z.array(KnowledgeGapReported).max(MAX_REPORTED_TOGETHER),
});
export type KnowledgeGapsReported = z.infer<typeof KnowledgeGapsReported>;

/** Query of `GET /v1/knowledge/gaps`. */
export const KnowledgeGapsRequest = z.strictObject({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  /**
   * Only those of the last so many times 24 hours, at most eight weeks: open ones that occurred then, by how often they did on those
   * days (UTC); closed ones that were closed then, with the state `closed` the newest first.
   */
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(GAP_WEEKS * 7)
    .optional(),
  /** Only the one that was recorded of this question, in these words: one of its newest five. */
  question: z.string().trim().min(1, 'is empty').max(4000).optional(),
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});
export type KnowledgeGapsRequest = z.infer<typeof KnowledgeGapsRequest>;

/** Query of `DELETE /v1/knowledge/gaps`. */
export const GapsErasureQuery = z.strictObject({ person_id: MemoryId });

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

/** What may be wrong with an article. */
export const HealthKind = z.enum([
  /** The same sentence stands in another article with another number. */
  'contradiction',
  /** Most of its sentences stand in another article too. */
  'duplicate',
  /** Another article about the same product is more than a year newer. */
  'outdated',
  /** A link to an article that there is not. */
  'dead_link',
  /** A heading with next to nothing below it. */
  'empty_section',
  /** A search for its own title finds other articles first. */
  'not_found_by_title',
]);
export type HealthKind = z.infer<typeof HealthKind>;

/** A place in an article. */
export const HealthPlace = z.object({
  article_id: KnowledgeFile,
  title: z.string().max(500),
  url: z.string().max(2048),
  /** The headings above it, joined by ` > `; empty at the top of an article, absent when the whole article is meant. */
  heading: z.string().max(2000).optional(),
  /** What it says there. */
  text: z.string().max(1000).optional(),
});
export type HealthPlace = z.infer<typeof HealthPlace>;

/** Something to look at. */
export const HealthFinding = z.object({
  kind: HealthKind,
  place: HealthPlace,
  /** The other article, where two are compared. */
  other: HealthPlace.optional(),
  /** What differs or is missing: `30 instead of 60`, the target of a link, the days on which two articles were changed. */
  detail: z.string().max(500),
});
export type HealthFinding = z.infer<typeof HealthFinding>;

/** The most findings of one reply, of each kind. */
export const MAX_FINDINGS = 50;

/** `GET /v1/knowledge/health`: what writers should look at, in the current edition. */
export const KnowledgeHealth = z.object({
  edition: z.string().min(1).max(128),
  created_at: Timestamp,
  articles: z.int().min(0),
  /** All that were found, by kind, also those that are not listed. */
  counts: z.record(HealthKind, z.int().min(0)),
  /** At most 50 of each kind. */
  findings: z.array(HealthFinding).max(MAX_FINDINGS * HealthKind.options.length),
  /** What was too large to be compared whole: `statements` beyond 60,000, `titles` beyond 2,000; absent when nothing was. */
  unchecked: z
    .array(z.enum(['statements', 'titles']))
    .min(1)
    .max(2)
    .optional(),
});
export type KnowledgeHealth = z.infer<typeof KnowledgeHealth>;
