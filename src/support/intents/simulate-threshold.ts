import { type HoldOutOptions, holdOut } from './hold-out.ts';
import { DEFAULT_THRESHOLD } from './train-classifier.ts';
import type { LearntFrom } from './training-set.ts';

/** Of what a classifier would answer rightly, the share that may be taken for unknown: 0.02 is lenient, 0.1 strict. */
const LOST_SHARE = 0.05;
/** Where examples have little in common, a share of them is found by chance alone: below, one in five foreign questions passes. */
const LEAST = 0.3;
const MOST = 0.9;

/**
 * The confidence below which a message is of no intent, from the examples alone (reference on intents): a simulation of messages that
 * were not seen before and intents that nobody listed. Costs up to four times a training. Belongs to this number of examples: to be
 * found anew whenever the taxonomy changes.
 */
export const simulateThreshold = (
  taxonomy: LearntFrom,
  { lostShare = LOST_SHARE, ...options }: Omit<HoldOutOptions, 'leavesOutIntents'> & { lostShare?: number } = {},
): number => {
  const right = holdOut(taxonomy, { ...options, leavesOutIntents: true })
    .filter(({ intent, likeliest }) => intent === likeliest)
    .map(({ confidence }) => confidence)
    .sort((left, other) => left - other);
  const found = right[Math.floor(right.length * lostShare)] ?? DEFAULT_THRESHOLD;
  return Math.min(MOST, Math.max(LEAST, found));
};
