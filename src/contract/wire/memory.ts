import * as z from 'zod';
import { jsonObject } from '../core/json-object.ts';
import { MemoryId, Query, Timestamp, WorkspaceId } from '../core/names.ts';
import { MAX_FACT_TOKENS } from './budgets.ts';

/** A type of memory, free-form: `fact`, `decision`. */
export const MemoryType = z.string().trim().min(1, 'is empty').max(64);
export type MemoryType = z.infer<typeof MemoryType>;

const Content = z.string().regex(/\S/, 'is empty').max(32_000);
const Metadata = jsonObject({ maxDepth: 6, maxLength: 16_000 });

/** A memory, as stored. */
export const Memory = z.object({
  id: MemoryId,
  workspace_id: WorkspaceId,
  type: MemoryType,
  content: Content,
  /** Confidence that the statement is true, 0 to 1. */
  confidence: z.number().min(0).max(1),
  conversation_id: MemoryId.optional(),
  /** The person that it is about or from, by which all memories of a person can be erased. An id, not a name or address. */
  person_id: MemoryId.optional(),
  created_at: Timestamp,
  /** The subject of the context that stored it: `user:<id of the API key>`. Set by the server; absent on older memories. */
  stored_by: z.string().max(200).optional(),
  /** When a turn of a conversation is removed. Set by the server; no other memory expires. */
  expires_at: Timestamp.optional(),
  metadata: Metadata.optional(),
});
export type Memory = z.infer<typeof Memory>;

/** Memories that a new one is related to; they must exist. */
export const RelatedTo = z.array(z.strictObject({ memory_id: MemoryId, type: MemoryType })).max(50);

/** A memory with the memories that it named when it was stored. */
export const MemoryRecord = Memory.extend({ related_to: RelatedTo.optional() });
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** `POST /v1/workspaces/{workspace_id}/memories`. The server sets id, workspace and time. */
export const MemoryInput = z.strictObject({
  type: MemoryType,
  content: Content,
  /** 1 when absent. */
  confidence: z.number().min(0).max(1).optional(),
  conversation_id: MemoryId.optional(),
  person_id: MemoryId.optional(),
  metadata: Metadata.optional(),
  related_to: RelatedTo.optional(),
});
export type MemoryInput = z.infer<typeof MemoryInput>;

/** A directed relation between two memories of one workspace. */
export const Relationship = z.object({
  from_memory_id: MemoryId,
  to_memory_id: MemoryId,
  /** Free-form: `supports`, `replaces`. */
  type: MemoryType,
  created_at: Timestamp,
});
export type Relationship = z.infer<typeof Relationship>;

/** A memory reached through relationships. */
export const RelatedMemory = z.object({
  memory: Memory,
  relationship: Relationship,
  /** Steps from the memory that was found; 1 is a direct relation. */
  depth: z.int().min(1),
});
export type RelatedMemory = z.infer<typeof RelatedMemory>;

/** A memory that a search found. */
export const SearchResult = z.object({
  memory: Memory,
  /** Similarity, 0 to 1. */
  score: z.number().min(0).max(1),
  /** Position after ranking, from 1. */
  rank: z.number().optional(),
  /** Only when requested. */
  relationships: z.array(RelatedMemory).max(1000).optional(),
});
export type SearchResult = z.infer<typeof SearchResult>;

/**
 * What was unavailable: `embeddings` (no vector of the text), `vectors` (they could not be stored or searched). Only words are used then.
 */
export const MemoryDegradation = z.enum(['embeddings', 'vectors']);
export type MemoryDegradation = z.infer<typeof MemoryDegradation>;

const Count = z.int().min(0);

/** A quota of which at least 90 % is used. At 100 % further memories are refused with `RATE_LIMITED`. */
export const NearlyFull = z.object({
  scope: z.enum(['workspace', 'key']),
  /** Memories that count, this one included. Turns of conversations do not count. */
  memories: Count,
  allowed: Count,
});
export type NearlyFull = z.infer<typeof NearlyFull>;

/** The reply to `POST /v1/workspaces/{workspace_id}/memories`, status 201. */
export const MemoryStored = z.object({
  memory: Memory,
  /** The memory is stored, but can only be found by its words. */
  degraded: z.array(MemoryDegradation).max(2).optional(),
  nearly_full: z.array(NearlyFull).max(2).optional(),
});
export type MemoryStored = z.infer<typeof MemoryStored>;

/** The query of `GET /v1/workspaces/{workspace_id}/memories`. */
export const MemoryListingQuery = z.strictObject({
  conversation_id: MemoryId.optional(),
  person_id: MemoryId.optional(),
  type: MemoryType.optional(),
  /** 1 to 100; 20 when absent. */
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).optional(),
  /** `next_cursor` of the previous page. */
  cursor: z.string().max(400).optional(),
  /** Adds `related_to`. */
  relations: z.literal('true').optional(),
});
export type MemoryListingQuery = z.infer<typeof MemoryListingQuery>;

