import { expect, it } from 'vitest';
import { runChaos } from '../../src/dev/bench/chaos/run-chaos.ts';

it('leaves one note in each of 20 tickets, while everything fails and the functions are restarted twice', {
  timeout: 240_000,
}, async () => {
  const times = { retryMs: 50, settleMs: 3000, timeoutMs: 200_000 };
  const result = await runChaos({ seed: 3, tickets: 20, restarts: 2, withModels: false, ...times });
  expect(result).toMatchObject({ problems: [], notes: 20, own: 20 });
  // It was chaos.
  expect(Object.keys(result.faults).length).toBeGreaterThan(5);
});
