import * as z from 'zod';
import { ErrorInfo } from '../core/error-info.ts';
import { Timestamp } from '../core/names.ts';

/** `POST /v1/sync`. An empty object asks for an incremental sync. */
export const SyncRequest = z.strictObject({
  /** Lists all articles, and so detects deletions. */
  full: z.boolean().optional(),
  /** Applies deletions even of more than 30 % of the articles, and recomputes all embeddings. Implies `full`. */
  force: z.boolean().optional(),
});
export type SyncRequest = z.infer<typeof SyncRequest>;

/**
 * Phases of a sync, in order: `listing` reads the host's pages, `comparing` finds differences, `chunking` splits the changed articles,
 * `embedding` fetches their vectors (with an embedding model), `publishing` builds and stores the edition. When articles were changed or
 * removed, an edition without the outdated text is also published before `embedding`. `idle`: no sync runs.
 */
export const SyncState = z.enum([
  'idle',
  'listing',
  'comparing',
  'chunking',
  'embedding',
  'publishing',
]);
export type SyncState = z.infer<typeof SyncState>;

const Count = z.int().min(0);

/** Progress of a running sync. */
export const SyncProgress = z.object({
  run_id: z.string().min(1).max(64),
  full: z.boolean(),
  started_at: Timestamp,
  /** Articles listed so far. */
  listed: Count,
  /** Total number of articles according to the host, if it reports one. */
  total: Count.optional(),
  /** Changed articles processed so far, and their total, which is 0 until the listing is complete. */
  processed: Count,
  to_process: Count,
  /** Texts embedded so far in this sync, and how many lacked a vector at the start; absent without an embedding model. */
  embedded: Count.optional(),
  to_embed: Count.optional(),
  /** Passages written into the index so far, how many are to be, and about how long that takes; absent where an edition has them. */
  indexed: Count.optional(),
  to_index: Count.optional(),
  seconds_left: Count.optional(),
});
export type SyncProgress = z.infer<typeof SyncProgress>;

/** An article that was not indexed. Its previous version, if any, stays. */
export const SkippedArticle = z.object({
  id: z.string().max(1000),
  /** One sentence: `Cannot take in the article: content is longer than 500000 characters`. */
  reason: z.string().min(1).max(500),
});
export type SkippedArticle = z.infer<typeof SkippedArticle>;

/** Deletions that were not applied because they exceed the limit. */
export const HeldDeletions = z.object({
  /** Articles missing from the listing. They all stay. */
  count: z.int().min(1),
  /** Articles before the sync. */
  of: z.int().min(1),
  /** The share above which nothing is removed, 0 to 1. */
  limit: z.number().min(0).max(1),
  /** The first of them. */
  ids: z.array(z.string().max(1000)).max(20),
  /** How to apply the deletions, in one sentence. */
  how_to_force: z.string().min(1).max(500),
});
export type HeldDeletions = z.infer<typeof HeldDeletions>;

/** Result of a sync. */
export const SyncReport = z.object({
  run_id: z.string().min(1).max(64),
  full: z.boolean(),
  forced: z.boolean(),
  /**
   * `published`: there is a new edition. `unchanged`: nothing differed or was written. `failed`: see `error`; the previous edition stays.
   */
  outcome: z.enum(['published', 'unchanged', 'failed']),
  /** Number of articles by change. */
  added: Count,
  changed: Count,
  removed: Count,
  unchanged: Count,
  /** How many were skipped, and the first 100 of them. */
  skipped_count: Count,
  skipped: z.array(SkippedArticle).max(100),
  /** Articles that were indexed with a warning: how many, and the first 100. */
  warning_count: Count,
  warnings: z.array(SkippedArticle).max(100),
  held_deletions: HeldDeletions.nullable(),
  /** Rows written and texts embedded: both 0 when nothing differed. */
  writes: Count,
  embeddings: Count,
  /** Texts without a vector, of which only the words are searched; absent when there are none. The next sync embeds them. */
  embeddings_missing: Count.optional(),
  /** True when all articles were read again, because this version reads them differently from the one before. */
  reread: z.boolean().optional(),
  error: ErrorInfo.nullable(),
  /** The edition that is current after the sync; null before the first. */
  edition: z.string().min(1).max(128).nullable(),
  started_at: Timestamp,
  finished_at: Timestamp,
});
export type SyncReport = z.infer<typeof SyncReport>;

/** `GET /v1/sync`: state of the knowledge base. */
export const SyncStatus = z.object({
  state: SyncState,
  /** The current edition; null before the first. */
  edition: z.string().min(1).max(128).nullable(),
  /** When the current edition was published, by a sync or by a change of an article; absent before the first, and for who may not read all articles. */
  published_at: Timestamp.optional(),
  /** Contents of the current edition. */
  articles: Count,
  chunks: Count,
  /** Null when idle. */
  progress: SyncProgress.nullable(),
  /** Why what has changed is not being published now, such as an index that does not answer; absent if it is. */
  problem: z.string().max(500).optional(),
  /** Null before the first sync has ended. */
  last_report: SyncReport.nullable(),
});
export type SyncStatus = z.infer<typeof SyncStatus>;

/** The reply to `POST /v1/sync`, status 202. Only one sync runs at a time; a running one continues. */
export const SyncAccepted = z.object({
  /** False when a sync was running already. */
  started: z.boolean(),
  status: SyncStatus,
});
export type SyncAccepted = z.infer<typeof SyncAccepted>;
