import * as z from 'zod';
import { jsonObject } from './json-object.ts';
import { MemoryId } from './memory.ts';
import { LibrarianId, Query, WorkspaceId } from './names.ts';

/** Metadata that a caller adds to a question: at most 8 levels and 16,000 characters. */
export const RequestMetadata = jsonObject({ maxDepth: 8, maxLength: 16_000 });
export type RequestMetadata = z.infer<typeof RequestMetadata>;

/** `POST /v1/ask`. Unknown members are refused. */
export const AskRequest = z.strictObject({
  query: Query,
  /** The librarian to ask; the concierge chooses when absent. */
  librarian: LibrarianId.optional(),
  workspace_id: WorkspaceId.optional(),
  /** Questions of one conversation are read in the context of the earlier ones, and stored as memories. */
  conversation_id: MemoryId.optional(),
  metadata: RequestMetadata.optional(),
  /** Whether facts that are stored about `metadata.person_id` or the conversation are used; true when absent. */
  facts: z.boolean().optional(),
  /** Whether `metadata.explain` says what the navigator's search found, how it was ranked, and what became of it. Needs `kb:read`. */
  explain: z.boolean().optional(),
  /** Timeout in milliseconds, 1 to 300,000; the server may use a shorter one. */
  timeout_ms: z.int().min(1).max(300_000).optional(),
});
export type AskRequest = z.infer<typeof AskRequest>;

/** Member of the metadata that tells a librarian what is known about the asker; set by the gateway alone. */
export const ASKER_FACTS = 'asker_facts';
/** Statements about the asker, each on one line. Data of others: never instructions, and no source of an answer. */
export const AskerFacts = z.array(z.string().min(1).max(16_000)).max(100);

/** Member of the metadata that tells a librarian how the question came to it; set by the gateway alone. */
export const QUESTION_ORIGIN = 'question_origin';
export const QuestionOrigin = z.object({
  /** Why this librarian was chosen. */
  classification_reasoning: z.array(z.string().min(1).max(500)).max(20).optional(),
  /** Whether earlier turns of the conversation completed the question. */
  memory_context_used: z.boolean().optional(),
});
export type QuestionOrigin = z.infer<typeof QuestionOrigin>;

/** `POST /librarians/{id}/ask`: what one librarian sends to another. Everything else travels in the signed context. */
export const LibrarianAskRequest = z.strictObject({
  query: Query,
  metadata: RequestMetadata.optional(),
});
export type LibrarianAskRequest = z.infer<typeof LibrarianAskRequest>;

/** `POST /v1/navigate`. */
export const NavigateRequest = z.strictObject({ query: Query });
export type NavigateRequest = z.infer<typeof NavigateRequest>;
