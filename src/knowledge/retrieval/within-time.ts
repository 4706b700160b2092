/** The result did not arrive in time, or the request was aborted. */
class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

/** Settles with the work; rejects with `NotInTime` when the time is up or the signal aborts first. The work continues. */
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
