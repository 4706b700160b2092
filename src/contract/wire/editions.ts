import * as z from 'zod';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { Timestamp } from '../core/names.ts';

const EditionId = z.string().min(1).max(128);

/** What has made an edition: a sync, an article that was written or deleted here, or an earlier edition that was activated. */
export const EditionCause = z.enum(['sync', 'write', 'activate']);
export type EditionCause = z.infer<typeof EditionCause>;

const ChangeCounts = { added: z.int().min(0), changed: z.int().min(0), removed: z.int().min(0) };

/** An edition of the knowledge base, as it was published. */
export const EditionSummary = z.object({
  id: EditionId,
  published_at: Timestamp,
  cause: EditionCause,
  articles: z.int().min(0),
  chunks: z.int().min(0),
  is_current: z.boolean(),
  /** Whether a question can be answered from it: the current one, and those that were replaced within the last five minutes. */
  is_stored: z.boolean(),
  /** Articles that differ from the edition before; null for the oldest that is kept. */
  changes: z.object(ChangeCounts).nullable(),
});
export type EditionSummary = z.infer<typeof EditionSummary>;

/** Reply of `GET /v1/knowledge/editions`: newest first. */
export const EditionList = z.object({
  editions: z.array(EditionSummary).max(21),
  /** How many earlier editions are kept (`EDITION_HISTORY`); 0: none. */
  kept: z.int().min(0).max(20),
});
export type EditionList = z.infer<typeof EditionList>;

/** Query of `GET /v1/knowledge/editions/{id}/changes`. */
export const EditionChangesQuery = z.strictObject({
  /** The edition to compare with; the one before when absent. */
  from: EditionId.optional(),
  /** Id of an article whose texts are wanted too. */
  article: KnowledgeFile.optional(),
});
export type EditionChangesQuery = z.infer<typeof EditionChangesQuery>;

/** Reply of `GET /v1/knowledge/editions/{id}/changes`. */
export const EditionChanges = z.object({
  edition: EditionId,
  /** Null for the oldest that is kept: all its articles count as added. */
  from: EditionId.nullable(),
  ...ChangeCounts,
  /** The first 500, by id. */
  articles: z
    .array(
      z.object({
        id: z.string().min(1).max(500),
        title: z.string().min(1).max(500).nullable(),
        change: z.enum(['added', 'changed', 'removed']),
      }),
    )
    .max(500),
  /** The texts of the article that was asked for, cut after 60,000 characters; null where it did not exist, or was deleted here since. */
  article: z
    .object({
      before: z.string().max(60_000).nullable(),
      after: z.string().max(60_000).nullable(),
      is_cut: z.boolean(),
    })
    .nullable(),
});
export type EditionChanges = z.infer<typeof EditionChanges>;

/** Body of `POST /v1/knowledge/editions/{id}/activate`. */
export const EditionActivation = z.strictObject({});

/** Reply of `POST /v1/knowledge/editions/{id}/activate`. */
export const EditionActivated = z.object({
  /** The edition that was published: another id, with the articles of the named one. */
  edition: EditionId,
  restored: z.int().min(0),
  removed: z.int().min(0),
  /** Articles that were deleted here since, which stay deleted. */
  left_out: z.int().min(0),
  /** What happens next, in one sentence. */
  note: z.string().min(1).max(300),
});
export type EditionActivated = z.infer<typeof EditionActivated>;
