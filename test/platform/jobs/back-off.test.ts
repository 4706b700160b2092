import { expect, it } from 'vitest';
import { backOffMs } from '../../../src/platform/jobs/back-off.ts';
import { MAX_WAIT_MS } from '../../../src/platform/jobs/job-store.ts';

it.each([
  [1, 0.5, 1000],
  [3, 0.5, 4000],
  [10, 0.5, 512_000],
  [1000, 0.5, 600_000],
  [1, 0, 750],
  [1, 1, 1250],
])('backOffMs() after %i failures, with the random number %d, is %i', (failures, random, ms) => {
  expect(backOffMs(failures, { retryMs: 1000, random: () => random })).toBe(ms);
});

it('backOffMs() stays below the wait that counts as the mistake of a clock', () => {
  expect(backOffMs(100, { retryMs: 60_000, random: () => 1 })).toBeLessThan(MAX_WAIT_MS);
});
