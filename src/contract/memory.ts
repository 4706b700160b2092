import * as z from 'zod';
import { jsonObject } from './json-object.ts';
import { WorkspaceId } from './names.ts';
import { Timestamp } from './timestamp.ts';

/** An id of a memory or a conversation: 1 to 128 visible characters. */
export const MemoryId = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'is not an id: 1 to 128 visible ASCII characters');
export type MemoryId = z.infer<typeof MemoryId>;

/** A kind of memory: `fact`, `decision`; free. */
export const MemoryType = z.string().trim().min(1, 'is empty').max(64);
export type MemoryType = z.infer<typeof MemoryType>;

const Content = z.string().regex(/\S/, 'is empty').max(32_000);
const Metadata = jsonObject({ maxDepth: 6, maxLength: 16_000 });

/** Something remembered, as the storage layer holds it (seed 002, Data Models). */
export const Memory = z.object({
  id: MemoryId,
  workspace_id: WorkspaceId,
  type: MemoryType,
  content: Content,
  /** 0 to 1: how sure it is that this is so. */
  confidence: z.number().min(0).max(1),
  conversation_id: MemoryId.optional(),
  /** Whom it is about or from: all that is known of a person can be erased by it. An id, no name and no address. */
  person_id: MemoryId.optional(),
  created_at: Timestamp,
  metadata: Metadata.optional(),
});
export type Memory = z.infer<typeof Memory>;

/** `POST /v1/workspaces/{workspace_id}/memories`. Id, workspace and time are given by the server. */
export const MemoryInput = z.strictObject({
  type: MemoryType,
  content: Content,
  /** 1 when absent. */
  confidence: z.number().min(0).max(1).optional(),
  conversation_id: MemoryId.optional(),
  person_id: MemoryId.optional(),
  metadata: Metadata.optional(),
  /** Memories that this one is related to; they must exist. */
  related_to: z
    .array(z.strictObject({ memory_id: MemoryId, type: MemoryType }))
    .max(50)
    .optional(),
});
export type MemoryInput = z.infer<typeof MemoryInput>;

/** A directed relation between two memories of one workspace. */
export const Relationship = z.object({
  from_memory_id: MemoryId,
  to_memory_id: MemoryId,
  /** `supports`, `replaces`; free. */
  type: MemoryType,
  created_at: Timestamp,
});
export type Relationship = z.infer<typeof Relationship>;

/** A memory reached over relationships (seed 002, Data Models). */
export const RelatedMemory = z.object({
  memory: Memory,
  relationship: Relationship,
  /** Steps from the memory that was found: 1 is a direct relation. */
  depth: z.int().min(1),
});
export type RelatedMemory = z.infer<typeof RelatedMemory>;

/** A memory that a search found (seed 002, Data Models). */
export const SearchResult = z.object({
  memory: Memory,
  /** Similarity, 0 to 1. */
  score: z.number().min(0).max(1),
  /** After ranking: place from 1. */
  rank: z.number().optional(),
  /** Only when asked for. */
  relationships: z.array(RelatedMemory).max(1000).optional(),
});
export type SearchResult = z.infer<typeof SearchResult>;
