import * as z from 'zod';

/** How sure an answer is, in words (seed 004, confidence). */
export const ConfidenceLevel = z.enum(['high', 'medium', 'low']);
export type ConfidenceLevel = z.infer<typeof ConfidenceLevel>;

/** Below this an answer is partial (seed 000, partial), and its word is `low` (design 7.4). */
export const PARTIAL_BELOW = 0.6;

/** From this on the word is `high` (design 7.4). */
export const HIGH_FROM = 0.8;

/** 0 to 1 -> its word: `high` from 0.8, `medium` from 0.6, `low` below. `NaN` is `low`. */
export const levelOf = (confidence: number): ConfidenceLevel => {
  if (confidence >= HIGH_FROM) return 'high';
  return confidence >= PARTIAL_BELOW ? 'medium' : 'low';
};

const NUMBER_OF = { high: 0.9, medium: 0.7, low: 0.3 } satisfies Record<ConfidenceLevel, number>;

/** A word -> the middle of its range, for a reply that only has the word: 0.9, 0.7, 0.3. `levelOf` leads back. */
export const confidenceOf = (level: ConfidenceLevel): number => NUMBER_OF[level];
