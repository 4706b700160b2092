import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type D1, d1Database } from '../../src/storage/d1-database.ts';
import { startShop } from '../agents/analytics/shop-for-test.ts';

let shop: Awaited<ReturnType<typeof startShop>>;

beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

/** The database, and the statements that it prepares. */
const listening = () => {
  const prepared: string[] = [];
  const d1: D1 = {
    prepare: (sql) => {
      prepared.push(sql);
      return shop.d1.prepare(sql);
    },
    batch: (statements) => shop.d1.batch(statements),
  };
  return { database: d1Database(d1), prepared };
};

describe('run()', () => {
  it('runs a statement once, also one that finds nothing', async () => {
    const { database, prepared } = listening();
    const sql = 'SELECT name, sku FROM products WHERE product_id < 0';
    expect(await database.run({ sql })).toMatchObject({ columns: ['name', 'sku'], rows: [] });
    expect(prepared.filter((each) => each === sql)).toHaveLength(1);
  });
  it('returns columns in their order, also those with numbers for names', async () => {
    const { columns, rows } = await shop.database.run({ sql: 'SELECT \'x\' AS name, 2 AS "2026", 1 AS "2025"' });
    expect([columns, rows]).toEqual([['name', '2026', '2025'], [['x', 2, 1]]]);
  });
  it('binds values in order', async () => {
    const { rows } = await shop.database.run({ sql: 'SELECT ?2, ?1', values: ['a', null] });
    expect(rows).toEqual([[null, 'a']]);
  });
  it('returns the same schema version as explain()', async () => {
    const sql = 'SELECT 1 AS one';
    const before = (await shop.database.explain({ sql })).schemaVersion;
    expect((await shop.database.run({ sql })).schemaVersion).toBe(before);
    await shop.query('CREATE TABLE later (x)');
    await shop.query('DROP TABLE later');
    expect((await shop.database.run({ sql })).schemaVersion).not.toBe(before);
    expect((await shop.database.explain({ sql })).schemaVersion).not.toBe(before);
  });
});
