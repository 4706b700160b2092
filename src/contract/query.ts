import * as z from 'zod';

/** The longest question anyone may ask, in UTF-16 units after trimming. */
export const QUERY_MAX_LENGTH = 4000;

/** A question: trimmed, then 1 to 4,000 characters, at least one of them visible. */
export const Query = z
  .string()
  .trim()
  .min(1, { error: 'is empty', abort: true })
  .max(QUERY_MAX_LENGTH, `is longer than ${QUERY_MAX_LENGTH} characters`)
  .regex(/[^\s\p{Cc}\p{Cf}\p{Cs}]/u, 'has no visible character');
export type Query = z.infer<typeof Query>;
