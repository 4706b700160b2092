import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  createCircuitBreakers,
  type Health,
} from '../../../src/librarians/delegation/circuit-breaker.ts';

/** Long enough for any circuit to allow a probe. */
const wait = (ms = 61_000) => vi.setSystemTime(Date.now() + ms);

/** Circuit breakers, with a call that returns `false` when it is refused. */
const start = (limit?: number) => {
  const breakers = createCircuitBreakers(limit === undefined ? {} : { limit });
  const call = async (health: Health, key = 'a'): Promise<boolean> => {
    const report = breakers.admit(key);
    await report?.(health);
    return report !== undefined;
  };
  const open = async () => {
    for (let round = 0; round < 5; round += 1) await call('broken');
    wait();
  };
  return { admit: () => breakers.admit('a'), call, open };
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const STEPS: Record<string, Health> = { b: 'broken', h: 'healthy', u: 'unknown' };
it.each([
  ['admits four consecutive failures, and refuses after the fifth', 'bbbbbh!'],
  ['counts only consecutive failures', 'bbbbhbbbbh'],
  ['ignores calls with unknown outcome', 'uuuuuuuuuuuuuuuuuuuuhbbbbuuuuubh!'],
  ['stays open after a failed probe', 'bbbbbwbh!wh'],
  ['discards a cancelled probe: the next call probes, and decides', 'bbbbbwubh!'],
])('%s', async (_, expected) => {
  const { call } = start();
  // A call for each letter, `w` waits; `!` follows refused calls.
  let outcome = '';
  for (const step of expected.replaceAll('!', '')) {
    const health = STEPS[step];
    if (health === undefined) wait();
    outcome += health === undefined || (await call(health)) ? step : `${step}!`;
  }
  expect(outcome).toBe(expected);
});
it('admits one probe after a while, and refuses other calls immediately', async () => {
  const { admit, call, open } = start();
  await open();
  const report = admit();
  expect([1, 2, 3].map(admit)).toEqual([undefined, undefined, undefined]);
  await report?.('healthy');
  expect(await call('healthy')).toBe(true);
});
it('admits another probe when the first ends without a report, which is ignored later', async () => {
  const { admit, call, open } = start();
  await open();
  const reportLate = admit();
  expect(await call('healthy')).toBe(false);
  wait(3001);
  expect(await call('healthy')).toBe(true);
  await reportLate?.('broken');
  expect(await call('healthy')).toBe(true);
});
it('keeps a bounded number of circuits', async () => {
  const { call } = start(2);
  for (let round = 0; round < 5; round += 1) await call('broken');
  await call('healthy', 'b');
  expect(await call('healthy')).toBe(false);
  for (const key of ['c', 'd']) await call('healthy', key);
  expect(await call('healthy')).toBe(true);
});
