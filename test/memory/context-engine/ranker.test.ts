import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Memory, SearchResult } from '../../../src/contract/wire/memory.ts';
import {
  DEFAULT_WEIGHTS,
  defaultScore,
  MemoryRanker,
  recencyScore,
} from '../../../src/memory/context-engine/ranker.ts';
import { idsOf, memoryOf } from './engine-for-test.ts';

const NOW = Date.parse('2026-01-11T00:00:00Z');
const resultOf = (id: string, score: number, fields: Partial<Memory> = {}): SearchResult => ({
  memory: memoryOf(id, fields),
  score,
});

describe('defaultScore()', () => {
  const result = resultOf('m', 0.5, { confidence: 0.9, created_at: '2026-01-02T00:00:00Z' });
  it.each([
    [
      'the given weights',
      { similarityWeight: 0.5, recencyWeight: 0.3, confidenceWeight: 0.2 },
      0.25 + 0.03 + 0.18,
    ],
    ['a default for each absent weight', { confidenceWeight: 1 }, 0.3 + 0.02 + 0.9],
  ])('adds similarity, recency and confidence by %s', (_, weights, expected) => {
    expect(defaultScore(result, { ...weights, now: NOW })).toBeCloseTo(expected, 12);
  });
  it('is at most 1 with the default weights', () => {
    expect(Object.values(DEFAULT_WEIGHTS).reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
  });
});
it.each([
  ['2026-01-11T00:00:00Z', 1],
  ['2026-01-10T12:00:00Z', 1 / 1.5],
  ['2026-01-01T00:00:00Z', 1 / 11],
  ['2027-01-01T00:00:00Z', 1],
  ['no date', 0],
])('recencyScore() is, for %s ten days into the year, %d', (createdAt, expected) => {
  expect(recencyScore(createdAt, NOW)).toBeCloseTo(expected, 12);
});

describe('MemoryRanker', () => {
  const results = [
    resultOf('a', 0.2, { confidence: 0.9, created_at: '2026-01-02T00:00:00Z' }),
    resultOf('b', 0.9, { confidence: 0.1, created_at: '2026-01-01T00:00:00Z' }),
    resultOf('c', 0.5, { confidence: 0.5, created_at: 'no date' }),
  ];
  const equal = ['x', 'y', 'z'].map((id) => resultOf(id, 0.5));

  it.each<[string, (given: SearchResult[]) => SearchResult[], string]>([
    ['bySimilarity', MemoryRanker.bySimilarity, 'b c a'],
    ['byRecency', MemoryRanker.byRecency, 'a b c'],
    ['byConfidence', MemoryRanker.byConfidence, 'a c b'],
    [
      'custom',
      (given) => MemoryRanker.custom(given, ({ memory }) => (memory.id === 'c' ? 1 : Number.NaN)),
      'c a b',
    ],
  ])(
    '%s() sorts by one value, missing values last, and keeps the order of equal ones',
    (_, rank, order) => {
      expect(idsOf(rank(results)).join(' ')).toBe(order);
      expect(idsOf(rank(equal))).toEqual(['x', 'y', 'z']);
    },
  );
  it('custom() calls its function once for each result', () => {
    let calls = 0;
    MemoryRanker.custom(equal, () => (calls += 1));
    expect(calls).toBe(3);
  });
  it('defaultRanking() puts the newer of equally similar memories first, by the clock when no time is given', () => {
    const recent = resultOf('recent', 0.5, { created_at: new Date().toISOString() });
    for (const moment of [{ now: Date.now() }, undefined])
      expect(
        idsOf(MemoryRanker.defaultRanking([resultOf('old', 0.5), recent], {}, moment)),
      ).toEqual(['recent', 'old']);
  });
  it('defaultRanking() returns all results unchanged, best first, numbered from 1', () => {
    const anyNumber = fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0, 0.5, 1, Number.NaN),
    );
    const anyResult = fc.record({
      score: anyNumber,
      confidence: anyNumber,
      day: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 30 }), (entries) => {
        const given = entries.map(({ score, confidence, day }, at) => {
          const created_at = day > 30 ? 'no date' : new Date(NOW - day * 86_400_000).toISOString();
          return resultOf(`m${at}`, score, { confidence, created_at });
        });
        const before = structuredClone(given);
        const ranked = MemoryRanker.defaultRanking(given, {}, { now: NOW });
        expect(given).toEqual(before);
        expect(idsOf(ranked).toSorted()).toEqual(idsOf(given).toSorted());
        expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, at) => at + 1));
        const scores = ranked.map((result) => defaultScore(result, { now: NOW }));
        expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
      }),
    );
  });
});
