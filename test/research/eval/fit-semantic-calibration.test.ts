import { describe, expect, it } from 'vitest';
import { fitSemanticCalibration } from '../../../research/eval/fit-semantic-calibration.ts';
import { applyLogistic } from '../../../src/knowledge/search/logistic.ts';
import { semanticFeatures } from '../../../src/knowledge/search/semantic-calibration.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';

const expectFinite = ({ weights, bias, slope }: ReturnType<typeof fitSemanticCalibration>) =>
  expect([...weights, bias, slope].every(Number.isFinite)).toBe(true);

describe('fitSemanticCalibration()', () => {
  const TRUTH = { weights: [14, 6], bias: -8 };
  const drawn = (count: number, cosineOf = (similarity: number) => similarity) => {
    const random = seededRandom(3);
    return Array.from({ length: count }, () => {
      const similarity = random() * 0.8;
      const lead = 0.3 * (random() - 0.6);
      const label = random() < applyLogistic(TRUTH, [similarity, lead]);
      return {
        features: semanticFeatures(cosineOf(similarity), cosineOf(similarity - lead)),
        label,
      };
    });
  };
  it('recovers the probabilities of the examples', () => {
    const fitted = fitSemanticCalibration(drawn(4000));
    for (const features of [0.2, 0.4, 0.5, 0.6, 0.7].flatMap((near) =>
      [-0.1, 0, 0.1].map((lead) => [near, lead]),
    ))
      expect(
        Math.abs(applyLogistic(fitted, features) - applyLogistic(TRUTH, features)),
      ).toBeLessThan(0.08);
  });
  it('returns equal relevance for equal evidence in any range of similarities', () => {
    const narrow = (similarity: number): number => 0.68 + similarity / 4;
    const [wide, squeezed] = [
      fitSemanticCalibration(drawn(1500)),
      fitSemanticCalibration(drawn(1500, narrow)),
    ];
    const expectEqual = (similarity: number, other: number) => {
      const expected = applyLogistic(wide, semanticFeatures(similarity, other));
      expect(
        applyLogistic(squeezed, semanticFeatures(narrow(similarity), narrow(other))),
      ).toBeCloseTo(expected, 2);
    };
    expectEqual(0.7, 0.5);
    expectEqual(0.55, 0.54);
    expectEqual(0.3, 0.6);
    expect(squeezed.slope / wide.slope).toBeCloseTo(4, 1);
  });
  it('lowers relevance when many questions have no answer, without changing the slope between sources', () => {
    const answerable = drawn(1000);
    const others = answerable.map(({ features }) => ({ features, label: false }));
    const [alone, mixed] = [
      fitSemanticCalibration(answerable),
      fitSemanticCalibration(answerable, others),
    ];
    expect(applyLogistic(mixed, [0.6, 0.05])).toBeLessThan(applyLogistic(alone, [0.6, 0.05]));
    expect(mixed.slope).toBe(alone.slope);
  });
  it('never fits a negative weight for similarity, and stays finite without two classes of examples', () => {
    const examples = [0.1, 0.2, 0.8, 0.9].map((similarity, at) => ({
      features: [similarity, 0],
      label: at < 2,
    }));
    const { weights, slope } = fitSemanticCalibration(examples);
    expect([Math.min(...weights) >= 0, slope]).toEqual([true, 1]);
    expectFinite(fitSemanticCalibration([]));
    for (const label of [true, false])
      expectFinite(fitSemanticCalibration([{ features: [0.5, 0.1], label }]));
  });
});
