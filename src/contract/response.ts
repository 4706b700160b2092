import * as z from 'zod';
import { ErrorCode, ErrorInfo } from './error-info.ts';
import { jsonObject } from './json-object.ts';
import { LibrarianId, Link } from './names.ts';
import { PARTIAL_BELOW } from './navigator-response.ts';

/** Where a statement comes from, so that a reader can check it. Best first, each once. */
export const Source = z.object({
  name: z.string().regex(/\S/, 'is empty').max(500),
  url: Link.optional(),
  /** What kind of source: `document`, `api`, `database`; free. */
  type: z.string().max(100).optional(),
  /** 0 (unrelated) to 1 (very probably answers the question). */
  relevance: z.number().min(0).max(1).optional(),
});
export type Source = z.infer<typeof Source>;

/** Hands a question on to a librarian that knows better. Who follows it: design 7.5. */
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

/** Hops that one trace holds at most; the signed budget of calls is smaller. */
export const MAX_TRACE_HOPS = 64;

const SpanId = z.string().regex(/^[0-9a-f]{16}$/, 'is not 16 hex digits');

/** One question that was handed from one librarian to another, and what became of it. */
export const TraceHop = z.object({
  /** The call, as the signed link of it says (`jti`); absent when nothing was sent. */
  spanId: SpanId.optional(),
  /** The call that led to the librarian that asks; absent at the origin of the chain. */
  parentSpanId: SpanId.optional(),
  from: LibrarianId,
  to: LibrarianId,
  /** Milliseconds as the asking librarian measured them, all attempts together. */
  durationMs: z.number().min(0).max(3_600_000),
  /** `answer`; `partial` for one that is incomplete; or the code of the error. */
  outcome: z.union([z.enum(['answer', 'partial']), ErrorCode]),
  /** Calls that were sent: 0 when the sender itself refused, 2 when the first failed in a way that may pass. */
  attempts: z.int().min(0).max(8),
  /** The signed answer, a compact JWS; absent when none came. */
  receipt: z.string().max(4096).optional(),
  /**
   * The signed link of the call, a compact JWS: it names the link above, and the receipt names it, so that a proof holds for this request
   * alone. Absent at the origin, whose link tells who asks.
   */
  link: z.string().max(4096).optional(),
  /**
   * Whether the librarian that reports this trace has checked the receipt. The origin of the chain checks all; every other
   * only those of its own questions.
   */
  verified: z.boolean(),
});
export type TraceHop = z.infer<typeof TraceHop>;

/** The way of a question through the librarians, under `metadata.trace` of a Response; a hop stands before those that it led to. */
export const DelegationTrace = z.object({
  /** 32 lower-case hex digits, the same in the logs of every function on the way. */
  traceId: z.string().regex(/^[0-9a-f]{32}$/, 'is not 32 hex digits'),
  hops: z.array(TraceHop).max(MAX_TRACE_HOPS),
});
export type DelegationTrace = z.infer<typeof DelegationTrace>;

/** An answer longer than this gets a warning... */
export const ANSWER_ADVISED_LENGTH = 4000;
/** ...and beyond this it is refused. */
export const ANSWER_MAX_LENGTH = 32_000;

export const METADATA_LIMITS = { maxDepth: 16, maxLength: 256_000 };

/**
 * What a librarian returns: an answer, a delegation, an error, or several of these; at least one. Unknown members are dropped. The seed
 * calls the type `Response`, and so does the package's entry.
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
    /** A librarian's full reply in its own dialect under its own name, so that none of it is lost. */
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
