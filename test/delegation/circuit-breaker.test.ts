import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CircuitBreakers, createCircuitBreakers, type Health } from '../../src/delegation/circuit-breaker.ts';

/** Makes a call that goes as told; `false` when it is refused. */
const call = async (breakers: CircuitBreakers, health: Health, key = 'default/a'): Promise<boolean> => {
  const report = breakers.admit(key);
  await report?.(health);
  return report !== undefined;
};

const calls = async (breakers: CircuitBreakers, times: number, health: Health) => {
  for (let round = 0; round < times; round += 1) await call(breakers, health);
};

/** Long enough for any circuit to allow a probe. */
const wait = (ms = 61_000) => vi.setSystemTime(Date.now() + ms);

const opened = async (breakers: CircuitBreakers = createCircuitBreakers()) => {
  await calls(breakers, 5, 'broken');
  return breakers;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createCircuitBreakers()', () => {
  it('admits four consecutive failures, and refuses after the fifth', async () => {
    const breakers = createCircuitBreakers();
    await calls(breakers, 4, 'broken');
    expect(await call(breakers, 'broken')).toBe(true);
    expect(await call(breakers, 'healthy')).toBe(false);
  });

  it('counts only consecutive failures', async () => {
    const breakers = createCircuitBreakers();
    await calls(breakers, 4, 'broken');
    await call(breakers, 'healthy');
    await calls(breakers, 4, 'broken');
    expect(await call(breakers, 'healthy')).toBe(true);
  });

  it('ignores calls that say nothing about the target', async () => {
    const breakers = createCircuitBreakers();
    await calls(breakers, 20, 'unknown');
    expect(await call(breakers, 'healthy')).toBe(true);
    await calls(breakers, 4, 'broken');
    await calls(breakers, 5, 'unknown');
    await call(breakers, 'broken');
    expect(await call(breakers, 'healthy')).toBe(false);
  });

  it('opens nothing for another workspace or target', async () => {
    const breakers = await opened();
    expect(await call(breakers, 'healthy', 'other/a')).toBe(true);
    expect(await call(breakers, 'healthy', 'default/b')).toBe(true);
  });

  it('admits one probe after a while, and refuses the others at once', async () => {
    const breakers = await opened();
    wait();
    const report = breakers.admit('default/a');
    expect([1, 2, 3].map(() => breakers.admit('default/a'))).toEqual([undefined, undefined, undefined]);
    await report?.('healthy');
    expect(await call(breakers, 'healthy')).toBe(true);
  });

  it('stays open after a probe that failed', async () => {
    const breakers = await opened();
    wait();
    expect(await call(breakers, 'broken')).toBe(true);
    expect(await call(breakers, 'healthy')).toBe(false);
    wait();
    expect(await call(breakers, 'healthy')).toBe(true);
  });

  it('forgets a probe that was cancelled: the next call probes, and decides', async () => {
    const breakers = await opened();
    wait();
    expect(await call(breakers, 'unknown')).toBe(true);
    expect(await call(breakers, 'broken')).toBe(true);
    expect(await call(breakers, 'healthy')).toBe(false);
  });

  it('admits another probe when the first ends without a report', async () => {
    const breakers = await opened();
    wait();
    breakers.admit('default/a');
    expect(await call(breakers, 'healthy')).toBe(false);
    wait(3001);
    expect(await call(breakers, 'healthy')).toBe(true);
    expect(await call(breakers, 'healthy')).toBe(true);
  });

  it('is not reopened by a late probe when another has closed it', async () => {
    const breakers = await opened();
    wait();
    const reportLate = breakers.admit('default/a');
    wait(3001);
    await call(breakers, 'healthy');
    await reportLate?.('broken');
    expect(await call(breakers, 'healthy')).toBe(true);
  });

  it('keeps a bounded number of circuits', async () => {
    const breakers = await opened(createCircuitBreakers({ limit: 2 }));
    await call(breakers, 'healthy', 'default/b');
    expect(await call(breakers, 'healthy')).toBe(false);
    await call(breakers, 'healthy', 'default/c');
    await call(breakers, 'healthy', 'default/d');
    expect(await call(breakers, 'healthy')).toBe(true);
  });
});
