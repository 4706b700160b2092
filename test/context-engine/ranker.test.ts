import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_WEIGHTS, defaultScore, MemoryRanker, recencyScore } from '../../src/context-engine/ranker.ts';
import type { Memory, SearchResult } from '../../src/contract/memory.ts';
import { memoryOf } from './memory-storage.ts';

const NOW = Date.parse('2026-01-11T00:00:00Z');

const resultOf = (id: string, score: number, fields: Partial<Memory> = {}): SearchResult => ({
  memory: memoryOf(id, fields),
  score,
});
const idsOf = (results: readonly SearchResult[]) => results.map(({ memory }) => memory.id);
const anyNumber = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 1, Number.NaN));
const someResults = fc
  .array(fc.record({ score: anyNumber, confidence: anyNumber, day: fc.integer({ min: 0, max: 40 }) }), {
    maxLength: 30,
  })
  .map((entries) =>
    entries.map(({ score, confidence, day }, at) =>
      resultOf(`m${at}`, score, {
        confidence,
        created_at: day > 30 ? 'no date' : new Date(NOW - day * 86_400_000).toISOString(),
      }),
    ),
  );

describe('MemoryRanker.defaultRanking()', () => {
  it('adds similarity, recency and confidence by their weights', () => {
    const result = resultOf('m', 0.5, { confidence: 0.9, created_at: '2026-01-02T00:00:00Z' });
    const weights = { similarityWeight: 0.5, recencyWeight: 0.3, confidenceWeight: 0.2 };
    expect(defaultScore(result, { ...weights, now: NOW })).toBeCloseTo(0.5 * 0.5 + (1 / (1 + 9)) * 0.3 + 0.9 * 0.2, 12);
  });
  it('has default weights that add up to 1, each used when its weight is absent', () => {
    expect(Object.values(DEFAULT_WEIGHTS).reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
    const result = resultOf('m', 1, { confidence: 0, created_at: 'no date' });
    expect(defaultScore(result, { confidenceWeight: 1, now: NOW })).toBe(DEFAULT_WEIGHTS.similarityWeight);
  });

  it.each([
    ['similarity', { similarityWeight: 1, recencyWeight: 0, confidenceWeight: 0 }, ['similar', 'new', 'sure']],
    ['recency', { similarityWeight: 0, recencyWeight: 1, confidenceWeight: 0 }, ['new', 'similar', 'sure']],
    ['confidence', { similarityWeight: 0, recencyWeight: 0, confidenceWeight: 1 }, ['sure', 'new', 'similar']],
  ])('ranks by %s alone when only that has weight', (_, weights, expected) => {
    const results = [
      resultOf('new', 0.5, { confidence: 0.5, created_at: '2026-01-10T00:00:00Z' }),
      resultOf('sure', 0.1, { confidence: 1, created_at: '2025-01-01T00:00:00Z' }),
      resultOf('similar', 0.9, { confidence: 0.2, created_at: '2026-01-05T00:00:00Z' }),
    ];
    expect(idsOf(MemoryRanker.defaultRanking(results, weights, { now: NOW }))).toEqual(expected);
  });

  it('puts the newer of two equally similar memories first', () => {
    const old = resultOf('old', 0.7, { created_at: '2025-12-01T00:00:00Z' });
    const recent = resultOf('recent', 0.7, { created_at: '2026-01-10T00:00:00Z' });
    expect(idsOf(MemoryRanker.defaultRanking([old, recent], {}, { now: NOW }))).toEqual(['recent', 'old']);
  });
  it('reads the clock when no time is given', () => {
    const result = resultOf('m', 0.5, { created_at: new Date().toISOString() });
    expect(idsOf(MemoryRanker.defaultRanking([resultOf('old', 0.5), result], {}))).toEqual(['m', 'old']);
  });

  it('returns all results unchanged, best first, numbered from 1', () => {
    fc.assert(
      fc.property(someResults, (results) => {
        const before = structuredClone(results);
        const ranked = MemoryRanker.defaultRanking(results, {}, { now: NOW });
        expect(results).toEqual(before);
        expect(idsOf(ranked).toSorted()).toEqual(idsOf(results).toSorted());
        expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, at) => at + 1));
        const scores = ranked.map((result) => defaultScore(result, { now: NOW }));
        expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
        expect(scores).toEqual(scores.toSorted((left, right) => right - left));
      }),
    );
  });
});

it.each([
  ['2026-01-11T00:00:00Z', 1],
  ['2026-01-10T00:00:00Z', 1 / 2],
  ['2026-01-10T12:00:00Z', 1 / 1.5],
  ['2026-01-01T00:00:00Z', 1 / 11],
  ['2027-01-01T00:00:00Z', 1],
  ['no date', 0],
])('recencyScore() is, for %s ten days into the year, %d', (createdAt, expected) => {
  expect(recencyScore(createdAt, NOW)).toBeCloseTo(expected, 12);
});

describe('the other rankings', () => {
  const results = [
    resultOf('a', 0.2, { confidence: 0.9, created_at: '2026-01-02T00:00:00Z' }),
    resultOf('b', 0.9, { confidence: 0.1, created_at: '2026-01-01T00:00:00Z' }),
    resultOf('c', 0.5, { confidence: 0.5, created_at: 'no date' }),
  ];

  it('sort by one value each, missing values last', () => {
    expect(idsOf(MemoryRanker.bySimilarity(results))).toEqual(['b', 'c', 'a']);
    expect(idsOf(MemoryRanker.byRecency(results))).toEqual(['a', 'b', 'c']);
    expect(idsOf(MemoryRanker.byConfidence(results))).toEqual(['a', 'c', 'b']);
  });

  it('sort by a function that is called once for each result', () => {
    let calls = 0;
    const ranked = MemoryRanker.custom(results, ({ memory }) => {
      calls += 1;
      return memory.id === 'c' ? 1 : Number.NaN;
    });
    expect([idsOf(ranked), calls]).toEqual([['c', 'a', 'b'], 3]);
  });

  it('keep the order of equal scores', () => {
    const equal = ['x', 'y', 'z'].map((id) => resultOf(id, 0.5));
    for (const rank of [MemoryRanker.bySimilarity, MemoryRanker.byRecency, MemoryRanker.byConfidence])
      expect(idsOf(rank(equal))).toEqual(['x', 'y', 'z']);
    expect(idsOf(MemoryRanker.custom(equal, () => Number.POSITIVE_INFINITY))).toEqual(['x', 'y', 'z']);
  });
});
