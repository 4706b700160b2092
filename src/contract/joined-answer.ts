import * as z from 'zod';
import { ErrorInfo } from './error-info.ts';
import { jsonObject } from './json-object.ts';
import { LibrarianId } from './names.ts';

/** The contribution of one librarian to a joined answer. */
export const AnswerPart = z.object({
  /** The librarian that answered. */
  librarian: LibrarianId,
  /** The question that it got. */
  query: z.string().max(4000),
  /** Its own answer, unchanged; absent when it failed. */
  answer: z.string().max(32_000).optional(),
  /** Indexes into the joined `sources`, from 0, of those that this part cites. */
  sources: z.array(z.int().min(0)).max(50).optional(),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1).optional(),
  partial: z.boolean().optional(),
  /** Why this part is missing. */
  error: ErrorInfo.optional(),
  /** Its reply in its own format, unless too large. */
  metadata: jsonObject({ maxDepth: 14, maxLength: 256_000 }).optional(),
});
export type AnswerPart = z.infer<typeof AnswerPart>;

/** `metadata.parts` of a Response joined from several librarians. */
export const JoinedAnswer = z.object({
  parts: z.array(AnswerPart).min(1).max(16),
});
export type JoinedAnswer = z.infer<typeof JoinedAnswer>;
