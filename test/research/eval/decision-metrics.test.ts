import { describe, expect, it } from 'vitest';
import { calibrationError, reliability } from '../../../research/eval/decision-metrics.ts';

const judged = (confidence: number, rights: number, wrongs: number) => [
  ...Array.from({ length: rights }, () => ({ confidence, isRight: true })),
  ...Array.from({ length: wrongs }, () => ({ confidence, isRight: false })),
];

describe('calibrationError()', () => {
  it('is zero when accuracy equals confidence', () => {
    expect(calibrationError([...judged(0.75, 3, 1), ...judged(0.5, 5, 5)])).toBeCloseTo(0, 10);
  });
  it('weights the error of each bin by its count', () => {
    expect(calibrationError([...judged(0.9, 0, 1), ...judged(0.2, 1, 0)])).toBeCloseTo(
      (0.9 + 0.8) / 2,
      10,
    );
  });
});

describe('reliability()', () => {
  it('reports count, mean confidence and accuracy per bin', () => {
    expect(reliability([...judged(0.5, 3, 1), ...judged(1, 1, 0)])).toEqual([
      { from: 0.5, count: 4, confidence: 0.5, right: 0.75 },
      { from: 0.9, count: 1, confidence: 1, right: 1 },
    ]);
  });
});