/** A page of memories, newest first. */
export const MemoryPage = z.object({
  memories: z.array(MemoryRecord).max(100),
  /** Cursor of the next page; absent on the last one. A page with fewer than `limit` memories may still have a next. */
  next_cursor: z.string().max(400).optional(),
});
export type MemoryPage = z.infer<typeof MemoryPage>;

/** The query of `DELETE /v1/workspaces/{workspace_id}/memories`: exactly one of the two. */
export const MemoryErasureQuery = z
  .strictObject({ conversation_id: MemoryId.optional(), person_id: MemoryId.optional() })
  .refine((of) => (of.conversation_id === undefined) !== (of.person_id === undefined), {
    error: 'has to name a conversation_id or a person_id, and only one of them',
  });
export type MemoryErasureQuery = z.infer<typeof MemoryErasureQuery>;

/** The reply to `DELETE /v1/workspaces/{workspace_id}/memories`. */
export const MemoryErasure = z.object({
  /** Memories that were removed by this call. */
  erased: z.int().min(0),
  /** Kept answers to the person, or of the conversation, that were removed with them. */
  answers: z.int().min(0).optional(),
});
export type MemoryErasure = z.infer<typeof MemoryErasure>;

/** The reply to `POST /v1/workspaces/{workspace_id}/memories/search`. */
export const MemorySearchResponse = z.object({
  /** Best first. */
  results: z.array(SearchResult).max(100),
  degraded: z.array(MemoryDegradation).max(2).optional(),
});
export type MemorySearchResponse = z.infer<typeof MemorySearchResponse>;

/** Types of memories that reach answers as what is known about the asker. */
export const FACT_TYPES = ['fact', 'preference', 'decision'] as const satisfies MemoryType[];

/** What the gateway asks the memory function for a question. One of the ids is there. */
export const FactsRequest = z
  .strictObject({
    query: Query,
    /** Then only facts of this person are read, whatever the conversation. */
    person_id: MemoryId.optional(),
    conversation_id: MemoryId.optional(),
    token_budget: z.int().min(1).max(MAX_FACT_TOKENS),
  })
  .refine((of) => of.conversation_id !== undefined || of.person_id !== undefined, {
    error: 'has to name a conversation_id or a person_id',
  });
export type FactsRequest = z.infer<typeof FactsRequest>;

export const Facts = z.object({
  /** Each on one line, best first. One that does not fit the budget by itself is cut. */
  facts: z.array(z.string().min(1).max(40_000)).max(100),
  /** Tokens of all facts together. */
  tokens: Count,
  degraded: z.array(MemoryDegradation).max(2).optional(),
});
export type Facts = z.infer<typeof Facts>;

/** The reply to `POST /v1/workspaces/{workspace_id}/memories/search/batch`. */
export const MemoryBatchResponse = z.object({
  /** In the order of the queries. */
  results: z.array(MemorySearchResponse.shape.results).max(20),
  degraded: MemorySearchResponse.shape.degraded,
});
export type MemoryBatchResponse = z.infer<typeof MemoryBatchResponse>;

const Used = z.object({ used: Count, allowed: Count });
/** `turns` are questions with their answers; the oldest are removed for new ones, so they are never refused. */
const Quotas = z.object({ memories: Used, turns: Used });

/** `GET /v1/workspaces/{workspace_id}/memories/stats`: statistics of memory searches. Numbers only, no text. */
export const MemoryStats = z.object({
  /** Memories in the workspace now, without turns of conversations. */
  memories: Count,
  /** Quotas of the workspace, and of the key that asks. */
  quotas: z.object({ workspace: Quotas, key: Quotas }),
  /** Searches and contexts since `since`. */
  searches: z.object({
    count: Count,
    /** Those without a result. */
    empty: Count,
    /** Those without vectors. */
    degraded: Count,
    /** Those that failed. */
    failed: Count,
    /** Upper bounds in milliseconds, without failed ones; absent before the first. */
    latency_ms: z.object({ p50: z.number().min(0), p95: z.number().min(0) }).optional(),
    /** When the first was counted. */
    since: Timestamp.optional(),
  }),
  /** Searches in the answering isolate since it started, each query of a batch by itself; absent before the first. */
  isolate: z
    .object({
      count: Count,
      empty: Count,
      failed: Count,
      since: Timestamp,
      latency_ms: z
        .object({
          mean: z.number().min(0),
          p50: z.number().min(0),
          p95: z.number().min(0),
          max: z.number().min(0),
        })
        .optional(),
    })
    .optional(),
  /** The cache of query embeddings for searches of this workspace, as seen by the current isolate; absent when there is none. */
  embedding_cache: z
    .object({ hits: Count, misses: Count, hit_rate: z.number().min(0).max(1) })
    .optional(),
});
export type MemoryStats = z.infer<typeof MemoryStats>;
