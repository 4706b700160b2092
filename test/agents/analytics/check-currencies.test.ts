import { describe, expect, it } from 'vitest';
import { checkCurrencies } from '../../../src/agents/analytics/check-currencies.ts';

const table = (...columns: string[]) => ({
  name: 'orders',
  description: '',
  columns: Object.fromEntries(columns.map((column) => [column, ''])),
});
const catalogue = { tables: [table('order_id', 'currency', 'total_cents')] };

describe('checkCurrencies()', () => {
  it.each([
    'SELECT sum(total_cents) AS revenue FROM orders',
    'SELECT SUM("total_cents") FROM orders',
    'SELECT round(sum(o.total_cents) / 100.0, 2) AS revenue FROM orders o',
    'SELECT customer_id, avg(total_cents) FROM orders GROUP BY customer_id',
    'SELECT currency, sum(total_cents) FROM orders',
    'SELECT currency, sum(total_cents) FROM orders GROUP BY status',
    'SELECT currency, status, sum(total_cents) FROM orders GROUP BY 2',
    'SELECT sum(i.quantity * i.unit_price_cents) FROM order_items i',
    "SELECT sum(total_cents) FROM orders WHERE currency IN ('EUR', 'USD')",
    'SELECT sum(total_cents) FROM orders WHERE currency IS NOT NULL',
    "SELECT sum(total_cents) FROM orders WHERE currency <> 'USD'",
    "SELECT sum(total_cents) FROM orders WHERE status = 'paid' ORDER BY currency",
    'SELECT sum(total_cents) OVER (ORDER BY ordered_on) FROM orders',
    'SELECT name, (SELECT sum(total_cents) FROM orders o WHERE o.customer_id = c.customer_id) AS spent FROM customers c',
    'WITH m AS (SELECT status, sum(total_cents) AS cents FROM orders GROUP BY status) SELECT * FROM m',
    "SELECT sum(total_cents) FROM orders WHERE currency = 'EUR' UNION ALL SELECT sum(total_cents) FROM orders",
    "SELECT sum(CASE WHEN currency = 'EUR' THEN total_cents END), sum(total_cents) FROM orders",
    'SELECT status FROM orders GROUP BY status HAVING sum(total_cents) > 100000',
    'SELECT status FROM orders GROUP BY status ORDER BY max(total_cents)',
  ])('refuses %s', (sql) => {
    expect(checkCurrencies(sql, catalogue)).toEqual({
      ok: false,
      reason:
        'The statement adds up or compares amounts of several currencies: group by currency, or use one of them only.',
    });
  });

  it.each([
    'SELECT currency, sum(total_cents) AS revenue FROM orders GROUP BY currency',
    'SELECT o.currency AS money, sum(o.total_cents) FROM orders o GROUP BY money',
    'SELECT currency, status, sum(total_cents) FROM orders GROUP BY 2, 1',
    "SELECT sum(total_cents) FROM orders WHERE (status = 'paid' AND currency = 'EUR')",
    "SELECT sum(total_cents) FROM orders o WHERE 'EUR' = o.currency",
    "SELECT sum(total_cents) FROM orders WHERE currency IN ('EUR')",
    "SELECT sum(o.total_cents) FROM customers c JOIN orders o ON o.customer_id = c.customer_id AND o.currency = 'EUR'",
    "SELECT sum(total_cents) FROM (SELECT total_cents FROM orders WHERE currency = 'USD')",
    "SELECT sum(CASE WHEN currency = 'EUR' THEN total_cents END) AS eur FROM orders",
    "SELECT sum(total_cents) FILTER (WHERE currency = 'EUR') AS eur FROM orders",
    'SELECT sum(total_cents) OVER (PARTITION BY currency ORDER BY ordered_on) AS running, currency FROM orders',
    'SELECT total_cents, currency FROM orders ORDER BY total_cents DESC LIMIT 1',
    'SELECT count(*) AS orders, sum(quantity) AS units FROM order_items',
    "SELECT count(*) FROM orders WHERE total_cents > 5000 AND 'sum(total_cents)' <> status",
  ])('accepts %s', (sql) => {
    expect(checkCurrencies(sql, catalogue).ok).toBe(true);
  });

  it('accepts everything when no table has a currency', () => {
    const sql = 'SELECT sum(total_cents) FROM orders';
    expect(checkCurrencies(sql, { tables: [table('total_cents')] }).ok).toBe(true);
  });
});
