import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateAnalytics, evaluateFigures } from '../../../src/dev/eval/analytics.ts';
import { type Asker, startAsker } from '../../../src/dev/eval/figures-of-questions.ts';

let asker: Asker;

beforeAll(async () => {
  asker = await startAsker(Date.parse('2026-11-21T12:00:00Z'));
});

describe('matchQuestion()', () => {
  it.each(['development', 'held out'] as const)(
    'finds the right question with the right values for 90 % of the %s half, and declines what is none',
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
  ] as const)(
    'finds the figures that SQL written by hand finds, and no others, for the %s half',
    async (half, least) => {
      const { right, wrong, answeredWrongly } = await evaluateFigures(half);
      expect({ wrong, answeredWrongly }).toEqual({ wrong: 0, answeredWrongly: 0 });
      expect(right).toBeGreaterThanOrEqual(least);
    },
  );

  it.each([
    ['an unknown word', 'revenue before discounts in 2026'],
    ['a negation', 'orders in 2026 but not cancelled'],
    ['a range beside another range', 'revenue from January to March vs April to June 2026'],
    ['several periods', 'compare the orders of January and February 2025'],
    ['an unused number', 'how many orders did Customer 0007 place'],
    ['two names for one parameter', 'orders from Berlin and Germany'],
    ['both of two products', 'customers who ordered both Apollo II and iPhone 17'],
    ['a limit', 'customers with fewer than 2 orders'],
    ['a ranking that is no named question', 'What do customers buy most?'],
    ['an average that is no named question', 'average number of orders per customer'],
    ['a restriction that the named question lacks', 'revenue from new customers in 2026'],
    ['a status that the named question lacks', 'pending revenue'],
    ['a grouping that the named question lacks', 'stock value by category'],
    ['a ranking by something else', 'top 3 cities by orders'],
    ['the lowest instead of the latest', 'which country has the fewest orders'],
    ['the same words about something else', 'orders per product'],
    ['few words of an example', 'stock per product'],
    ['a count that the named question does not have', 'customers per country in 2026'],
    ['a name that the tables do not relate', 'share of orders from Lyon'],
  ])('declines %s: %s', (_what, question) => {
    expect(asker.ask(question)).toBeUndefined();
  });

  it.each([
    'How many orders over 100?',
    'orders over 100 EUR',
    'How many orders under 50?',
    'How many orders of 100 or more?',
    'How many orders of about 100?',
    'How many orders > 100',
    'orders of 100 euros',
    'orders for €100',
    'Orders up to 100',
    'Show order at least 5',
    'Show order -1',
    'Show order 5k',
    'Show the 5th order',
    'top -5 products',
    'top 5% products',
    'customers who ordered <3 times',
    'top products in the last 50 years',
    'top products in the first 3 months of 2026',
    'revenue in the last quarter of 2025',
  ])('does not use a limit, signed number or time span as another number: %s', (question) => {
    expect(asker.ask(question)).toBeUndefined();
  });

  it.each([
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
