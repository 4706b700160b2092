import { expect, it } from 'vitest';
import { readPeriod } from '../../src/language/read-period.ts';
import CASES from './read-period.json' with { type: 'json' };

/** A Saturday. */
const NOW = Date.parse('2026-11-21T23:30:00Z');

const daysOf = (question: string) => {
  const period = readPeriod(question, NOW);
  return typeof period === 'object' ? `${period.from} ${period.to}` : period;
};

it.each([
  ...CASES.reads,
  ...CASES.none.map((question) => [question, undefined]),
  // Part of a period or one next to it.
  ...CASES.unclear.map((question) => [question, 'unclear']),
  ...CASES.several.map((question) => [question, 'several']),
  ['in 2025 since march last 3 days '.repeat(1000), 'unclear'],
])('reads the period of: %.99s', (question = '', days) => expect(daysOf(question)).toBe(days));
