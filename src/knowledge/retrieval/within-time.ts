/** What was waited for has not come in time, or nobody waits any more. */
class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

/** Settles as the work does, and rejects with `NotInTime` when the time is up or the signal aborts first; the work goes on. */
export const withinTime = async <T>(
  work: Promise<T>,
  { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
): Promise<T> => {
  work.catch(() => undefined);
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new NotInTime('Cannot wait for it any longer'));
  const timer = setTimeout(giveUp, ms);
  if (signal?.aborted === true) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
};
