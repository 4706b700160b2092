import type { Fault, FaultTarget } from '../server/faults.ts';

/** Every way in which a tool's API fails. */
const KINDS: readonly ((random: () => number) => Fault)[] = [
  () => ({ kind: 'status', status: 500 }),
  () => ({ kind: 'status', status: 503 }),
  () => ({ kind: 'status', status: 429 }),
  () => ({ kind: 'html-502' }),
  () => ({ kind: 'reset' }),
  () => ({ kind: 'reset', executed: true }),
  (random) => ({ kind: 'reset', executedAfterMs: Math.floor(random() * 200) }),
  () => ({ kind: 'reset-in-body' }),
  () => ({ kind: 'malformed-json' }),
  () => ({ kind: 'truncated-json' }),
  (random) => ({ kind: 'delay', ms: Math.floor(random() * 50) }),
  () => ({ kind: 'hang-before-headers' }),
  () => ({ kind: 'hang-before-headers', executed: true }),
];
const HANGING = 2;

/**
 * Chooses a fault for a share of all requests; for `startHelpdesks({ faults })` and `faults.sometimes`. The same numbers lead to the same
 * faults for the same order of requests.
 *
 * @param random 0 to 1, from a generator with a seed.
 * @param share Of requests that fail, 0 to 1.
 * @param hangs Whether some requests hang, so that the caller runs into its timeout.
 */
export const randomFaults =
  ({ random, share, hangs = true }: { random: () => number; share: number; hangs?: boolean }) =>
  (_request: FaultTarget): Fault | undefined => {
    if (random() >= share) return undefined;
    const kinds = hangs ? KINDS : KINDS.slice(0, -HANGING);
    return kinds[Math.floor(random() * kinds.length)]?.(random);
  };
