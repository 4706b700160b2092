import { describe, expect, it } from 'vitest';
import { evaluateAnalytics } from '../../../src/dev/eval/analytics.ts';

describe('matchQuestion()', () => {
  it.each(['development', 'held out'] as const)(
    'finds the right question with the right values for 90 % of the %s half, and declines 90 % of what is none',
    (half) => {
      const { answerable, right, unanswerable, declined } = evaluateAnalytics(half);
      expect(answerable).toBeGreaterThanOrEqual(30);
      expect(unanswerable).toBeGreaterThanOrEqual(10);
      expect(right / answerable).toBeGreaterThanOrEqual(0.9);
      expect(declined / unanswerable).toBeGreaterThanOrEqual(0.9);
    },
  );
});
