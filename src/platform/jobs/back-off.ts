const MAX_DOUBLINGS = 20;
const MAX_TIMES = 600;
/** Before jitter. Below `MAX_WAIT_MS` of jobs, beyond which a wait counts as the mistake of a clock. */
const MAX_BACK_OFF_MS = 3_600_000;

/** Wait after the `failures`-th failure in a row: doubling, with a quarter of jitter either way so that many do not come at once. */
export function backOffMs(
  failures: number,
  { retryMs, random }: { retryMs: number; random: () => number },
): number {
  const times = Math.min(2 ** Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS), MAX_TIMES);
  return Math.ceil(Math.min(retryMs * times, MAX_BACK_OFF_MS) * (0.75 + random() / 2));
}

const MAX_SPREAD_MS = 60_000;

/** Random delay after the end of a pause, so that not all that wait for it continue at once. */
export function spreadMs(pauseMs: number, random: () => number): number {
  return Math.ceil(random() * Math.min(Math.max(pauseMs, 0), MAX_SPREAD_MS));
}
