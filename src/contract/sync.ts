import * as z from 'zod';
import { ErrorInfo } from './error-info.ts';
import { Timestamp } from './names.ts';

/** `POST /v1/sync`. An empty object asks for an incremental sync. */
export const SyncRequest = z.strictObject({
  /** Lists everything, and so notices what is gone. */
  full: z.boolean().optional(),
  /** Removes what is gone even when that is more than 30 % of the articles, and embeds every text again. Implies `full`. */
  force: z.boolean().optional(),
});
export type SyncRequest = z.infer<typeof SyncRequest>;

/**
 * What a sync is doing, in this order: `listing` reads the host's pages, `comparing` finds what differs, `chunking`
 * cuts the changed articles, `embedding` fetches their vectors (where there is a model), `publishing` builds and stores
 * the edition; where articles were changed or removed, an edition without what is gone is published before `embedding` too.
 * `idle`: no sync runs.
 */
export const SyncState = z.enum(['idle', 'listing', 'comparing', 'chunking', 'embedding', 'publishing']);
export type SyncState = z.infer<typeof SyncState>;

const Count = z.int().min(0);

/** How far a running sync has come. */
export const SyncProgress = z.object({
  run_id: z.string().min(1).max(64),
  full: z.boolean(),
  started_at: Timestamp,
  /** Articles listed so far. */
  listed: Count,
  /** Articles that the host says there are; absent when it does not say. */
  total: Count.optional(),
  /** Changed articles taken in so far, and how many there are; the latter is 0 until the listing is complete. */
  processed: Count,
  to_process: Count,
  /** Texts embedded so far in this sync, and how many had no vector when that began; absent without an embedding model. */
  embedded: Count.optional(),
  to_embed: Count.optional(),
});
export type SyncProgress = z.infer<typeof SyncProgress>;

/** An article that was not taken in. The one known before, if any, stays. */
export const SkippedArticle = z.object({
  id: z.string().max(1000),
  /** One sentence: `Cannot take in the article: content is longer than 500000 characters`. */
  reason: z.string().min(1).max(500),
});
export type SkippedArticle = z.infer<typeof SkippedArticle>;

/** Deletions that the brake held back. */
export const HeldDeletions = z.object({
  /** Articles that the listing no longer has. They all stay. */
  count: z.int().min(1),
  /** Articles known before. */
  of: z.int().min(1),
  /** The share above which nothing is removed, 0 to 1. */
  limit: z.number().min(0).max(1),
  /** The first of them. */
  ids: z.array(z.string().max(1000)).max(20),
  /** How to remove them after all, in one sentence. */
  how_to_force: z.string().min(1).max(500),
});
export type HeldDeletions = z.infer<typeof HeldDeletions>;

/** What a sync came to. */
export const SyncReport = z.object({
  run_id: z.string().min(1).max(64),
  full: z.boolean(),
  forced: z.boolean(),
  /**
   * `published`: there is a new edition. `unchanged`: nothing differed, nothing was written. `failed`: see `error`; the
   * edition from before stays, and nothing is lost.
   */
  outcome: z.enum(['published', 'unchanged', 'failed']),
  /** Articles by what happened to them. */
  added: Count,
  changed: Count,
  removed: Count,
  unchanged: Count,
  /** How many were skipped, and the first 100 of them. */
  skipped_count: Count,
  skipped: z.array(SkippedArticle).max(100),
  /** Articles that were taken in although something was amiss, and what: how many, and the first 100. */
  warning_count: Count,
  warnings: z.array(SkippedArticle).max(100),
  held_deletions: HeldDeletions.nullable(),
  /** Rows written and texts embedded: both 0 when nothing differed. */
  writes: Count,
  embeddings: Count,
  /** Texts that have no vector yet, so that only their words are searched; absent when none is missing. The next sync adds them. */
  embeddings_missing: Count.optional(),
  error: ErrorInfo.nullable(),
  /** The edition that is current after the sync; null before the first. */
  edition: z.string().min(1).max(128).nullable(),
  started_at: Timestamp,
  finished_at: Timestamp,
});
export type SyncReport = z.infer<typeof SyncReport>;

/** `GET /v1/sync`: how the knowledge base stands. */
export const SyncStatus = z.object({
  state: SyncState,
  /** The current edition; null before the first. */
  edition: z.string().min(1).max(128).nullable(),
  /** What the current edition holds. */
  articles: Count,
  chunks: Count,
  /** Null when idle. */
  progress: SyncProgress.nullable(),
  /** Null before the first sync has ended. */
  last_report: SyncReport.nullable(),
});
export type SyncStatus = z.infer<typeof SyncStatus>;

/** The reply to `POST /v1/sync`, status 202. Only one sync runs at a time: when one does, it is left to finish. */
export const SyncAccepted = z.object({
  /** False when a sync was running already. */
  started: z.boolean(),
  status: SyncStatus,
});
export type SyncAccepted = z.infer<typeof SyncAccepted>;
