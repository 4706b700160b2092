import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { sleep, withRetries } from '../../src/platform/retry.ts';

/** Calls that fail until one of a number, with the pauses before them. */
const failingUntil = (success: number) => {
  const pauses: number[] = [];
  const call = vi.fn(async (attempt: number) => {
    if (attempt < success) throw new Error(`failed ${attempt}`);
    return attempt;
  });
  const wait = async (ms: number) => void pauses.push(ms);
  return { call, pauses, wait };
};

it('calls until it succeeds, with the pauses that each outcome asks for', async () => {
  const { call, pauses, wait } = failingUntil(3);
  const pauseMs = ({ error }: { error?: unknown }, attempt: number) =>
    error === undefined ? undefined : attempt * 10;
  expect(await withRetries(call, { attempts: 5, sleep: wait, pauseMs })).toBe(3);
  expect(pauses).toEqual([10, 20]);
});
it('throws the last error after so many attempts', async () => {
  const { call, wait } = failingUntil(9);
  await expect(withRetries(call, { attempts: 2, sleep: wait, pauseMs: () => 1 })).rejects.toThrow(
    'failed 2',
  );
  expect(call).toHaveBeenCalledTimes(2);
});
it('does not call again after an outcome that says so, an error or a value', async () => {
  const { call, wait } = failingUntil(2);
  await expect(
    withRetries(call, { attempts: 3, sleep: wait, pauseMs: () => undefined }),
  ).rejects.toThrow('failed 1');
  expect(
    await withRetries(async () => 'reply', { attempts: 3, sleep: wait, pauseMs: () => undefined }),
  ).toBe('reply');
});
it('calls again after a value that may be passing', async () => {
  const { wait } = failingUntil(1);
  const reply = withRetries(async (attempt) => (attempt === 1 ? 404 : 200), {
    sleep: wait,
    pauseMs: ({ value }) => (value === 404 ? 1 : undefined),
  });
  expect(await reply).toBe(200);
});
it('makes no second call after its signal has aborted, and throws what is no error at all', async () => {
  const { call, wait } = failingUntil(9);
  const signal = AbortSignal.abort();
  await expect(
    withRetries(call, { attempts: 5, sleep: wait, signal, pauseMs: () => 1 }),
  ).rejects.toThrow('failed 1');
  const nothing = async () => Promise.reject(undefined);
  await expect(withRetries(nothing, { pauseMs: () => undefined })).rejects.toThrow(
    'without a reason',
  );
});
it('sleep() leaves no listener on its signal', async () => {
  const { signal } = new AbortController();
  await sleep(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
it('sleep() ends when its signal aborts', async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort();
  await sleeping;
});
