import { expect, it } from 'vitest';
import { runChaos } from '../../research/bench/chaos/run-chaos.ts';

it('leaves one note in each of 20 tickets while services fail and functions restart twice', {
  timeout: 240_000,
}, async () => {
  const times = { retryMs: 50, settleMs: 3000, timeoutMs: 200_000 };
  const result = await runChaos({ seed: 3, tickets: 20, restarts: 2, withModels: false, ...times });
  expect(result).toMatchObject({ problems: [], notes: 20, own: 20 });

  expect(Object.keys(result.faults).length).toBeGreaterThan(5);
});
