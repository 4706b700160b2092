import * as z from 'zod';
import { jsonObject } from './json-object.ts';
import { LibrarianId } from './names.ts';

/** Hands a question on to a librarian that knows better (seed 000, delegate). Who follows it: design 7.5. */
export const DelegateRequest = z.object({
  to: LibrarianId,
  /** The question for the target; the original one when absent. 1 to 4,000 characters. */
  query: z.string().regex(/\S/, 'is empty').max(4000).optional(),
  /** Reaches the target as a part of its metadata. */
  context: jsonObject({ maxDepth: 8, maxLength: 16_000 }).optional(),
  /** Whom to ask the same when the target fails or has no answer. */
  fallback: LibrarianId.optional(),
});
export type DelegateRequest = z.infer<typeof DelegateRequest>;
