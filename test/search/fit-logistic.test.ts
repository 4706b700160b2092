import { describe, expect, it } from 'vitest';
import { applyLogistic, fitLogistic } from '../../src/search/fit-logistic.ts';

const grid = Array.from({ length: 200 }, (_, at) => ({ x: (at % 20) / 20, y: Math.floor(at / 20) / 10 }));

describe('fitLogistic()', () => {
  it('weights the decisive feature and ignores noise', () => {
    const model = fitLogistic(grid.map(({ x, y }) => ({ features: [x, y], label: x > 0.5 })));
    expect(applyLogistic(model, [0.9, 0.5])).toBeGreaterThan(0.9);
    expect(applyLogistic(model, [0.1, 0.5])).toBeLessThan(0.1);
    expect(Math.abs(model.weights[1] ?? 9)).toBeLessThan(Math.abs(model.weights[0] ?? 0) / 20);
  });

  it('weights a rare class as much as a common one', () => {
    const examples = [...grid.map(() => ({ features: [0], label: false })), { features: [0], label: true }];
    expect(applyLogistic(fitLogistic(examples), [0])).toBeCloseTo(0.5, 2);
  });
  it('respects the sign constraint of a weight', () => {
    const examples = grid.map(({ x, y }) => ({ features: [x, y], label: x - y > 0 }));
    expect(fitLogistic(examples).weights[1]).toBeLessThan(0);
    expect(fitLogistic(examples, { signs: [1, 1] }).weights[1]).toBe(0);
  });

  it('handles one class, constant features and no examples', () => {
    expect(applyLogistic(fitLogistic([{ features: [1], label: true }]), [1])).toBeGreaterThan(0.9);
    expect(applyLogistic(fitLogistic([{ features: [1], label: false }]), [1])).toBeLessThan(0.1);
    expect(fitLogistic([])).toEqual({ weights: [], bias: -4 });
    const constant = fitLogistic([
      { features: [3], label: true },
      { features: [3], label: false },
    ]);
    expect(applyLogistic(constant, [3])).toBeCloseTo(0.5, 2);
  });
});
