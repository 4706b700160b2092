import { describe, expect, it } from 'vitest';
import { readPeriod } from '../../../src/agents/analytics/read-period.ts';
import CASES from './read-period.json' with { type: 'json' };

/** A Saturday. */
const NOW = Date.parse('2026-11-21T23:30:00Z');

const daysOf = (question: string) => {
  const period = readPeriod(question, NOW);
  return typeof period === 'object' ? `${period.from} ${period.to} ${period.label}` : period;
};

describe('readPeriod()', () => {
  it.each(CASES.reads)('reads %s', (question, expected) => {
    expect(daysOf(question)).toBe(expected);
  });

  it.each(CASES.none)('finds no period in: %s', (question) => {
    expect(readPeriod(question, NOW)).toBeUndefined();
  });

  it.each(CASES.partial)('returns unclear for part of a period or one next to it: %s', (limit) => {
    expect(readPeriod(`top products ${limit}`, NOW)).toBe('unclear');
  });

  it('returns several for periods that do not form a range', () => {
    expect(readPeriod('revenue in March and in May', NOW)).toBe('several');
    expect(readPeriod('revenue in 2025, 2026 and in May', NOW)).toBe('several');
  });

  it('reads a long question before the test times out', () => {
    expect(readPeriod('in 2025 since march last 3 days '.repeat(1000), NOW)).toBe('unclear');
  });
});
