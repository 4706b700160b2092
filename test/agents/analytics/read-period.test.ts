import { describe, expect, it } from 'vitest';
import { readPeriod } from '../../../src/agents/analytics/read-period.ts';

/** A Saturday. */
const NOW = Date.parse('2026-11-21T23:30:00Z');

const daysOf = (question: string) => {
  const period = readPeriod(question, NOW);
  return typeof period === 'object' ? `${period.from} ${period.to} ${period.label}` : period;
};

describe('readPeriod()', () => {
  it.each([
    ['orders today', '2026-11-21 2026-11-21 on 2026-11-21'],
    ['orders of yesterday', '2026-11-20 2026-11-20 on 2026-11-20'],
    ['orders this week', '2026-11-16 2026-11-22 in the week of 2026-11-16'],
    ['orders last week', '2026-11-09 2026-11-15 in the week of 2026-11-09'],
    ['orders last month', '2026-10-01 2026-10-31 in October 2026'],
    ['orders in the previous quarter', '2026-07-01 2026-09-30 in Q3 2026'],
    ['orders this year', '2026-01-01 2026-12-31 in 2026'],
    ['orders in Q1', '2026-01-01 2026-03-31 in Q1 2026'],
    ['orders in the fourth quarter of 2025', '2025-10-01 2025-12-31 in Q4 2025'],
    ['orders in March', '2026-03-01 2026-03-31 in March 2026'],
    ['orders in December', '2025-12-01 2025-12-31 in December 2025'],
    ['orders in Feb 2024', '2024-02-01 2024-02-29 in February 2024'],
    ['orders in 2025', '2025-01-01 2025-12-31 in 2025'],
    ['orders in 2026-05', '2026-05-01 2026-05-31 in May 2026'],
    ['orders on 2026-05-03', '2026-05-03 2026-05-03 on 2026-05-03'],
    ['orders on 3 May', '2026-05-03 2026-05-03 on 2026-05-03'],
    ['orders on May 3rd, 2025', '2025-05-03 2025-05-03 on 2025-05-03'],
    ['orders in the last 30 days', '2026-10-23 2026-11-21 in the last 30 days (2026-10-23 to 2026-11-21)'],
    ['orders of the past two months', '2026-09-01 2026-10-31 in the last 2 months (2026-09-01 to 2026-10-31)'],
    ['orders since January', '2026-01-01 2026-11-21 since January 2026'],
    ['orders since the beginning of 2025', '2025-01-01 2026-11-21 since 2025'],
    ['orders after March 2026', '2026-04-01 2026-11-21 after March 2026'],
    ['orders before 2026', '0001-01-01 2025-12-31 before 2026'],
    ['orders until June 2025', '0001-01-01 2025-06-30 until June 2025'],
    ['orders until the beginning of March 2026', '0001-01-01 2026-02-28 before March 2026 (to 2026-02-28)'],
    ['orders before the start of March 2024', '0001-01-01 2024-02-29 before March 2024 (to 2024-02-29)'],
    ['orders before the end of March 2026', '0001-01-01 2026-03-31 until March 2026 (to 2026-03-31)'],
    ['orders after the end of March 2026', '2026-04-01 2026-11-21 after March 2026'],
    ['orders in the last 3 months', '2026-08-01 2026-10-31 in the last 3 months (2026-08-01 to 2026-10-31)'],
    ['orders in the last 2 years', '2024-01-01 2025-12-31 in the last 2 years (2024-01-01 to 2025-12-31)'],
    ['orders since 2027', '2027-01-01 9999-12-31 since 2027'],
    ['orders between 2026-05-01 and 2026-05-15', '2026-05-01 2026-05-15 from 2026-05-01 to 2026-05-15'],
    ['orders from March to May', '2026-03-01 2026-05-31 from March 2026 to May 2026'],
  ])('reads %s', (question, expected) => {
    expect(daysOf(question)).toBe(expected);
  });

  it.each(['how many orders may we expect', 'order 1042', 'on 2026-02-31', 'the last 5 orders', 'a marching band'])(
    'finds no period in: %s',
    (question) => {
      expect(readPeriod(question, NOW)).toBeUndefined();
    },
  );

  it.each([
    'after the start of March 2026',
    'at the end of March 2026',
    'in the middle of March 2026',
    'in mid-March 2026',
    'in the first week of March 2026',
    'in the last quarter of 2025',
    'in the second half of 2025',
    'in March last year',
    'in H1 2026',
    'in the first 3 months of 2026',
    'in the last 999 years',
    'in the last 121 months',
    'within 3 months',
    'next month',
    'three months ago',
    'in the two weeks before 2026-05-01',
    'on 2026-05-01 or later',
    'by March 2026',
    'prior to March 2026',
  ])('returns unclear for part of a period or one next to it: %s', (limit) => {
    expect(readPeriod(`top products ${limit}`, NOW)).toBe('unclear');
  });

  it.each(['top 3 months of 2026', 'revenue per month of 2026', 'revenue by quarter in 2026'])(
    'reads a year after a unit of grouping: %s',
    (question) => {
      expect(daysOf(question)).toBe('2026-01-01 2026-12-31 in 2026');
    },
  );

  it('returns several for periods that do not form a range', () => {
    expect(readPeriod('revenue in March and in May', NOW)).toBe('several');
    expect(readPeriod('revenue in 2025, 2026 and in May', NOW)).toBe('several');
  });

  it('reads a long question before the test times out', () => {
    expect(readPeriod('in 2025 since march last 3 days '.repeat(1000), NOW)).toBe('unclear');
  });
});
