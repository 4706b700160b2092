import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { generateShop } from '../../../tools/sample/shop/generate-shop.ts';

const database = new DatabaseSync(':memory:');
const rowsOf = (sql: string) => database.prepare(sql).all();

beforeAll(() => {
  database.exec('PRAGMA foreign_keys = 1');
  database.exec(readFileSync(join(ROOT, 'tools/sample/shop/schema.sql'), 'utf8'));
  for (const [table, rows] of Object.entries(generateShop())) {
    for (const row of rows) {
      const places = Object.keys(row).map(() => '?');
      database
        .prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`)
        .run(...Object.values(row));
    }
  }
});

describe('the sample shop', () => {
  it('is the same on every run', () => {
    expect(generateShop()).toEqual(generateShop());
  });
  it('has a few thousand rows over all tables', () => {
    const counts = Object.fromEntries(
      Object.entries(generateShop()).map(([table, { length }]) => [table, length]),
    );
    expect(counts).toMatchObject({
      products: 120,
      stock: 360,
      customers: 800,
      orders: 3000,
      customer_contacts: 800,
    });
    expect(counts.order_items).toBeGreaterThan(5000);
  });
  it('has totals that are the sums of their items', () => {
    const sums =
      'SELECT sum(quantity * unit_price_cents) FROM order_items i WHERE i.order_id = o.order_id';
    expect(
      rowsOf(`SELECT count(*) AS wrong FROM orders o WHERE total_cents IS NOT (${sums})`),
    ).toEqual([{ wrong: 0 }]);
  });
  it('sells nothing before its release, and to no customer before they joined', () => {
    const early = `SELECT count(*) AS early FROM orders o JOIN order_items i USING (order_id) JOIN products p USING (product_id)
      JOIN customers c USING (customer_id) WHERE o.ordered_on < p.released_on OR o.ordered_on < c.joined_on`;
    expect(rowsOf(early)).toEqual([{ early: 0 }]);
  });
  it('uses dollars for orders from North America and euros for all others', () => {
    const currencies = `SELECT DISTINCT country IN ('United States', 'Canada') AS american, currency
      FROM orders JOIN customers USING (customer_id) ORDER BY 1`;
    expect(rowsOf(currencies)).toEqual([
      { american: 0, currency: 'EUR' },
      { american: 1, currency: 'USD' },
    ]);
  });
  it('has 50 iPhone 17 in stock, and the miners of the sample knowledge base', () => {
    const units =
      "SELECT sum(quantity) AS units FROM stock JOIN products USING (product_id) WHERE name = 'iPhone 17'";
    expect(rowsOf(units)).toEqual([{ units: 50 }]);
    expect(rowsOf("SELECT name FROM products WHERE category = 'Miners'")).toEqual([
      { name: 'Apollo' },
      { name: 'Apollo II' },
      { name: 'Apollo III' },
    ]);
  });
});
