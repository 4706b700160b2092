import * as z from 'zod';
import { PARTIAL_BELOW } from './confidence.ts';
import { DelegateRequest } from './delegate-request.ts';
import { ErrorInfo } from './error-info.ts';
import { jsonObject } from './json-object.ts';
import { Source } from './source.ts';

/** An answer longer than this gets a warning (seed 000: SHOULD NOT exceed 4000 characters)... */
export const ANSWER_ADVISED_LENGTH = 4000;
/** ...and beyond this it is refused. */
export const ANSWER_MAX_LENGTH = 32_000;

export const METADATA_LIMITS = { maxDepth: 16, maxLength: 256_000 };

/**
 * What a librarian returns (seed 000, Response Object): an answer, a delegation, an error, or several of these; at
 * least one. Unknown members are dropped. The seed calls the type `Response`, and so does the package's entry.
 */
export const LibrarianResponse = z
  .object({
    /** Markdown that stands on its own. 4,000 characters advised, 32,000 at most. */
    answer: z.string().regex(/\S/, 'is empty').max(ANSWER_MAX_LENGTH).optional(),
    /** Best first, each once; at most 50. */
    sources: z.array(Source).max(50).optional(),
    /** One request, or up to 8 that are followed in parallel. */
    delegate: z.union([DelegateRequest, z.array(DelegateRequest).min(1).max(8)]).optional(),
    /** 0 (none) to 1 (complete). */
    confidence: z.number().min(0).max(1).optional(),
    error: ErrorInfo.optional(),
    /** Something is missing: a source failed, or the confidence is below 0.6. */
    partial: z.boolean().optional(),
    /** A librarian's full reply in its own dialect under its own name, so that none of it is lost (design 7.3). */
    metadata: jsonObject(METADATA_LIMITS).optional(),
  })
  .superRefine(({ answer, delegate, error }, check) => {
    if (answer !== undefined || delegate !== undefined || error !== undefined) return;
    check.addIssue({ code: 'custom', message: 'has none of answer, delegate, error' });
  });
export type LibrarianResponse = z.infer<typeof LibrarianResponse>;

/** Whether seed 000 asks for `partial: true` on account of the confidence alone. */
export const isUnsure = (confidence: number | undefined): boolean =>
  confidence !== undefined && confidence < PARTIAL_BELOW;
