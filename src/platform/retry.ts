/** What a call led to. */
type Outcome<Value> = { value: Value; error?: undefined } | { value?: undefined; error: unknown };

interface RetryOptions<Value> {
  /** Calls in all, 2 by default. */
  attempts?: number;
  /**
   * The pause before the next call, in milliseconds; undefined when another call would not help.
   *
   * @param attempt Calls so far, from 1.
   */
  pauseMs(outcome: Outcome<Value>, attempt: number): number | undefined;
  /** No call begins after it has aborted, except one whose pause it ended. */
  signal?: AbortSignal | undefined;
  sleep?: typeof sleep | undefined;
}

/**
 * Calls again after an outcome that may be a passing one. The loop for all calls but delegation, which charges each call to a budget and
 * a circuit; what has to survive a crash is a job on an alarm.
 *
 * @returns The last outcome: its value, or its error thrown.
 * @example
 * const reply = await withRetries(() => fetch('https://example.com/'), {
 *   attempts: 3,
 *   pauseMs: ({ value }, attempt) => (value?.ok === true ? undefined : 100 * attempt),
 * });
 */
export async function withRetries<Value>(
  call: (attempt: number) => Promise<Value>,
  { attempts = 2, pauseMs, signal, sleep: wait = sleep }: RetryOptions<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await call(attempt).then(
      (value): Outcome<Value> => ({ value }),
      (error: unknown): Outcome<Value> => ({
        error: error ?? new Error('the call failed without a reason'),
      }),
    );
    const mayRetry = attempt < attempts && signal?.aborted !== true;
    const pause = mayRetry ? pauseMs(outcome, attempt) : undefined;
    if (pause === undefined) {
      if (outcome.error !== undefined) throw outcome.error;
      // Without an error there is a value.
      return outcome.value as Value;
    }
    if (pause > 0) await wait(pause, signal);
  }
}

/** Resolves after a time, or as soon as the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = (): void => resolve();
  signal?.addEventListener('abort', end, { once: true });
  await promise;
  signal?.removeEventListener('abort', end);
  clearTimeout(timer);
}
