import * as z from 'zod';
import { PARTIAL_BELOW } from './confidence-level.ts';
import { ErrorCode, ErrorInfo } from './error-info.ts';
import { jsonObject } from './json-object.ts';
import { LibrarianId, Link } from './names.ts';

/**
 * The source of a statement, so that a reader can check it. Best first, each once.
 *
 * @example
 * const source: Source = {
 *   name: 'Shipping',
 *   url: 'https://docs.example.com/orders/shipping',
 *   relevance: 0.9,
 * };
 */
export const Source = z.object({
  name: z.string().regex(/\S/, 'is empty').max(500),
  url: Link.optional(),
  /** Kind of source, free-form: `document`, `api`, `database`. */
  type: z.string().max(100).optional(),
  /** 0 (unrelated) to 1 (very probably answers the question). */
  relevance: z.number().min(0).max(1).optional(),
  /** The external librarian that names it; absent for a source of our own. Not checked, wherever its address leads. */
  reported_by: LibrarianId.optional(),
});
export type Source = z.infer<typeof Source>;

/**
 * Delegates a question to another librarian (docs/delegation.md).
 *
 * @example
 * const delegate: DelegateRequest = {
 *   to: 'analytics',
 *   query: 'How many orders came last week?',
 *   fallback: 'navigator',
 * };
 */
export const DelegateRequest = z.object({
  to: LibrarianId,
  /** The question for the target; the original one when absent. 1 to 4,000 characters. */
  query: z.string().regex(/\S/, 'is empty').max(4000).optional(),
  /** Added to the metadata that the target receives. */
  context: jsonObject({ maxDepth: 8, maxLength: 16_000 }).optional(),
  /** The librarian to ask when the target fails or has no answer. */
  fallback: LibrarianId.optional(),
});
export type DelegateRequest = z.infer<typeof DelegateRequest>;

/** Maximum number of hops in a trace; the signed budget of calls is smaller. */
export const MAX_TRACE_HOPS = 64;

const SpanId = z.string().regex(/^[0-9a-f]{16}$/, 'is not 16 hex digits');

/** One delegated question and its outcome. */
export const TraceHop = z.object({
  /** Span id of the call, the `jti` of its signed link; absent when nothing was sent. */
  spanId: SpanId.optional(),
  /** The call that led to the asking librarian; absent at the origin of the chain. */
  parentSpanId: SpanId.optional(),
  from: LibrarianId,
  to: LibrarianId,
  /** Milliseconds as the asking librarian measured them, all attempts together. */
  durationMs: z.number().min(0).max(3_600_000),
  /** `answer`; `partial` for one that is incomplete; or the code of the error. */
  outcome: z.union([z.enum(['answer', 'partial']), ErrorCode]),
  /** Calls that were sent: 0 when the sender itself refused, 2 after a transient failure. */
  attempts: z.int().min(0).max(8),
  /** The receipt of the answer, a compact JWS; absent without an answer. */
  receipt: z.string().max(4096).optional(),
  /**
   * The signed link of the call, a compact JWS: it names the link above, and the receipt names it, so that a proof holds for this request
   * alone. Absent at the origin, whose link names the user.
   */
  link: z.string().max(4096).optional(),
  /**
   * Whether the librarian that reports this trace has checked the receipt. The origin of the chain checks all; every other
   * only those of its own questions.
   */
  verified: z.boolean(),
});
export type TraceHop = z.infer<typeof TraceHop>;

/**
 * The path of a question through the librarians, under `metadata.trace` of a Response; a hop precedes its nested hops.
 *
 * @example
 * const response: LibrarianResponse = { answer: '42 orders', metadata: { trace: {} } };
 * const trace = DelegationTrace.safeParse(response.metadata?.trace);
 * if (trace.success) for (const { to, durationMs } of trace.data.hops) console.log(to, durationMs);
 */
export const DelegationTrace = z.object({
  /** 32 lower-case hex digits, the same in the logs of every function involved. */
  traceId: z.string().regex(/^[0-9a-f]{32}$/, 'is not 32 hex digits'),
  hops: z.array(TraceHop).max(MAX_TRACE_HOPS),
});
export type DelegationTrace = z.infer<typeof DelegationTrace>;

/** A longer answer gets a warning. */
export const ANSWER_ADVISED_LENGTH = 4000;
/** A longer answer is refused. */
export const ANSWER_MAX_LENGTH = 32_000;

export const METADATA_LIMITS = { maxDepth: 16, maxLength: 256_000 };

/**
 * What a librarian returns: an answer, a delegation, an error, or several of these; at least one. Unknown members are dropped. The
 * package exports it as `Response`.
 *
 * @example
 * const response: LibrarianResponse = {
 *   answer: 'From Hamburg it takes 4 to 7 working days.',
 *   sources: [{ name: 'Shipping', url: 'https://docs.example.com/orders/shipping' }],
 *   confidence: 0.8,
 * };
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
    /** Whether something is missing: a source failed, or the confidence is below 0.6. */
    partial: z.boolean().optional(),
    /** A librarian's full reply in its own format, under its own name. */
    metadata: jsonObject(METADATA_LIMITS).optional(),
  })
  .superRefine(({ answer, delegate, error }, check) => {
    if (answer !== undefined || delegate !== undefined || error !== undefined) return;
    check.addIssue({ code: 'custom', message: 'has none of answer, delegate, error' });
  });
export type LibrarianResponse = z.infer<typeof LibrarianResponse>;

/**
 * Whether the confidence alone requires `partial: true`.
 *
 * @example
 * isUnsure(0.5); // true: below 0.6
 */
export function isUnsure(confidence: number | undefined): boolean {
  return confidence !== undefined && confidence < PARTIAL_BELOW;
}

/**
 * What an answer had to do without, such as `embeddings`, `model` or `memory`: `degraded` of its metadata, of a block or part of them, or
 * of a librarian's full reply in them. Names what its librarians name, each once.
 *
 * @example
 * degradedIn({ degraded: ['embeddings'] }); // ['embeddings']
 */
export function degradedIn(metadata: LibrarianResponse['metadata']): string[] {
  if (metadata === undefined) return [];
  const { parts } = metadata;
  const joined = Array.isArray(parts)
    ? parts.slice(0, MAX_PARTS).map((part) => memberOf(part, 'metadata'))
    : [];
  const named = [
    metadata,
    ...[...Object.values(metadata), ...joined].flatMap((each) => [
      each,
      memberOf(each, 'metadata'),
    ]),
  ]
    .map((block) => memberOf(block, 'degraded'))
    .flatMap((given) => (Array.isArray(given) ? given.slice(0, MAX_DEGRADED) : []));
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}
const MAX_DEGRADED = 20;
const MAX_PARTS = 16;

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Reflect.get(value, name)
    : undefined;

/**
 * Marks an answer as partial that is below 0.6, has an error beside it or had to do without a data source.
 *
 * @example
 * withPartial({ answer: 'Perhaps on Friday.', confidence: 0.4 }); // … with partial: true
 */
export function withPartial(response: LibrarianResponse): LibrarianResponse {
  const { answer, confidence, error, metadata, partial } = response;
  if (partial === true) return response;
  const lacksSource =
    answer !== undefined && (error !== undefined || degradedIn(metadata).length > 0);
  return isUnsure(confidence) || lacksSource ? { ...response, partial: true } : response;
}

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
