import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../../src/knowledge/search/search-edition.ts';
import {
  joined,
  semanticCalibrationOf,
  semanticRelevances,
} from '../../../src/knowledge/search/semantic-calibration.ts';

const SMALL = 'text-embedding-3-small';
const relevances = (similarities: (number | undefined)[], model?: string) => {
  const hits = similarities.map((similarity, chunk) => ({ chunk, similarity }) as SearchHit);
  return semanticRelevances({ hits, ...(model && { model }) });
};
const best = (similarities: number[], model = SMALL): number =>
  relevances(similarities, model)[0] ?? Number.NaN;

describe('semanticRelevances()', () => {
  it('is high for close texts, low for unrelated ones, and lower when another source leads', () => {
    expect(best([0.65, 0.5])).toBeGreaterThan(0.8);
    expect(best([0.4, 0.39])).toBeLessThan(0.35);
    expect(best([0.2, 0.15])).toBeLessThan(0.05);
    const [first = 0, second = 0, third = 0] = relevances([0.6, 0.58, 0.5], SMALL);
    expect([first > second, second > third]).toEqual([true, true]);
  });
  it('is undefined for hits that were not compared', () => {
    expect(relevances([0.6, undefined], SMALL)[1]).toBeUndefined();
    expect(relevances([0.6, 0.5])).toEqual([undefined, undefined]);
  });
  it.each(['unheard-of', 'constructor', '__proto__'])(
    'is conservative with the unknown model %s',
    (model) => {
      expect(best([0.7, 0.6], model)).toBeLessThan(0.35);
      expect(best([0.95, 0.5], model)).toBeGreaterThan(0.8);
    },
  );
});

it('joined() is the lexical relevance without vectors, and never less with them', () => {
  expect(joined(0.3, undefined)).toBe(0.3);
  const steps = [0, 0.2, 0.7, 1];
  for (const [lexical, semantic] of steps.flatMap((left) =>
    steps.map((right) => [left, right] as const),
  )) {
    expect(joined(lexical, semantic)).toBeGreaterThanOrEqual(Math.max(lexical, semantic));
    expect(joined(lexical, semantic)).toBeLessThanOrEqual(1);
    expect(joined(lexical, semantic)).toBe(joined(semantic, lexical));
  }
});

const expectFinite = ({ weights, bias, slope }: ReturnType<typeof semanticCalibrationOf>) =>
  expect([...weights, bias, slope].every(Number.isFinite)).toBe(true);

/** Typical similarities of an unrelated text, the best answer and a second one, for each model. */
const RANGES: Record<string, [unrelated: number, answer: number, second: number] | undefined> = {
  'universal-sentence-encoder-lite': [0.3, 0.69, 0.6],
  'text-embedding-3-small': [0.28, 0.63, 0.55],
  'text-embedding-3-large': [0.28, 0.63, 0.55],
  'text-embedding-ada-002': [0.7, 0.845, 0.815],
  'unheard-of': undefined,
};

describe.each(Object.entries(RANGES))('the calibration of %s', (model, range) => {
  it('has finite parameters, no negative weight for similarity, and is monotonic', () => {
    const calibration = semanticCalibrationOf(model);
    expectFinite(calibration);
    expect(Math.min(...calibration.weights)).toBeGreaterThanOrEqual(0);
    expect(calibration.slope).toBeGreaterThanOrEqual(1);
    expect(calibration.slope).toBeLessThanOrEqual(100);
    const rising = Array.from({ length: 70 }, (_, step) => best([0.31 + step / 100, 0.3], model));
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
  });
  if (range === undefined) return;
  it('returns equal relevance for equal evidence', () => {
    const [unrelated, answer, second] = range;
    const [first = 0, next = 0] = relevances([answer, second], model);
    expect([first > 0.6, first < 0.75, next > 0.02, next < 0.1]).toEqual([true, true, true, true]);
    expect(best([unrelated, unrelated - 0.01], model)).toBeLessThan(0.05);
  });
});
