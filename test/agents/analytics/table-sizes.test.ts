import { describe, expect, it } from 'vitest';
import { readTableSizes } from '../../../src/agents/analytics/sql-gate.ts';
import { SqlRefused, SqlUnavailable } from '../../../src/storage/sql-database.ts';
import { shopForTests } from './shop-for-test.ts';

const shop = shopForTests();

const sizesOf = async (...tables: string[]) => {
  const { schema } = await shop.database.explain({ sql: 'SELECT 1' });
  return readTableSizes(shop.database, { schema, tables });
};

/** The rows of a table that these statements fill. */
const rowsOfNew = async (table: string, ...statements: string[]) => {
  for (const sql of [`CREATE TABLE ${table} (x)`, ...statements]) await shop.query(sql);
  const sizes = await sizesOf(table);
  await shop.query(`DROP TABLE ${table}`);
  return sizes.rowsOf(table);
};

describe('readTableSizes()', () => {
  it('reads the number of rows and the rows per key', async () => {
    const sizes = await sizesOf('products', 'orders');
    expect([sizes.rowsOf('products'), sizes.rowsOf('orders')]).toEqual([120, 3000]);
    expect(sizes.rowsPerKey('sqlite_autoindex_stock_1', 2)).toBe(1);
  });

  it('counts one row with a large id once', async () => {
    await shop.query("INSERT INTO customers VALUES (20000001, 'Far Off', 'Lyon', 'France', '2026-01-01')");
    const sizes = await sizesOf('customers');
    await shop.query('DELETE FROM customers WHERE customer_id = 20000001');
    expect(sizes.rowsOf('customers')).toBe(801);
  });

  it('counts a table that has grown since its statistics', async () => {
    const more = 'INSERT INTO grown SELECT 1 FROM orders a, orders b LIMIT 30000';
    expect(await rowsOfNew('grown', 'INSERT INTO grown SELECT 1 FROM stock LIMIT 10', 'ANALYZE grown', more)).toBe(
      30_010,
    );
  });

  it('estimates a table of more than a million rows', async () => {
    const rows = await rowsOfNew('long', 'INSERT INTO long SELECT 1 FROM orders a, orders b LIMIT 1000002');
    expect(rows).toBe(1_000_002);
  });

  it('counts tables without rowids, and assumes that views are large', async () => {
    await shop.query('CREATE TABLE plain (x INTEGER PRIMARY KEY) WITHOUT ROWID');
    await shop.query('INSERT INTO plain VALUES (5000000)');
    const sizes = await sizesOf('plain', 'empty', 'contact_list');
    await shop.query('DROP TABLE plain');
    expect([sizes.rowsOf('plain'), sizes.rowsOf('contact_list')]).toEqual([1, 1_000_000]);
  });

  it.each([
    ['refuses to count', () => Promise.reject(new SqlRefused('busy'))],
    ['returns no number', async () => ({ columns: [], rows: [], schemaVersion: 1 })],
  ])('throws instead of guessing a size when the database %s', async (_what, run) => {
    const { schema } = await shop.database.explain({ sql: 'SELECT 1' });
    const sizes = readTableSizes(
      { ...shop.database, run: ({ sql }) => (sql.includes('sqlite_stat1') ? shop.database.run({ sql }) : run()) },
      { schema, tables: ['orders'] },
    );
    await expect(sizes).rejects.toThrow(SqlUnavailable);
  });
});
