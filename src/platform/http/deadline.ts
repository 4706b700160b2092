import { CodedError } from './coded-error.ts';

/** A deadline for a piece of work. */
export interface Deadline {
  /** Aborts at the deadline or when the work is cancelled. */
  signal: AbortSignal;
  /** Settles as the work does, or rejects at the deadline: the work need not listen to the signal. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the timer. Either this or `end` must be called. */
  clear(): void;
  /** Stops the timer, and aborts whatever is still in flight: branches, reads, later questions. */
  end(): void;
}

/** Why work was cancelled: its deadline passed, or its caller aborted. */
export type GivenUp = 'timeout' | 'aborted';

interface DeadlineOptions {
  /** Without it only the caller's signal limits the work. */
  timeoutMs?: number | undefined;
  /** Signal of the caller; when it aborts, the work is cancelled. */
  signal?: AbortSignal | undefined;
  /** Creates what `race` rejects with, which is the reason of the signal as well. */
  errorFor?: ((why: GivenUp) => Error) | undefined;
}

/**
 * Starts a deadline.
 *
 * @throws From `race`: `CodedError` TIMEOUT unless `errorFor` says otherwise.
 */
export function startDeadline({
  timeoutMs,
  signal,
  errorFor = timedOut,
}: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // Avoids an unhandled rejection when no one awaits it.
  promise.catch(() => undefined);
  const giveUp = (why: GivenUp) => {
    const error = errorFor(why);
    reject(error);
    controller.abort(error);
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs, 'timeout');
  const onAbort = () => giveUp('aborted');
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const clear = () => {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, promise]),
    clear,
    end: () => {
      clear();
      controller.abort(callerGone());
    },
  };
}

/**
 * Runs work until a deadline, whether or not it listens to the signal that it gets; what ignores the signal may go on in the background.
 * Nothing starts once the caller's signal has aborted.
 *
 * @param options `reason` is for the log, where `errorFor` is absent.
 * @throws {CodedError} TIMEOUT unless `errorFor` says otherwise.
 *
 * @example
 * const page = await withDeadline((signal) => fetch('https://example.com/', { signal }), {
 *   timeoutMs: 500,
 *   reason: 'the site did not answer in time',
 * });
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { reason, ...options }: DeadlineOptions & { reason?: string | undefined },
): Promise<T> {
  const {
    timeoutMs,
    signal,
    errorFor = reason === undefined ? timedOut : () => new CodedError('TIMEOUT', reason),
  } = options;
  if (signal?.aborted) throw errorFor('aborted');
  const deadline = startDeadline({ timeoutMs, signal, errorFor });
  try {
    return await deadline.race(work(deadline.signal));
  } finally {
    deadline.clear();
  }
}

/** Waits for work that goes on either way, and settles with `late` when it takes too long. */
export async function waitAtMost<T>(work: Promise<T>, timeoutMs: number, late: T): Promise<T> {
  return withDeadline(() => work, { timeoutMs, errorFor: () => new TooLate() }).catch((error) => {
    if (error instanceof TooLate) return late;
    throw error;
  });
}

/** Marks a result that no one waits for any longer, as opposed to a failure. */
export class TooLate extends Error {}

/**
 * Shared: every request ends with it, and recording a stack costs more than everything else here. Created when first needed: while a bundle
 * is loaded, its position in the stack costs parsing the whole bundle once more.
 */
const callerGone = (): CodedError => {
  sharedCallerGone ??= new CodedError('TIMEOUT', 'no one waits for the answer any more');
  return sharedCallerGone;
};
let sharedCallerGone: CodedError | undefined;

const timedOut = (why: GivenUp) =>
  why === 'timeout' ? new CodedError('TIMEOUT', 'the time is up') : callerGone();

/**
 * Milliseconds of the caller's remaining time that a function may use, so that its response, even a TIMEOUT, arrives before the caller's
 * deadline.
 */
export function timeToAnswer(remainingMs: number): number {
  return Math.floor(remainingMs - Math.min(REPLY_RESERVE_MS, remainingMs / 10));
}

const REPLY_RESERVE_MS = 40;
