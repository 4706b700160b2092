import * as z from 'zod';

/** Confidence level of an answer. */
export const ConfidenceLevel = z.enum(['high', 'medium', 'low']);
export type ConfidenceLevel = z.infer<typeof ConfidenceLevel>;

/** Below this confidence an answer is partial, and its level is `low`. */
export const PARTIAL_BELOW = 0.6;

/** From this confidence on the level is `high`. */
export const HIGH_FROM = 0.8;

/**
 * A confidence, 0 to 1 -> its level: `high` from 0.8, `medium` from 0.6, `low` below. `NaN` is `low`.
 *
 * @example
 * levelOf(0.9); // 'high'
 */
export function levelOf(confidence: number): ConfidenceLevel {
  if (confidence >= HIGH_FROM) return 'high';
  return confidence >= PARTIAL_BELOW ? 'medium' : 'low';
}

const NUMBER_OF = { high: 0.9, medium: 0.7, low: 0.3 } satisfies Record<ConfidenceLevel, number>;

/**
 * A level -> the middle of its range, for a reply that only has the level: 0.9, 0.7, 0.3. `levelOf` leads back.
 *
 * @example
 * confidenceOf('low'); // 0.3
 */
export function confidenceOf(level: ConfidenceLevel): number {
  return NUMBER_OF[level];
}
