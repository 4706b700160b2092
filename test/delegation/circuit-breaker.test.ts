import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CircuitBreakers, createCircuitBreakers, type Health } from '../../src/delegation/circuit-breaker.ts';

/** Makes a call with this outcome; `false` when it is refused. */
const call = async (breakers: CircuitBreakers, health: Health, key = 'default/a'): Promise<boolean> => {
  const report = breakers.admit(key);
  await report?.(health);
  return report !== undefined;
};

/** Long enough for any circuit to allow a probe. */
const wait = (ms = 61_000) => vi.setSystemTime(Date.now() + ms);

const opened = async (breakers: CircuitBreakers = createCircuitBreakers()) => {
  for (let round = 0; round < 5; round += 1) await call(breakers, 'broken');
  return breakers;
};

const STEPS: Record<string, Health> = { b: 'broken', h: 'healthy', u: 'unknown' };

/** Makes a call for each letter, `w` waits; `!` follows refused calls. */
const outcomeOf = async (steps: string): Promise<string> => {
  const breakers = createCircuitBreakers();
  let outcome = '';
  for (const step of steps) {
    const health = STEPS[step];
    if (health === undefined) wait();
    outcome += health === undefined || (await call(breakers, health)) ? step : `${step}!`;
  }
  return outcome;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createCircuitBreakers()', () => {
  it.each([
    ['admits four consecutive failures, and refuses after the fifth', 'bbbbbh!'],
    ['counts only consecutive failures', 'bbbbhbbbbh'],
    ['ignores calls with unknown outcome', 'uuuuuuuuuuuuuuuuuuuuhbbbbuuuuubh!'],
    ['stays open after a failed probe', 'bbbbbwbh!wh'],
    ['discards a cancelled probe: the next call probes, and decides', 'bbbbbwubh!'],
  ])('%s', async (_, outcome) => {
    expect(await outcomeOf(outcome.replaceAll('!', ''))).toBe(outcome);
  });

  it('opens no circuit of another workspace or target', async () => {
    const breakers = await opened();
    expect(await call(breakers, 'healthy', 'other/a')).toBe(true);
    expect(await call(breakers, 'healthy', 'default/b')).toBe(true);
  });

  it('admits one probe after a while, and refuses other calls immediately', async () => {
    const breakers = await opened();
    wait();
    const report = breakers.admit('default/a');
    expect([1, 2, 3].map(() => breakers.admit('default/a'))).toEqual([undefined, undefined, undefined]);
    await report?.('healthy');
    expect(await call(breakers, 'healthy')).toBe(true);
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

  it('is not reopened by a late probe after another has closed it', async () => {
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
