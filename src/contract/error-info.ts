import * as z from 'zod';
import { jsonObject } from './json-object.ts';

/** Minimum number of letters and digits; a character of a script without spaces between words counts as three. */
const MIN_SUBSTANCE = 10;

/**
 * Whether a suggestion or reason is long enough to be useful: at least ten letters and digits in at least two words. In scripts written
 * without spaces a character counts as three letters, and as a word.
 */
const saysSomething = (text: string): boolean => {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu)?.length ?? 0;
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters + 2 * dense >= MIN_SUBSTANCE && wordsOf(text).length + dense >= 2;
};

/** Whether `text` repeats `said`: the same words in the same order, or a part of them. */
export const repeats = (text: string, said: string): boolean =>
  ` ${wordsOf(said).join(' ')} `.includes(` ${wordsOf(text).join(' ')} `);

/** Lower-case words, without punctuation. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** The twelve standard codes (docs/contract.md#errors). Callers branch on the code, never on text. */
export const ErrorCode = z.enum([
  'INVALID_QUERY',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'TIMEOUT',
  'SERVICE_UNAVAILABLE',
  'DELEGATION_FAILED',
  'LOOP_DETECTED',
  'MAX_DEPTH_EXCEEDED',
  'AI_UNAVAILABLE',
  'DATA_SOURCE_ERROR',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** The HTTP status of each code. A new code does not compile until it has one. */
export const HTTP_STATUS = {
  INVALID_QUERY: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  DELEGATION_FAILED: 502,
  DATA_SOURCE_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  AI_UNAVAILABLE: 503,
  TIMEOUT: 504,
  LOOP_DETECTED: 508,
  MAX_DEPTH_EXCEEDED: 508,
} as const satisfies Record<ErrorCode, number>;

/** Why there is no answer, in a form that a caller can act on. A suggestion must add something to the message. */
export const ErrorInfo = z
  .object({
    code: ErrorCode,
    /** One sentence for a reader, without text from a source or a stack trace. */
    message: z.string().regex(/\S/, 'is empty').max(2000),
    /** The librarian that failed. */
    librarian: z.string().max(100).optional(),
    /** The question as received. */
    query: z.string().max(4000).optional(),
    /** Whether the same call may succeed later or elsewhere. */
    recoverable: z.boolean().optional(),
    suggestion: z.string().max(1000).refine(saysSomething, 'is too short to help').optional(),
    details: jsonObject({ maxDepth: 6, maxLength: 8000 }).optional(),
  })
  .superRefine(({ message, suggestion }, check) => {
    if (suggestion === undefined || !repeats(suggestion, message)) return;
    check.addIssue({ code: 'custom', path: ['suggestion'], message: 'only repeats the message' });
  });
export type ErrorInfo = z.infer<typeof ErrorInfo>;

/** The body of every failed request at the gateway. */
export const ErrorBody = z.object({ error: ErrorInfo });
export type ErrorBody = z.infer<typeof ErrorBody>;
