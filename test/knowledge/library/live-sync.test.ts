import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { liveSync } from '../../../src/knowledge/library/live-sync.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A host that takes so long, and answers or fails. */
const hostThat = ({ takesMs = 10, succeeds = true } = {}) => {
  const host = { takesMs, succeeds, asked: 0 };
  const sync = async () => {
    host.asked += 1;
    const { takesMs: ms, succeeds: result } = host;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return result;
  };
  return { host, check: liveSync({ sync, now: Date.now }) };
};
/** Runs the clock until a promise settles. */
const settled = async <T>(work: Promise<T>, withinMs = 60_000): Promise<T> => {
  const [value] = await Promise.all([work, vi.advanceTimersByTimeAsync(withinMs)]);
  return value;
};

describe('liveSync()', () => {
  it('asks the host once for all that wait, and for those within half a second', async () => {
    const { host, check } = hostThat();
    const all = Promise.all(Array.from({ length: 50 }, () => check(1000)));
    expect(new Set(await settled(all, 10))).toEqual(new Set([true]));
    expect(await settled(check(1000), 480)).toBe(true);
    expect(host.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(await settled(check(1000), 10)).toBe(true);
    expect(host.asked).toBe(2);
  });
  it('does not wait longer than allowed, and takes what comes later for the next question', async () => {
    const { host, check } = hostThat({ takesMs: 200 });
    const begun = Date.now();
    const late = check(50).then((isFresh) => [isFresh, Date.now() - begun]);
    expect(await settled(late, 250)).toEqual([false, 50]);
    expect(await check(50)).toBe(true);
    expect(host.asked).toBe(1);
  });
  it('lets a host that hangs delay no more questions after a second', async () => {
    const { host, check } = hostThat({ takesMs: 30_000 });
    expect(await settled(check(1000), 1000)).toBe(false);
    // At once: no timer runs here.
    expect(await Promise.all([check(1000), check(1000)])).toEqual([false, false]);
    expect(host.asked).toBe(1);
  });
  it('leaves a host that failed alone for five seconds', async () => {
    const { host, check } = hostThat({ succeeds: false });
    expect(await settled(check(1000), 4900)).toBe(false);
    expect(await check(1000)).toBe(false);
    expect(host.asked).toBe(1);
    host.succeeds = true;
    await vi.advanceTimersByTimeAsync(100);
    expect(await settled(check(1000), 20)).toBe(true);
    expect(host.asked).toBe(2);
  });
});
