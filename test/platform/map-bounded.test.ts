import { expect, it } from 'vitest';
import { mapBounded } from '../../src/platform/concurrency.ts';

it('has at most five calls in flight and keeps the order', async () => {
  let inFlight = 0;
  let most = 0;
  const doubled = await mapBounded([...Array(40).keys()], async (value) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await Promise.resolve();
    inFlight -= 1;
    return value * 2;
  });
  expect(doubled).toEqual([...Array(40).keys()].map((value) => value * 2));
  expect(most).toBe(5);
});
it('starts no call after a failure', async () => {
  let started = 0;
  const failing = mapBounded([...Array(40).keys()], async () => {
    started += 1;
    throw new Error('down');
  });
  await expect(failing).rejects.toThrow('down');
  expect(started).toBeLessThanOrEqual(5);
});
