import * as z from 'zod';
import { jsonObject } from './json-object.ts';
import { repeats, saysSomething } from './says-something.ts';

/** The twelve standard codes (seed 000, Error Codes). Callers branch on the code, never on text. */
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

/** The status each code travels under (design 7.6). A new code does not compile until it has one. */
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

/**
 * Why there is no answer, in a form that a caller can act on (seed 000, Error Response Format).
 * A suggestion, where there is one, must help: it says more than the message does.
 */
export const ErrorInfo = z
  .object({
    code: ErrorCode,
    /** One sentence for people; nothing that a source or the stack said (design 7.12). */
    message: z.string().regex(/\S/, 'is empty').max(2000),
    /** The librarian that failed. */
    librarian: z.string().max(100).optional(),
    /** The question as asked. */
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

/** The body of every failed request at the gateway (design, section 4). */
export const ErrorBody = z.object({ error: ErrorInfo });
export type ErrorBody = z.infer<typeof ErrorBody>;
