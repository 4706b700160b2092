import { describe, expect, it } from 'vitest';
import { checkCurrencies } from '../../../src/agents/analytics/check-currencies.ts';
import CASES from './check-currencies.json' with { type: 'json' };

const table = (...columns: string[]) => ({
  name: 'orders',
  description: '',
  columns: Object.fromEntries(columns.map((column) => [column, ''])),
});
const catalogue = { tables: [table('order_id', 'currency', 'total_cents')] };

describe('checkCurrencies()', () => {
  it.each(CASES.refused)('refuses %s', (sql) => {
    expect(checkCurrencies(sql, catalogue)).toEqual({
      ok: false,
      reason:
        'The statement adds up or compares amounts of several currencies: group by currency, or use one of them only.',
    });
  });

  it.each(CASES.accepted)('accepts %s', (sql) => {
    expect(checkCurrencies(sql, catalogue).ok).toBe(true);
  });

  it('accepts everything when no table has a currency', () => {
    const sql = 'SELECT sum(total_cents) FROM orders';
    expect(checkCurrencies(sql, { tables: [table('total_cents')] }).ok).toBe(true);
  });
});
