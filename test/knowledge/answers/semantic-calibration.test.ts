import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../../src/knowledge/answers/fit-edition.ts';
import { applyLogistic } from '../../../src/knowledge/answers/fit-logistic.ts';
import {
  fitSemanticCalibration,
  joined,
  semanticCalibrationOf,
  semanticFeatures,
  semanticRelevances,
} from '../../../src/knowledge/answers/semantic-calibration.ts';
import type { SearchHit } from '../../../src/knowledge/search/search-edition.ts';

const hitsOf = (...similarities: (number | undefined)[]) =>
  similarities.map((similarity, chunk) => ({ chunk, similarity }) as SearchHit);

describe('semanticRelevances()', () => {
  it('is high for what text-embedding-3-small finds close, and low for what it finds unrelated', () => {
    const [close = 0] = semanticRelevances({ hits: hitsOf(0.65, 0.5), model: 'text-embedding-3-small' });
    const [related = 0] = semanticRelevances({ hits: hitsOf(0.4, 0.39), model: 'text-embedding-3-small' });
    const [unrelated = 0] = semanticRelevances({ hits: hitsOf(0.2, 0.15), model: 'text-embedding-3-small' });
    expect(close).toBeGreaterThan(0.8);
    expect(related).toBeLessThan(0.35);
    expect(unrelated).toBeLessThan(0.05);
  });

  it('falls with the lead that another has', () => {
    const [best = 0, second = 0, third = 0] = semanticRelevances({
      hits: hitsOf(0.6, 0.58, 0.5),
      model: 'text-embedding-3-small',
    });
    expect(best).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(third);
  });

  it('says nothing of what was not compared', () => {
    expect(semanticRelevances({ hits: hitsOf(0.6, undefined), model: 'text-embedding-3-small' })[1]).toBeUndefined();
    expect(semanticRelevances({ hits: hitsOf(0.6, 0.5) })).toEqual([undefined, undefined]);
  });

  it.each(['unheard-of', 'constructor', '__proto__'])('is careful with the model %s', (model) => {
    expect(semanticRelevances({ hits: hitsOf(0.7, 0.6), model })[0]).toBeLessThan(0.35);
    expect(semanticRelevances({ hits: hitsOf(0.95, 0.5), model })[0]).toBeGreaterThan(0.8);
  });
});

describe('joined()', () => {
  it('is that of the words where meaning was not compared, and never less', () => {
    expect(joined(0.3, undefined)).toBe(0.3);
    for (const words of [0, 0.2, 0.7, 1])
      for (const meaning of [0, 0.2, 0.7, 1]) {
        expect(joined(words, meaning)).toBeGreaterThanOrEqual(Math.max(words, meaning));
        expect(joined(words, meaning)).toBeLessThanOrEqual(1);
        expect(joined(words, meaning)).toBe(joined(meaning, words));
      }
  });
});

describe('fitSemanticCalibration()', () => {
  it('finds the probabilities that examples were drawn from', () => {
    const random = randomNumbers(3);
    const truth = { weights: [14, 6], bias: -8 };
    const examples = Array.from({ length: 8000 }, () => {
      const similarity = random() * 0.8;
      const features = semanticFeatures(similarity, similarity + 0.3 * (random() - 0.6));
      return { features, label: random() < applyLogistic(truth, features) };
    });
    const fitted = fitSemanticCalibration(examples);
    for (const similarity of [0.2, 0.4, 0.5, 0.6, 0.7])
      for (const lead of [-0.1, 0, 0.1]) {
        const features = [similarity, lead];
        expect(Math.abs(applyLogistic(fitted, features) - applyLogistic(truth, features))).toBeLessThan(0.08);
      }
  });

  it('never takes closeness for a sign against', () => {
    const examples = [0.1, 0.2, 0.8, 0.9].map((similarity, at) => ({ features: [similarity, 0], label: at < 2 }));
    expect(fitSemanticCalibration(examples).weights.every((weight) => weight >= 0)).toBe(true);
  });

  it('has a calibration for the model of the default configuration', () => {
    expect(semanticCalibrationOf('text-embedding-3-small')).not.toEqual(semanticCalibrationOf('unheard-of'));
  });
});
