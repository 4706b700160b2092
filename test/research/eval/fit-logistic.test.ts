import { expect, it } from 'vitest';
import { fitLogistic } from '../../../research/eval/fit-logistic.ts';
import { applyLogistic } from '../../../src/knowledge/search/logistic.ts';

const grid = Array.from({ length: 200 }, (_, at) => ({
  x: (at % 20) / 20,
  y: Math.floor(at / 20) / 10,
}));

it('fitLogistic() weights the decisive feature and ignores noise', () => {
  const model = fitLogistic(grid.map(({ x, y }) => ({ features: [x, y], label: x > 0.5 })));
  expect(applyLogistic(model, [0.9, 0.5])).toBeGreaterThan(0.9);
  expect(applyLogistic(model, [0.1, 0.5])).toBeLessThan(0.1);
  expect(Math.abs(model.weights[1] ?? 9)).toBeLessThan(Math.abs(model.weights[0] ?? 0) / 20);
});

it('fitLogistic() respects the sign constraint of a weight', () => {
  const examples = grid.map(({ x, y }) => ({ features: [x, y], label: x - y > 0 }));
  expect(fitLogistic(examples).weights[1]).toBeLessThan(0);
  expect(fitLogistic(examples, { signs: [1, 1] }).weights[1]).toBe(0);
});

it('fitLogistic() weights a rare class as much as a common one, and fits one class, constants or nothing', () => {
  const probability = (feature: number, ...labels: boolean[]) =>
    applyLogistic(fitLogistic(labels.map((label) => ({ features: [feature], label }))), [feature]);
  expect(probability(0, ...grid.map(() => false), true)).toBeCloseTo(0.5, 2);
  expect(probability(1, true)).toBeGreaterThan(0.9);
  expect(probability(1, false)).toBeLessThan(0.1);
  expect(probability(3, true, false)).toBeCloseTo(0.5, 2);
  expect(fitLogistic([])).toEqual({ weights: [], bias: -4 });
});
