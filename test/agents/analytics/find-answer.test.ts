import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateFigures } from '../../../src/dev/eval/analytics.ts';
import { type Asker, startAsker } from '../../../src/dev/eval/figures-of-questions.ts';

let asker: Asker;

beforeAll(async () => {
  asker = await startAsker(Date.parse('2026-11-21T12:00:00Z'));
});

describe('findAnswer()', () => {
  it.each(['development', 'held out'] as const)(
    'finds the figures that SQL written by hand finds, and no others, for the %s half',
    async (half) => {
      const { right, wrong, answeredWrongly } = await evaluateFigures(half);
      expect({ wrong, answeredWrongly }).toEqual({ wrong: 0, answeredWrongly: 0 });
      expect(right).toBeGreaterThanOrEqual(26);
    },
  );

  it.each([
    ['a word that it does not know', 'revenue before discounts in 2026'],
    ['a negation', 'orders in 2026 but not cancelled'],
    ['a range beside another range', 'revenue from January to March vs April to June 2026'],
    ['a number that has no place', 'how many orders did Customer 0007 place'],
    ['two kinds of restriction that are joined', 'orders from Berlin and Germany'],
    ['both of two products', 'customers who ordered both Apollo II and iPhone 17'],
    ['fewer than so many, of which none may be', 'customers with fewer than 2 orders'],
    ['the best of those who do it', 'What do customers buy most?'],
    ['an average of counts', 'average number of orders per customer'],
    ['revenue of some customers only', 'revenue from new customers in 2026'],
  ])('declines %s', (_what, question) => {
    expect(asker.ask(question)).toBeUndefined();
  });

  it.each([
    'How many orders over 100?',
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
  ])('takes no limit, sign or span for a number of something else: %s', (question) => {
    expect(asker.ask(question)).toBeUndefined();
  });

  it.each([
    ['Show order #1042', 'order_details', { number: '1042' }],
    ['Top-5 products by revenue', 'top_products_by_revenue', { number: '5' }],
    ['orders over 100 EUR', 'order_total_by_order_of_currency', { threshold: '100' }],
  ])('still reads %s', (question, name, told) => {
    expect(asker.ask(question)?.match).toMatchObject({ question: { name }, told });
  });

  it('takes the year that stands beside a month', () => {
    const [january, february] = ['2025-01%', '2025-02%'].map(
      (month) => asker.query(`SELECT count(*) AS orders FROM orders WHERE ordered_on LIKE '${month}'`)[0]?.orders,
    );
    const rows = asker.ask('compare the orders of January and February 2025')?.rows;
    expect(rows?.map(({ orders }) => orders).sort()).toEqual([january, february].sort());
  });

  it('takes a name for what the tables know it as', () => {
    expect(asker.ask('share of orders from Lyon')?.match.told).toEqual({ city_0: 'Lyon' });
    expect(asker.ask('units of Audio in stock in Lyon')?.match.told).toMatchObject({ warehouse_0: 'Lyon' });
  });
});
