import { StoreUnavailable } from './store-unavailable.ts';

interface Bounds {
  /** What is done, for the message: `read embeddings`. */
  what: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Does work of a store in its time, whether the work listens to the signal or not.
 *
 * @throws {StoreUnavailable} `unavailable` when the time is over, `aborted` when the caller's signal aborts first.
 */
export const withinTime = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
  { what, timeoutMs, signal }: Bounds,
): Promise<T> => {
  const ending = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (error: StoreUnavailable): void => {
    over.reject(error);
    ending.abort(error);
  };
  const aborted = () => end(new StoreUnavailable('aborted', `Cannot ${what}: the caller has given up`));
  const slow = () => end(new StoreUnavailable('unavailable', `Cannot ${what}: it took longer than ${timeoutMs} ms`));
  over.promise.catch(() => undefined);
  if (signal?.aborted) {
    aborted();
    return over.promise;
  }
  signal?.addEventListener('abort', aborted, { once: true });
  const timer = setTimeout(slow, timeoutMs);
  try {
    return await Promise.race([work(ending.signal), over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  }
};
