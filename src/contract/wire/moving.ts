import * as z from 'zod';
import { KnowledgeFile } from '../core/knowledge-file.ts';
import { MemoryId, Timestamp, WorkspaceId } from '../core/names.ts';
import { ContextTemplate, RankerWeights, SettingName } from './context-engine.ts';
import { ArticleOwner, HostArticle } from './host-article.ts';
import { GapKind, KnowledgeGap } from './knowledge.ts';
import { MemoryRecord } from './memory.ts';
import { Taxonomy } from './taxonomy.ts';
import { TicketJob } from './tickets.ts';

/** `PUT /v1/workspaces/{workspace_id}/memories`: stores memories with their ids and times. The workspace is that of the address. */
export const MemoriesRestore = z.strictObject({ memories: z.array(MemoryRecord).min(1).max(50) });
export type MemoriesRestore = z.infer<typeof MemoriesRestore>;

/** A gap with all that is stored about it, except its vector, which is made again when the gap is next met. */
export const GapRecord = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/, 'is not an id'),
  kind: GapKind,
  /** What the articles lack, as a sentence. */
  gap: KnowledgeGap.shape.gap,
  intent: KnowledgeGap.shape.intent,
  product: KnowledgeGap.shape.product,
  /** Stems of its topic with their weights. */
  stems: z.array(z.tuple([z.string().min(1).max(100), z.number().min(0).max(1e6)])).max(24),
  count: KnowledgeGap.shape.count,
  first_seen: Timestamp,
  last_seen: Timestamp,
  closed_at: Timestamp.nullable(),
  /** Audiences of the keys that met it: it is shown to those who hold them all. Absent: to everybody who may list gaps. */
  audiences: z.array(z.string().max(64)).max(20).optional(),
  /** The newest questions, oldest first. */
  examples: z
    .array(
      z.object({
        message: z.string().max(1000),
        subject: z.string().max(1000).nullable(),
        intent: z.string().max(100),
        product: z.string().max(100).nullable(),
        person_id: MemoryId.nullable(),
      }),
    )
    .max(5),
});
export type GapRecord = z.infer<typeof GapRecord>;

/** Query of `GET /v1/knowledge/gaps/records`. */
export const GapRecordsQuery = z.strictObject({
  /** 1 to 200. */
  limit: z.coerce.number().int().min(1).max(200).default(100),
  /** `next_cursor` of the previous page. */
  cursor: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'is not one that a page before has given')
    .optional(),
});
export type GapRecordsQuery = z.infer<typeof GapRecordsQuery>;

/** Reply of `GET /v1/knowledge/gaps/records`: by id. */
export const GapRecordPage = z.object({
  gaps: z.array(GapRecord).max(200),
  next_cursor: z.string().max(100).nullable(),
});
export type GapRecordPage = z.infer<typeof GapRecordPage>;

/** `PUT /v1/knowledge/gaps/records`. */
export const GapsRestore = z.strictObject({ gaps: z.array(GapRecord).min(1).max(50) });
export type GapsRestore = z.infer<typeof GapsRestore>;

/** `PUT /v1/support/tickets`: tickets that are done or dead, as history. Nothing is written into a helpdesk for them, ever. */
export const TicketsRestore = z.strictObject({
  tickets: z
    .array(TicketJob.extend({ state: z.enum(['done', 'dead']) }))
    .min(1)
    .max(200),
});
export type TicketsRestore = z.infer<typeof TicketsRestore>;

const Count = z.int().min(0);

/** The reply of the routes that restore. What is there already, by its id, stays as it is. */
export const Restored = z.object({
  restored: Count,
  unchanged: Count,
  /** What could not be restored, and why in one sentence. */
  refused: z
    .array(z.object({ id: z.string().max(4000), reason: z.string().min(1).max(500) }))
    .max(200),
});
export type Restored = z.infer<typeof Restored>;

/** Query of `GET /api/kb/inventory`. */
export const InventoryQuery = z.strictObject({
  /** 1 to 1,000. */
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  /** `next_cursor` of the previous page. */
  cursor: KnowledgeFile.optional(),
});
export type InventoryQuery = z.infer<typeof InventoryQuery>;

/** Reply of `GET /api/kb/inventory`: what tells whether an article differs, without its text; by id. */
export const Inventory = z.object({
  articles: z
    .array(
      z.object({
        id: KnowledgeFile,
        title: z.string().max(500),
        /** SHA-256 of what was written, as hexadecimal digits. */
        hash: z.string().min(1).max(200),
        owner: ArticleOwner,
        last_updated: Timestamp,
      }),
    )
    .max(1000),
  next_cursor: KnowledgeFile.nullable(),
});
export type Inventory = z.infer<typeof Inventory>;

/** A template or a ranker of the workspace. */
export const ContextSetting = z.union([
  z.strictObject({ template: ContextTemplate.extend({ name: SettingName }) }),
  z.strictObject({ ranker: z.strictObject({ name: SettingName, weights: RankerWeights }) }),
]);
export type ContextSetting = z.infer<typeof ContextSetting>;

/** Version of the lines below. */
export const EXPORT_VERSION = 1;

/** A line of `npx constellation export`. The first is `export`, the last `end`; a file without an end was cut off. */
export const ExportLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('export'),
    version: z.literal(
      EXPORT_VERSION,
      `is not ${EXPORT_VERSION}: another version of the product has written the file`,
    ),
    workspace: WorkspaceId,
    exported_at: Timestamp,
  }),
  z.object({ kind: z.literal('article'), data: HostArticle }),
  z.object({ kind: z.literal('memory'), data: MemoryRecord }),
  z.object({ kind: z.literal('setting'), data: ContextSetting }),
  z.object({ kind: z.literal('gap'), data: GapRecord }),
  z.object({ kind: z.literal('taxonomy'), data: Taxonomy }),
  z.object({ kind: z.literal('ticket'), data: TicketJob }),
  z.object({ kind: z.literal('end'), lines: Count }),
]);
export type ExportLine = z.infer<typeof ExportLine>;
