import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../../src/agents/analytics/run-sql.ts';
import { createSqlGate, type SqlGate } from '../../../src/agents/analytics/sql-gate.ts';
import { OPEN_TABLES, shopForTests } from './shop-for-test.ts';

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;
const ATTACKS = read<{ group: string; sql: string }[]>('attack-statements.json');
const BENIGN = read<string[]>('benign-statements.json');

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
  return judged;
};
const rowsOf = async (sql: string) => runSql(shop.database, (await passing(sql)).value, limits());

describe('the gate, against real D1', () => {
  it.each(ATTACKS)('refuses, $group: $sql', async ({ sql }) => {
    const judged = await gate.judge(sql);
    expect(judged).toMatchObject({ ok: false, reason: expect.stringMatching(/^The statement .+\.$/) });
    expect(await shop.fingerprint()).toEqual(counted);
  });

  it.each(BENIGN)('accepts and runs: %s', async (sql) => {
    const { columns, rows } = await rowsOf(sql);
    expect(columns.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.keys(row)).toEqual(columns);
  });

  it('leaves every byte of every table unchanged', async () => {
    expect(await shop.checksum()).toBe(untouched);
  });
});

describe('an accepted statement', () => {
  it('is wrapped in a statement that limits its rows', async () => {
    const judged = await gate.judge('SELECT name FROM products;');
    const statement = { sql: 'SELECT * FROM (SELECT name FROM products) LIMIT 500', values: [] };
    expect(judged).toMatchObject({ ok: true, value: { statement, tables: ['products'] } });
    const { rows, truncated } = await rowsOf('SELECT order_id FROM orders');
    expect([rows.length, truncated]).toEqual([500, true]);
  });

  it('reports the tables that are read, not their aliases', async () => {
    const judged = await gate.judge('WITH x AS (SELECT * FROM "orders" o) SELECT count(*) FROM x, [stock] LIMIT 1');
    expect(judged).toMatchObject({ ok: true, value: { tables: ['orders', 'stock'] } });
  });

  it('binds the values of parameters, and nothing else', async () => {
    const sql = "SELECT name FROM products WHERE name = :name AND name <> ':other'";
    const judged = await gate.judge(sql, { values: { other: 'x', name: "' OR 1 = 1 --" } });
    expect(judged).toMatchObject({ ok: true, value: { statement: { values: ["' OR 1 = 1 --"] } } });
    expect(await gate.judge('SELECT :missing', { values: { name: 'x' } })).toMatchObject({ ok: false });
  });

  it('returns at most 120,000 characters, and no blobs', async () => {
    const wide =
      'SELECT name AS a, name AS b, name AS c, name AS d, name AS e, name AS f, name AS g, name AS h FROM customers';
    const { rows, truncated } = await rowsOf(`${wide} ORDER BY 1`);
    expect([JSON.stringify(rows).length < 120_000, truncated]).toEqual([true, true]);
    expect((await rowsOf("SELECT CAST('a' AS BLOB) AS bytes")).rows).toEqual([{ bytes: null }]);
  });

  it('does not run when the schema has changed since the check', async () => {
    const { value } = await passing('SELECT name FROM products');
    await shop.query('CREATE TABLE later (x)');
    await expect(runSql(shop.database, value, limits())).rejects.toMatchObject({ code: 'DATA_SOURCE_ERROR' });
    await shop.query('DROP TABLE later');
  });

  it('fails with TIMEOUT when the deadline has passed or the caller has disconnected', async () => {
    const { value } = await passing('SELECT name FROM products');
    const gone = { signal: AbortSignal.abort(), timeoutMs: 5000 };
    await expect(runSql(shop.database, value, gone)).rejects.toMatchObject({ code: 'TIMEOUT' });
    const slow = { ...shop.database, run: () => new Promise<never>(() => {}) };
    await expect(runSql(slow, value, { ...limits(), timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});
