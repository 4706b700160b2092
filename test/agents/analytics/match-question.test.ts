import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateAnalytics, evaluateFigures } from '../../../src/dev/eval/analytics.ts';
import { type Asker, startAsker } from '../../../src/dev/eval/figures-of-questions.ts';
import CASES from './match-question.json' with { type: 'json' };

let asker: Asker;

beforeAll(async () => {
  asker = await startAsker(Date.parse('2026-11-21T12:00:00Z'));
});

describe('matchQuestion()', () => {
  it.each(['development', 'held out'] as const)(
    'finds the right question and values for 90 % of the %s half, and declines unanswerable ones',
    (half) => {
      const { answerable, right, unanswerable, declined } = evaluateAnalytics(half);
      expect(answerable).toBeGreaterThanOrEqual(30);
      expect(unanswerable).toBeGreaterThanOrEqual(10);
      expect(right / answerable).toBeGreaterThanOrEqual(0.9);
      expect(declined).toBe(unanswerable);
    },
  );

  it.each([
    ['development', 25],
    ['held out', 20],
  ] as const)('returns the same figures as hand-written SQL for the %s half', async (half, least) => {
    const { right, wrong, answeredWrongly } = await evaluateFigures(half);
    expect({ wrong, answeredWrongly }).toEqual({ wrong: 0, answeredWrongly: 0 });
    expect(right).toBeGreaterThanOrEqual(least);
  });

  it.each([
    ...CASES.declined,
    ...CASES.otherNumbers.map((question) => [
      'a limit, signed number or time span in place of another number',
      question,
    ]),
    ...CASES.identifiers.map((question) => ['an identifier in place of the number of rows', question]),
  ])('declines %s: %s', (_what, question = '') => {
    expect(asker.ask(question)).toBeUndefined();
  });

  it.each([
    ['the 3 most loyal customers', 'most_frequent_customers', { number: '3' }],
    ['Which 7 customers ordered most?', 'most_frequent_customers', { number: '7' }],
    ['details of order #1042 please', 'order_details', { order_number: '1042' }],
    ['Show order #1042', 'order_details', { order_number: '1042' }],
    ['Top-5 products by revenue', 'top_products_by_revenue', { number: '5' }],
    ['units of Audio in stock in Lyon', 'total_stock', { category: 'Audio', warehouse: 'Lyon' }],
    ['How many orders are still to be shipped?', 'order_count', { status: 'unshipped' }],
    ['Orders per day in March 2026', 'orders_by_day', { period: 'in March 2026' }],
    ['How many orders were shipped?', 'order_count', { status: 'shipped' }],
  ])('reads the values in: %s', (question, name, labels) => {
    expect(asker.ask(question)?.match).toMatchObject({ question: { name }, labels });
  });
});
