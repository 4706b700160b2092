import { beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../../src/librarians/analytics/run-sql.ts';
import { createSqlGate, type SqlGate } from '../../../src/librarians/analytics/sql-gate.ts';
import { readTableSizes } from '../../../src/librarians/analytics/table-sizes.ts';
import { SqlRefused, SqlUnavailable } from '../../../src/platform/storage/sql-database.ts';
import ATTACKS from './attack-statements.json' with { type: 'json' };
import BENIGN from './benign-statements.json' with { type: 'json' };
import { OPEN_TABLES, shopForTests } from './shop-for-test.ts';

const shop = shopForTests();
let gate: SqlGate;
let untouched: string;
let counted: unknown[];

beforeAll(async () => {
  gate = createSqlGate({ database: shop.database, tables: OPEN_TABLES });
  untouched = await shop.checksum();
  counted = await shop.fingerprint();
});

const limits = () => ({ signal: new AbortController().signal, timeoutMs: 5000 });

const passing = async (sql: string) => {
  const judged = await gate.judge(sql);
  if (!judged.ok) throw new Error(`${judged.reason} ${judged.hint ?? ''}`);
  return judged.value;
};
const rowsOf = async (sql: string) => runSql(shop.database, await passing(sql), limits());

describe('the gate, against real D1', () => {
  it.each(ATTACKS)('refuses, $group: $sql', async ({ sql }) => {
    const judged = await gate.judge(sql);
    expect(judged).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^The statement .+\.$/),
    });
    expect(await shop.fingerprint()).toEqual(counted);
  });
  it.each(BENIGN)('accepts and runs: %s', async (sql) => {
    const { columns, rows } = await rowsOf(sql);
    expect(columns.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.keys(row)).toEqual(columns);
  });
  it('leaves every byte of every table unchanged', async () =>
    expect(await shop.checksum()).toBe(untouched));
});

describe('an accepted statement', () => {
  it('is wrapped in a statement that limits its rows', async () => {
    const statement = { sql: 'SELECT * FROM (SELECT name FROM products) LIMIT 500', values: [] };
    expect(await passing('SELECT name FROM products;')).toMatchObject({
      statement,
      tables: ['products'],
    });
    const { rows, truncated } = await rowsOf('SELECT order_id FROM orders');
    expect([rows.length, truncated]).toEqual([500, true]);
  });
  it('reports the tables that are read, not their aliases', async () => {
    const sql = 'WITH x AS (SELECT * FROM "orders" o) SELECT count(*) FROM x, [stock] LIMIT 1';
    expect(await passing(sql)).toMatchObject({ tables: ['orders', 'stock'] });
  });
  it('binds the values of parameters, and nothing else', async () => {
    const sql = "SELECT name FROM products WHERE name = :name AND name <> ':other'";
    const judged = await gate.judge(sql, { values: { other: 'x', name: "' OR 1 = 1 --" } });
    expect(judged).toMatchObject({ ok: true, value: { statement: { values: ["' OR 1 = 1 --"] } } });
    expect(await gate.judge('SELECT :missing', { values: { name: 'x' } })).toMatchObject({
      ok: false,
    });
  });
  it('returns at most 120,000 characters, and no blobs', async () => {
    const columns = [...'abcdefgh'].map((alias) => `name AS ${alias}`);
    const { rows, truncated } = await rowsOf(`SELECT ${columns} FROM customers ORDER BY 1`);
    expect([JSON.stringify(rows).length < 120_000, truncated]).toEqual([true, true]);
    expect((await rowsOf("SELECT CAST('a' AS BLOB) AS bytes")).rows).toEqual([{ bytes: null }]);
  });
  it('does not run when the schema has changed since the check', async () => {
    const value = await passing('SELECT name FROM products');
    await shop.query('CREATE TABLE later (x)');
    await expect(runSql(shop.database, value, limits())).rejects.toMatchObject({
      code: 'DATA_SOURCE_ERROR',
    });
    await shop.query('DROP TABLE later');
  });
  it('fails with TIMEOUT when the deadline has passed or the caller has disconnected', async () => {
    const value = await passing('SELECT name FROM products');
    const gone = { ...limits(), signal: AbortSignal.abort() };
    await expect(runSql(shop.database, value, gone)).rejects.toMatchObject({ code: 'TIMEOUT' });
    const slow = { ...shop.database, run: () => new Promise<never>(() => {}) };
    await expect(runSql(slow, value, { ...limits(), timeoutMs: 20 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
  });
});

describe('the sizes of tables, by which the gate estimates the cost', () => {
  const sizesOf = async (tables: string[], run = shop.database.run) => {
    const { schema } = await shop.database.explain({ sql: 'SELECT 1' });
    return readTableSizes({ ...shop.database, run }, { schema, tables });
  };

  it('are read from the statistics: rows, and rows per key', async () => {
    const sizes = await sizesOf(['products', 'orders']);
    expect([sizes.rowsOf('products'), sizes.rowsOf('orders')]).toEqual([120, 3000]);
    expect(await sizes.rowsOfOneKey('orders', ['order_id'])).toBe(1);
    expect(await sizes.rowsOfOneKey('orders', ['status'])).toBeGreaterThan(2000); // delivered
  });

  const COPY = 'INSERT INTO filled SELECT 1 FROM';
  it.each<[string, string, string[], number]>([
    [
      'counted again when a table has grown since its statistics',
      '(x)',
      [`${COPY} stock LIMIT 10`, 'ANALYZE filled', `${COPY} orders a, orders b LIMIT 30000`],
      30_010,
    ],
    [
      'estimated beyond a million rows',
      '(x)',
      [`${COPY} orders a, orders b LIMIT 1000002`],
      1_000_002,
    ],
    [
      'not misled by a large id',
      '(x INTEGER PRIMARY KEY)',
      ['INSERT INTO filled VALUES (1), (20000001)'],
      2,
    ],
    [
      'counted without rowids',
      '(x INTEGER PRIMARY KEY) WITHOUT ROWID',
      ['INSERT INTO filled VALUES (5000000)'],
      1,
    ],
    ['assumed to be large for a view', 'AS SELECT name FROM products', [], 1_000_000],
  ])('are %s', async (_, definition, statements, rows) => {
    const kind = definition.startsWith('(') ? 'TABLE' : 'VIEW';
    for (const sql of [`CREATE ${kind} filled ${definition}`, ...statements]) await shop.query(sql);
    const sizes = await sizesOf(['filled']);
    await shop.query(`DROP ${kind} filled`);
    expect(sizes.rowsOf('filled')).toBe(rows);
  });
  it.each([
    ['refuses to count', () => Promise.reject(new SqlRefused('busy'))],
    ['returns no number', async () => ({ columns: [], rows: [], schemaVersion: 1 })],
  ])('are not guessed when the database %s', async (_what, count) => {
    const sizes = sizesOf(['orders'], ({ sql }) =>
      sql.includes('sqlite_stat1') ? shop.database.run({ sql }) : count(),
    );
    await expect(sizes).rejects.toThrow(SqlUnavailable);
  });
});
