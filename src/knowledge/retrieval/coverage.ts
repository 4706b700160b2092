import type { Coverage } from '../../contract/knowledge-retrieval.ts';

/** From which relevance of the best source on each holds (design 7.1). */
export const COVERAGE_FROM = { high: 0.8, medium: 0.7, low: 0.4 } as const;

/**
 * How well a message is covered. A source on other products than the ticket's never reaches `medium`: where the best one does, the
 * product that is named is covered.
 *
 * @param best Relevance of the best source, 0 to 1.
 */
export const coverageOf = (best: number): Coverage => {
  if (best >= COVERAGE_FROM.high) return 'high';
  if (best >= COVERAGE_FROM.medium) return 'medium';
  return best >= COVERAGE_FROM.low ? 'low' : 'none';
};
