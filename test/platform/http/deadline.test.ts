import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitAtMost, withDeadline } from '../../../src/platform/http/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const errorFor = (why: string) => new Error(why);

/** Work that never ends, and the signal it received. */
const listening = () => vi.fn((_: AbortSignal) => new Promise<never>(() => {}));
const signalOf = (work: ReturnType<typeof listening>) => work.mock.calls[0]?.[0];

describe('withDeadline()', () => {
  it('resolves and rejects like the work, and leaves no timer or listener', async () => {
    const caller = new AbortController();
    const removed = vi.spyOn(caller.signal, 'removeEventListener');
    const options = { timeoutMs: 1000, signal: caller.signal };
    expect(await withDeadline(async () => 7, options)).toBe(7);
    await expect(withDeadline(() => Promise.reject(new Error('its own')), options)).rejects.toThrow(
      'its own',
    );
    const failing = () => {
      throw new Error('at once');
    };
    await expect(withDeadline(failing, options)).rejects.toThrow('at once');
    expect([vi.getTimerCount(), removed.mock.calls.length]).toEqual([0, 3]);
  });
  it('rejects at the timeout, aborts the work with the same error, and ignores how the work ends later', async () => {
    const work = listening();
    const { promise, reject } = Promise.withResolvers<never>();
    work.mockReturnValue(promise);
    const outcome = expect(withDeadline(work, { timeoutMs: 1000, errorFor })).rejects.toThrow(
      'timeout',
    );
    await vi.advanceTimersByTimeAsync(999);
    expect(signalOf(work)?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    expect(signalOf(work)?.reason).toEqual(new Error('timeout'));
    reject(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
  });
  it.each([1000, undefined])(
    'rejects when the caller aborts, with a time limit of %s',
    async (timeoutMs) => {
      const [caller, work] = [new AbortController(), listening()];
      const waiting = withDeadline(work, { timeoutMs, signal: caller.signal, errorFor });
      caller.abort();
      await expect(waiting).rejects.toThrow('aborted');
      expect([signalOf(work)?.aborted, vi.getTimerCount()]).toEqual([true, 0]);
    },
  );
  it('starts no work once the caller has aborted', async () => {
    const work = listening();
    const waiting = withDeadline(work, { timeoutMs: 1000, signal: AbortSignal.abort(), errorFor });
    await expect(waiting).rejects.toThrow('aborted');
    expect(work).not.toHaveBeenCalled();
  });
  it('rejects with TIMEOUT by default', async () => {
    const outcome = expect(withDeadline(listening(), { timeoutMs: 5 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    await vi.advanceTimersByTimeAsync(5);
    await outcome;
  });
});
it('waitAtMost() settles like the work, or with the substitute when it takes too long', async () => {
  expect(await waitAtMost(Promise.resolve('done'), 100, 'late')).toBe('done');
  await expect(waitAtMost(Promise.reject(new Error('its own')), 100, 'late')).rejects.toThrow(
    'its own',
  );
  const waiting = waitAtMost(new Promise<string>(() => {}), 100, 'late');
  await vi.advanceTimersByTimeAsync(100);
  expect(await waiting).toBe('late');
});
