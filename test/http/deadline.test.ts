import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withDeadline } from '../../src/http/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});
const errorFor = (why: string) => new Error(why);

/** Work that never ends, and the signal it received. */
const listening = () => {
  const given: { signal?: AbortSignal } = {};
  const work = (signal: AbortSignal) => {
    given.signal = signal;
    return never();
  };
  return { given, work };
};

describe('withDeadline()', () => {
  it('resolves and rejects like the work, and leaves no timer or listener', async () => {
    const caller = new AbortController();
    const removed = vi.spyOn(caller.signal, 'removeEventListener');
    const options = { timeoutMs: 1000, signal: caller.signal };
    expect(await withDeadline(async () => 7, options)).toBe(7);
    await expect(withDeadline(() => Promise.reject(new Error('its own')), options)).rejects.toThrow('its own');
    const failing = () => {
      throw new Error('at once');
    };
    await expect(withDeadline(failing, options)).rejects.toThrow('at once');
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(3);
  });

  it('rejects at the timeout, and aborts the work with the same error', async () => {
    const { given, work } = listening();
    const waiting = withDeadline(work, { timeoutMs: 1000, errorFor });
    const outcome = expect(waiting).rejects.toThrow('timeout');
    await vi.advanceTimersByTimeAsync(999);
    expect(given.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    expect(given.signal?.reason).toEqual(new Error('timeout'));
  });

  it('rejects when the caller aborts, with and without a time limit', async () => {
    for (const timeoutMs of [1000, undefined]) {
      const caller = new AbortController();
      const { given, work } = listening();
      const outcome = expect(withDeadline(work, { timeoutMs, signal: caller.signal, errorFor })).rejects.toThrow(
        'aborted',
      );
      caller.abort();
      await outcome;
      expect(given.signal?.aborted).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('starts no work once the caller has aborted', async () => {
    const work = vi.fn(never);
    await expect(withDeadline(work, { timeoutMs: 1000, signal: AbortSignal.abort(), errorFor })).rejects.toThrow(
      'aborted',
    );
    expect(work).not.toHaveBeenCalled();
  });

  it('rejects with TIMEOUT by default', async () => {
    const outcome = expect(withDeadline(never, { timeoutMs: 5 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await vi.advanceTimersByTimeAsync(5);
    await outcome;
  });

  it('ignores a rejection after the deadline', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const outcome = expect(withDeadline(() => promise, { timeoutMs: 5, errorFor })).rejects.toThrow('timeout');
    await vi.advanceTimersByTimeAsync(5);
    await outcome;
    reject(new Error('too late'));
    await vi.advanceTimersByTimeAsync(0);
  });
});
