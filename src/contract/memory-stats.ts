import * as z from 'zod';
import { Timestamp } from './timestamp.ts';

const Count = z.int().min(0);

/** `GET /v1/workspaces/{workspace_id}/memories/stats`: how memories are looked for. Numbers only, no text. */
export const MemoryStats = z.object({
  /** Memories in the workspace now. */
  memories: Count,
  /** Searches and contexts since `since`. */
  searches: z.object({
    count: Count,
    /** Of these, those that found nothing. */
    empty: Count,
    /** Of these, those that had to do without vectors. */
    degraded: Count,
    /** Of these, those that ended with an error. */
    failed: Count,
    /** Upper bounds in milliseconds, of those that did not fail; absent before the first. */
    latency_ms: z.object({ p50: z.number().min(0), p95: z.number().min(0) }).optional(),
    /** When the first was counted. */
    since: Timestamp.optional(),
  }),
  /** The cache of query embeddings for searches of this workspace, as the isolate that answers sees it; absent where there is none. */
  embedding_cache: z.object({ hits: Count, misses: Count, hit_rate: z.number().min(0).max(1) }).optional(),
});
export type MemoryStats = z.infer<typeof MemoryStats>;
