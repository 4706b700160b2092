import { expect, it } from 'vitest';
import { checkCurrencies } from '../../../src/librarians/analytics/answer-from-model.ts';
import CASES from './check-currencies.json' with { type: 'json' };

const withColumns = (...columns: string[]) => ({
  tables: [
    {
      name: 'orders',
      description: '',
      columns: Object.fromEntries(columns.map((column) => [column, ''])),
    },
  ],
});
const catalogue = withColumns('order_id', 'currency', 'total_cents');

it.each(CASES.refused)('refuses %s', (sql) => {
  const reason =
    'The statement adds up or compares amounts of several currencies: group by currency, or use one of them only.';
  expect(checkCurrencies(sql, catalogue)).toEqual({ ok: false, reason });
});
it.each(CASES.accepted)('accepts %s', (sql) =>
  expect(checkCurrencies(sql, catalogue).ok).toBe(true),
);
it('accepts everything when no table has a currency', () => {
  expect(
    checkCurrencies('SELECT sum(total_cents) FROM orders', withColumns('total_cents')).ok,
  ).toBe(true);
});
