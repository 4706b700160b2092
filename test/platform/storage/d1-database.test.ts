import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedCatalogue } from '../../../src/librarians/analytics/catalogue.ts';
import { d1Database } from '../../../src/platform/storage/sql-database.ts';
import { startShop } from '../../librarians/analytics/shop-for-test.ts';

type D1 = Parameters<typeof d1Database>[0];

let shop: Awaited<ReturnType<typeof startShop>>;

beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

/** The database, with a record of the statements that it prepares. */
const recording = () => {
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
  it('runs a statement once, even if it finds nothing', async () => {
    const { database, prepared } = recording();
    const sql = 'SELECT name, sku FROM products WHERE product_id < 0';
    expect(await database.run({ sql })).toMatchObject({ columns: ['name', 'sku'], rows: [] });
    expect(prepared.filter((each) => each === sql)).toHaveLength(1);
  });
  it('returns columns in order, even with numbers as names', async () => {
    const { columns, rows } = await shop.database.run({
      sql: 'SELECT \'x\' AS name, 2 AS "2026", 1 AS "2025"',
    });
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

it.each([
  ['with another column', 'RENAME COLUMN catalogue TO text', 'RENAME COLUMN text TO catalogue'],
  ['from before there were catalogues', 'RENAME TO other', 'RENAME TO analytics_catalogue'],
])(
  'a catalogue in a database %s is missing, and read again once it is restored',
  async (_, damage, restore) => {
    let now = 0;
    const catalogueOf = storedCatalogue(shop.database, { now: () => now });
    const count = async () => (await catalogueOf())?.questions.length;
    const before = await count();
    expect(before).toBeGreaterThan(10);
    await shop.query(`ALTER TABLE analytics_catalogue ${damage}`);
    now += 61_000;
    expect(await count()).toBeUndefined();
    expect(await shop.query('SELECT count(*) AS customers FROM customers')).toEqual([
      { customers: expect.any(Number) },
    ]);
    await shop.query(
      `ALTER TABLE ${damage.endsWith('other') ? 'other' : 'analytics_catalogue'} ${restore}`,
    );
    expect(await count()).toBe(before);
  },
);
