import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/runtime/seeded-random.ts';
import { applyLogistic } from '../../src/search/fit-logistic.ts';
import type { SearchHit } from '../../src/search/search-edition.ts';
import {
  fitSemanticCalibration,
  joined,
  semanticCalibrationOf,
  semanticFeatures,
  semanticRelevances,
} from '../../src/search/semantic-calibration.ts';

const hitsOf = (...similarities: (number | undefined)[]) =>
  similarities.map((similarity, chunk) => ({ chunk, similarity }) as SearchHit);

describe('semanticRelevances()', () => {
  it('is high for texts close by text-embedding-3-small, and low for unrelated ones', () => {
    const [close = 0] = semanticRelevances({ hits: hitsOf(0.65, 0.5), model: 'text-embedding-3-small' });
    const [related = 0] = semanticRelevances({ hits: hitsOf(0.4, 0.39), model: 'text-embedding-3-small' });
    const [unrelated = 0] = semanticRelevances({ hits: hitsOf(0.2, 0.15), model: 'text-embedding-3-small' });
    expect(close).toBeGreaterThan(0.8);
    expect(related).toBeLessThan(0.35);
    expect(unrelated).toBeLessThan(0.05);
  });

  it('is lower when another source leads', () => {
    const [best = 0, second = 0, third = 0] = semanticRelevances({
      hits: hitsOf(0.6, 0.58, 0.5),
      model: 'text-embedding-3-small',
    });
    expect(best).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
  });

  it('is undefined for hits that were not compared', () => {
    expect(semanticRelevances({ hits: hitsOf(0.6, undefined), model: 'text-embedding-3-small' })[1]).toBeUndefined();
    expect(semanticRelevances({ hits: hitsOf(0.6, 0.5) })).toEqual([undefined, undefined]);
  });
  it.each(['unheard-of', 'constructor', '__proto__'])('is conservative with the unknown model %s', (model) => {
    expect(semanticRelevances({ hits: hitsOf(0.7, 0.6), model })[0]).toBeLessThan(0.35);
    expect(semanticRelevances({ hits: hitsOf(0.95, 0.5), model })[0]).toBeGreaterThan(0.8);
  });
});

it('joined() is the lexical relevance without vectors, and never less with them', () => {
  expect(joined(0.3, undefined)).toBe(0.3);
  for (const lexical of [0, 0.2, 0.7, 1])
    for (const semantic of [0, 0.2, 0.7, 1]) {
      expect(joined(lexical, semantic)).toBeGreaterThanOrEqual(Math.max(lexical, semantic));
      expect(joined(lexical, semantic)).toBeLessThanOrEqual(1);
      expect(joined(lexical, semantic)).toBe(joined(semantic, lexical));
    }
});

const MODELS = [
  'universal-sentence-encoder-lite',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'text-embedding-ada-002',
  'unheard-of',
];

describe('the calibrations of models', () => {
  it.each(MODELS)('have finite parameters and no negative weight for similarity: %s', (model) => {
    const { weights, bias, slope } = semanticCalibrationOf(model);
    expect([...weights, bias, slope].every(Number.isFinite)).toBe(true);
    expect(weights.every((weight) => weight >= 0)).toBe(true);
    expect(slope).toBeGreaterThanOrEqual(1);
    expect(slope).toBeLessThanOrEqual(100);
  });

  it.each(MODELS)('are monotonic in similarity: %s', (model) => {
    const relevanceAt = (similarity: number): number =>
      semanticRelevances({ hits: hitsOf(similarity, 0.3), model })[0] ?? 0;
    const relevances = Array.from({ length: 70 }, (_, step) => relevanceAt(0.31 + step / 100));
    expect(relevances).toEqual(relevances.toSorted((a, b) => a - b));
  });

  /** Typical similarities of an unrelated text, the best answer and a second one, for each model. */
  const RANGES: Record<string, { unrelated: number; answer: number; second: number }> = {
    'universal-sentence-encoder-lite': { unrelated: 0.3, answer: 0.69, second: 0.6 },
    'text-embedding-3-small': { unrelated: 0.28, answer: 0.63, second: 0.55 },
    'text-embedding-3-large': { unrelated: 0.28, answer: 0.63, second: 0.55 },
    'text-embedding-ada-002': { unrelated: 0.7, answer: 0.845, second: 0.815 },
  };

  it.each(Object.entries(RANGES))(
    'return equal relevance for equal evidence: %s',
    (model, { unrelated, answer, second }) => {
      const [best = 0, next = 0] = semanticRelevances({ hits: hitsOf(answer, second), model });
      const [unrelatedRelevance = 0] = semanticRelevances({ hits: hitsOf(unrelated, unrelated - 0.01), model });
      expect(best).toBeGreaterThan(0.6);
      expect(best).toBeLessThan(0.75);
      expect(next).toBeGreaterThan(0.02);
      expect(next).toBeLessThan(0.1);
      expect(unrelatedRelevance).toBeLessThan(0.05);
    },
  );
});

