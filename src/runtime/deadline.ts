import { ContextRefused } from '../signing/context-refused.ts';

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

/**
 * Starts a deadline.
 *
 * @param outer Signal of the caller; when it aborts, the work is cancelled.
 * @throws From `race`: `ContextRefused` TIMEOUT.
 */
export const startDeadline = (timeoutMs: number, outer?: AbortSignal | undefined): Deadline => {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // Avoids an unhandled rejection when no one awaits it.
  promise.catch(() => undefined);
  const stop = (error: ContextRefused) => {
    controller.abort(error);
    reject(error);
  };
  const timer = setTimeout(() => stop(new ContextRefused('TIMEOUT', 'the time is up')), timeoutMs);
  const giveUp = () => stop(CALLER_GONE);
  if (outer?.aborted === true) giveUp();
  outer?.addEventListener('abort', giveUp, { once: true });
  const clear = () => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', giveUp);
  };
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, promise]),
    clear,
    end: () => {
      clear();
      controller.abort(ENDED);
    },
  };
};

/** Shared: creating an error for every request would record a stack each time. */
const ENDED = new ContextRefused('TIMEOUT', 'no one waits for the answer any more');

/** Shared: every request ends with it, and recording a stack costs more than everything else here. */
const CALLER_GONE = new ContextRefused('TIMEOUT', 'no one waits for the answer');

/**
 * Milliseconds of the caller's remaining time that a function may use, so that its response, even a TIMEOUT, arrives before the caller's
 * deadline.
 */
export const timeToAnswer = (remainingMs: number): number =>
  Math.floor(remainingMs - Math.min(REPLY_RESERVE_MS, remainingMs / 10));

const REPLY_RESERVE_MS = 40;

/** Why work was cancelled: its deadline passed, or its caller aborted. */
export type GivenUp = 'timeout' | 'aborted';

/**
 * Runs work with a timeout, whether or not the work listens to the signal. Nothing starts once the caller's signal has aborted.
 *
 * @param work Gets a signal that aborts when the work is cancelled; work that ignores it may continue in the background.
 * @param options Without `timeoutMs` only the caller's signal limits the work. `errorFor` creates the error that the promise rejects with
 * and that is the signal's reason; `ContextRefused` TIMEOUT when absent.
 */
export const withDeadline = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined; errorFor?: (why: GivenUp) => Error },
): Promise<T> => {
  const { timeoutMs, signal, errorFor = timedOut } = options;
  if (signal?.aborted) throw errorFor('aborted');
  const ending = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = (why: GivenUp) => {
    const error = errorFor(why);
    reject(error);
    ending.abort(error);
  };
  const onAbort = () => giveUp('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs, 'timeout');
  try {
    return await Promise.race([work(ending.signal), over]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
};

const timedOut = (why: GivenUp) =>
  new ContextRefused('TIMEOUT', why === 'timeout' ? 'the time is up' : 'the caller stopped waiting');
