import * as z from 'zod';
import { jsonObject } from './json-object.ts';
import { LibrarianId, Link, MemoryId, Query, WorkspaceId } from './names.ts';

/** Metadata that a caller adds to a question: at most 8 levels and 16,000 characters. */
export const RequestMetadata = jsonObject({ maxDepth: 8, maxLength: 16_000 });
export type RequestMetadata = z.infer<typeof RequestMetadata>;

/**
 * Details of an answer that are sent when asked for: its statements with their evidence; the own replies of the librarians that answered; the hops of
 * the question; how the navigator's passages were chosen, which needs `kb:read` and bypasses the cache.
 */
export const Include = z.enum(['statements', 'navigator', 'trace', 'why']);
export type Include = z.infer<typeof Include>;

/**
 * `POST /v1/ask`. Unknown members are refused.
 *
 * @example
 * const request: AskRequest = {
 *   query: 'How long does shipping to Canada take?',
 *   include: ['statements', 'trace'],
 *   timeout_ms: 10_000,
 * };
 */
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
  /** What the reply has beside the answer with its sources; nothing when absent. */
  include: z.array(Include).max(8).optional(),
  /** The same as `why` in `include`. */
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

/**
 * `POST /librarians/{id}/ask`: what one librarian sends to another. Everything else travels in the signed context.
 *
 * @example
 * LibrarianAskRequest.parse({ query: 'When do you open?', metadata: { language: 'en' } });
 */
export const LibrarianAskRequest = z.strictObject({
  query: Query,
  metadata: RequestMetadata.optional(),
});
export type LibrarianAskRequest = z.infer<typeof LibrarianAskRequest>;

/** `POST /v1/navigate`. */
export const NavigateRequest = z.strictObject({ query: Query });
export type NavigateRequest = z.infer<typeof NavigateRequest>;

/** A place in a source that supports a statement. */
export const StatementSource = z.object({
  /** Title of the article, or the name of another source. */
  name: z.string().regex(/\S/, 'is empty').max(500),
  url: Link.optional(),
  /** The article's id. */
  file: z.string().min(1).max(500).optional(),
  /** The heading above the quote. */
  section: z.string().max(500).optional(),
  /** The exact words of the article: `article.text.slice(start, end)`, in UTF-16 units. */
  quote: z.string().max(16_000).optional(),
  start: z.int().min(0).optional(),
  end: z.int().min(0).optional(),
  /** The external librarian that names it; such a source has a name and an address alone. */
  reported_by: LibrarianId.optional(),
});
export type StatementSource = z.infer<typeof StatementSource>;

/**
 * One sentence, list, table or passage of an answer with its evidence.
 *
 * @example
 * const statement: Statement = {
 *   text: 'Shipping to Canada takes 4 to 7 days.',
 *   sources: [{ name: 'Shipping', section: 'Delivery times', quote: 'Canada | 4 to 7' }],
 *   support: 1,
 *   check: 'quoted',
 * };
 */
export const Statement = z.object({
  /** Markdown, safe to render as HTML. */
  text: z.string().regex(/\S/, 'is empty').max(32_000),
  /** Best first; empty for a sentence that only leads to the next one. */
  sources: z.array(StatementSource).max(20),
  /** Probability that the sources state it, 0 to 1; 0 for what an external librarian reports, which is not checked. */
  support: z.number().min(0).max(1),
  /** How that was found: it is quoted; its words were compared with the quotes; a model judged it; its librarian vouches for it. */
  check: z.enum(['quoted', 'compared', 'judged', 'reported']),
  /** The external librarian that states it: its claim, which is not checked here. */
  reported_by: LibrarianId.optional(),
});
export type Statement = z.infer<typeof Statement>;

/** The most statements of one answer; those behind them are in `answer` only. */
export const MAX_STATEMENTS = 64;

/** `metadata.statements` of a Response, and `statements` of a navigator's. */
export const Statements = z.array(Statement).max(MAX_STATEMENTS);

const Place = z.object({
  name: z.string().max(500),
  url: Link.optional(),
  section: z.string().max(500).optional(),
  relevance: z.number().min(0).max(1).optional(),
});

const MAX_LISTED = 50;

/**
 * What a librarian reports while it answers. On the wire a server-sent event of this type, before the `done` or `error` that ends the
 * stream (docs/streaming.md).
 */
export const ProgressEvent = z.discriminatedUnion('type', [
  /** Who answers. */
  z.object({
    type: z.literal('routing'),
    librarians: z
      .array(
        z.object({
          id: LibrarianId,
          /** As an external librarian registered, for readers. */
          name: z.string().max(100).optional(),
          query: z.string().max(4000).optional(),
        }),
      )
      .max(MAX_LISTED),
    /** The id under which the answer will be kept; absent where it is not. */
    answer_id: z.uuid().optional(),
  }),
  z.object({
    type: z.literal('searching'),
    librarian: LibrarianId.optional(),
    edition: z.string().max(128).optional(),
  }),
  /** What the search found, best first. */
  z.object({
    type: z.literal('passages'),
    librarian: LibrarianId.optional(),
    passages: z.array(Place).max(MAX_LISTED),
  }),
  /** A checked part of the answer; `index` counts from 0. */
  z.object({
    type: z.literal('statement'),
    librarian: LibrarianId.optional(),
    index: z.int().min(0).max(MAX_STATEMENTS),
    ...Statement.shape,
  }),
  /** A statement that its sources do not support; with `index` when it was sent before and is withdrawn. */
  z.object({
    type: z.literal('removed'),
    librarian: LibrarianId.optional(),
    index: z.int().min(0).max(MAX_STATEMENTS).optional(),
    text: z.string().max(1000),
    reason: z.string().max(1000),
  }),
  /** What is known of the answer beyond its text, such as the model. */
  z.object({
    type: z.literal('metadata'),
    librarian: LibrarianId.optional(),
    metadata: jsonObject({ maxDepth: 8, maxLength: 16_000 }),
  }),
]);
export type ProgressEvent = z.infer<typeof ProgressEvent>;

/**
 * Takes what is reported while an answer is made. Never throws and never waits.
 *
 * @example
 * const print: Progress = (event) => {
 *   if (event.type === 'statement') console.log(event.text);
 * };
 */
export type Progress = (event: ProgressEvent) => void;
