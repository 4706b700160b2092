import { CodedError } from './error-info-of.ts';

/**
 * Waits for work that does not listen to a signal, until the signal aborts. Starts nothing once it has aborted.
 *
 * @param reason For the log.
 * @throws {CodedError} TIMEOUT when the signal aborts first.
 */
export const untilAborted = async <T>(
  work: () => Promise<T>,
  { signal, reason }: { signal: AbortSignal | undefined; reason: string },
): Promise<T> => {
  if (!signal) return work();
  const timeout = () => new CodedError('TIMEOUT', reason);
  if (signal.aborted) throw timeout();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(timeout());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
