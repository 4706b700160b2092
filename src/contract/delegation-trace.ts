import * as z from 'zod';
import { ErrorCode } from './error-info.ts';
import { LibrarianId } from './names.ts';

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
  /** The signed answer (signed context 4.13), a compact JWS; absent when none came. */
  receipt: z.string().max(4096).optional(),
  /**
   * The signed link of the call (signed context 4.2), a compact JWS: it names the link above, and the receipt names it, so
   * that a proof holds for this request alone. Absent at the origin, whose link tells who asks.
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