describe('fitSemanticCalibration()', () => {
  const TRUTH = { weights: [14, 6], bias: -8 };
  const drawn = (count: number, cosineOf = (similarity: number) => similarity) => {
    const random = seededRandom(3);
    return Array.from({ length: count }, () => {
      const similarity = random() * 0.8;
      const lead = 0.3 * (random() - 0.6);
      const label = random() < applyLogistic(TRUTH, [similarity, lead]);
      return { features: semanticFeatures(cosineOf(similarity), cosineOf(similarity - lead)), label };
    });
  };

  it('recovers the probabilities of the examples', () => {
    const fitted = fitSemanticCalibration(drawn(4000));
    for (const similarity of [0.2, 0.4, 0.5, 0.6, 0.7])
      for (const lead of [-0.1, 0, 0.1]) {
        const features = [similarity, lead];
        expect(Math.abs(applyLogistic(fitted, features) - applyLogistic(TRUTH, features))).toBeLessThan(0.08);
      }
  });

  it('returns equal relevance for equal evidence in any range of similarities', () => {
    const narrow = (similarity: number): number => 0.68 + similarity / 4;
    const wide = fitSemanticCalibration(drawn(1500));
    const squeezed = fitSemanticCalibration(drawn(1500, narrow));
    for (const [similarity, other] of [
      [0.7, 0.5],
      [0.55, 0.54],
      [0.3, 0.6],
    ] as const) {
      const expected = applyLogistic(wide, semanticFeatures(similarity, other));
      const features = semanticFeatures(narrow(similarity), narrow(other));
      expect(applyLogistic(squeezed, features)).toBeCloseTo(expected, 2);
    }
    expect(squeezed.slope / wide.slope).toBeCloseTo(4, 1);
  });

  it('lowers relevance when many questions have no answer, without changing the slope between sources', () => {
    const answerable = drawn(1000);
    const others = answerable.map(({ features }) => ({ features, label: false }));
    const [alone, mixed] = [fitSemanticCalibration(answerable), fitSemanticCalibration(answerable, others)];
    expect(applyLogistic(mixed, [0.6, 0.05])).toBeLessThan(applyLogistic(alone, [0.6, 0.05]));
    expect(mixed.slope).toBe(alone.slope);
  });

  it('never fits a negative weight for similarity', () => {
    const examples = [0.1, 0.2, 0.8, 0.9].map((similarity, at) => ({ features: [similarity, 0], label: at < 2 }));
    const { weights, slope } = fitSemanticCalibration(examples);
    expect(weights.every((weight) => weight >= 0)).toBe(true);
    expect(slope).toBe(1);
  });

  it.each([[[]], [[{ features: [0.5, 0.1], label: true }]], [[{ features: [0.5, 0.1], label: false }]]])(
    'stays finite without two classes of examples: %j',
    (examples) => {
      const { weights, bias, slope } = fitSemanticCalibration(examples);
      expect([...weights, bias, slope].every(Number.isFinite)).toBe(true);
    },
  );
});
