import { ContextRefused } from './context-refused.ts';

/** The time a piece of work has. */
export interface Deadline {
  /** Aborts when the time is up or the work was given up. */
  signal: AbortSignal;
  /** Settles as the work does, or rejects as soon as the time is up: work need not listen to the signal. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the timer. This or `end` must be called. */
  clear(): void;
  /** Stops the timer, and aborts what goes on although nobody waits for it any more: branches, reads, later questions. */
  end(): void;
}

/**
 * Starts the clock.
 *
 * @param outer Whoever waits for the work; when it aborts, the work is given up.
 * @throws From `race`: `ContextRefused` TIMEOUT.
 */
export const startDeadline = (timeoutMs: number, outer?: AbortSignal | undefined): Deadline => {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting when it happens.
  promise.catch(() => undefined);
  const stop = (error: ContextRefused) => {
    controller.abort(error);
    reject(error);
  };
  const timer = setTimeout(() => stop(new ContextRefused('TIMEOUT', 'the time is up')), timeoutMs);
  const giveUp = () => stop(NOBODY_WAITS);
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

/** One for all: an error of its own would have its stack recorded at every request. */
const ENDED = new ContextRefused('TIMEOUT', 'nobody waits for the answer any more');

/** Made once: every request ends so, and writing down where an error arose costs more than the rest of it. */
const NOBODY_WAITS = new ContextRefused('TIMEOUT', 'nobody waits for the answer');

/**
 * The share of the caller's time that a function has for its answer, which has to arrive before the caller gives up, even if it
 * only says TIMEOUT. Milliseconds.
 */
export const timeToAnswer = (remainingMs: number): number =>
  Math.floor(remainingMs - Math.min(REPLY_RESERVE_MS, remainingMs / 10));

const REPLY_RESERVE_MS = 40;

/** Why work was given up: its time was over, or its caller stopped waiting for it. */
export type GivenUp = 'timeout' | 'aborted';

/**
 * Does work within its time, whether the work listens to the signal or not. Nothing starts once the caller's signal has aborted.
 *
 * @param work Gets a signal that aborts when the work is given up; a call that ignores it may go on in the background.
 * @param options `timeoutMs` is absent where the caller's signal alone limits the work. `errorFor` makes the error that the promise
 * rejects with, which is also the signal's reason; without it `ContextRefused` TIMEOUT.
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
