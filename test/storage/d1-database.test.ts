import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedCatalogue } from '../../src/agents/analytics/catalogue.ts';
import { type D1, d1Database } from '../../src/storage/sql-database.ts';
import { startShop } from '../agents/analytics/shop-for-test.ts';

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

describe('the catalogue in an older, newer or damaged database', () => {
  const NONE = 'undefined';
  it.each([
    [
      'from before there were catalogues',
      'ALTER TABLE analytics_catalogue RENAME TO other',
      'ALTER TABLE other RENAME TO analytics_catalogue',
      NONE,
    ],
    [
      'without a row',
      'CREATE TABLE saved AS SELECT * FROM analytics_catalogue; DELETE FROM analytics_catalogue',
      'INSERT INTO analytics_catalogue SELECT * FROM saved; DROP TABLE saved',
      NONE,
    ],
    [
      'with another column',
      'ALTER TABLE analytics_catalogue RENAME COLUMN catalogue TO text',
      'ALTER TABLE analytics_catalogue RENAME COLUMN text TO catalogue',
      NONE,
    ],
    [
      'cut off',
      'CREATE TABLE saved AS SELECT * FROM analytics_catalogue; UPDATE analytics_catalogue SET catalogue = substr(catalogue, 1, 99)',
      'DELETE FROM analytics_catalogue; INSERT INTO analytics_catalogue SELECT * FROM saved; DROP TABLE saved',
      'the stored catalogue is invalid',
    ],
    [
      'without members',
      "CREATE TABLE saved AS SELECT * FROM analytics_catalogue; UPDATE analytics_catalogue SET catalogue = '{}'",
      'DELETE FROM analytics_catalogue; INSERT INTO analytics_catalogue SELECT * FROM saved; DROP TABLE saved',
      'the stored catalogue is invalid',
    ],
  ])(
    'is missing or reported as invalid, and read again once it is restored: %s',
    async (_, damage, restore, expected) => {
      let now = 0;
      const catalogueOf = storedCatalogue(shop.database, { now: () => now });
      const outcome = () => catalogueOf().then((found) => String(found?.questions.length), String);
      const before = await outcome();
      expect(Number(before)).toBeGreaterThan(10);
      for (const statement of damage.split('; ')) await shop.query(statement);
      now += 61_000;
      const [found, figure] = [await outcome(), await shop.query('SELECT count(*) AS customers FROM customers')];
      for (const statement of restore.split('; ')) await shop.query(statement);
      expect(found).toContain(expected);
      expect(figure).toEqual([{ customers: expect.any(Number) }]);
      expect(await outcome()).toBe(before);
    },
  );
});
