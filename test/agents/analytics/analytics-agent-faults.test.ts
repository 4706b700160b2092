import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/agents/analytics/analytics-agent.ts';
import type { AIClient } from '../../../src/contract/librarian.ts';
import SHOP_CATALOGUE from '../../../src/dev/sample/shop/shop-catalogue.json' with { type: 'json' };
import { type SqlDatabase, SqlUnavailable } from '../../../src/storage/sql-database.ts';
import { identityOf, notebook } from '../../signing/callers.ts';
import { askAgent } from '../agents-for-test.ts';
import { modelProposing, shopForTests, withCatalogue } from './shop-for-test.ts';

const shop = shopForTests();

interface Given {
  names?: Readonly<Record<string, string>>;
  ai?: AIClient;
  database?: SqlDatabase;
  timeoutMs?: number;
}

const answerTo = async (query: string, { names = {}, ai, database = shop.database, timeoutMs }: Given = {}) => {
  const { log, lines } = notebook();
  const catalogue = { ...SHOP_CATALOGUE, names: { ...SHOP_CATALOGUE.names, ...names } };
  const stored = withCatalogue(database, JSON.stringify(catalogue));
  const app = createApp({ ...(await identityOf('analytics')), log, database: stored, workspace: 'default', ai });
  const { reply, status } = await askAgent(app, { body: { query }, timeoutMs });
  const faults = lines.filter(({ event }) => event === 'fault');
  return { ...reply, status, faults };
};

const HOW_MANY = 'How many customers do we have?';

describe('a row with a large id', () => {
  it('does not fail questions, with or without a model', async () => {
    await shop.query("INSERT INTO customers VALUES (20000001, 'Far Off', 'Lyon', 'France', '2026-01-01')");
    const { ai } = modelProposing(
      'SELECT c.country, count(*) AS orders FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.country',
    );
    const plain = await answerTo(HOW_MANY);
    const proposed = await answerTo('Orders by country of those who bought twice', { ai });
    await shop.query('DELETE FROM customers WHERE customer_id = 20000001');
    expect(plain).toMatchObject({ success: true, result: { rows: [{ customers: 801 }] } });
    expect(proposed).toMatchObject({ success: true, metadata: { statement_by: 'model' } });
  });
});

describe("the catalogue's own statements", () => {
  it('are not refused for their cost', async () => {
    const names = { every: 'SELECT a.name FROM products a, orders b, orders c WHERE a.product_id < 0' };
    expect(await answerTo(HOW_MANY, { names })).toMatchObject({ success: true, faults: [] });
  });

  it('are logged when one that reads names fails, and the question is answered', async () => {
    const names = { broken: 'SELECT nothing FROM nowhere' };
    const { result, faults } = await answerTo('How many iPhone 17 are in stock?', { names });
    expect(result.interpretation).toMatch(/^The iPhone 17 has \d+ units in stock/);
    expect(faults).toMatchObject([{ librarian: 'analytics', where: 'names', code: 'DATA_SOURCE_ERROR' }]);
  });

  it('fail the question when no list of names can be read', async () => {
    const names = Object.fromEntries(Object.keys(SHOP_CATALOGUE.names).map((list) => [list, 'SELECT 1 FROM nowhere']));
    expect(await answerTo(HOW_MANY, { names })).toMatchObject({ status: 502 });
  });

  it('fail with a recoverable error when the database is overloaded', async () => {
    let isDown = true;
    const loaded: SqlDatabase = {
      ...shop.database,
      run: (statement) =>
        isDown && statement.sql.includes('SELECT name FROM products')
          ? Promise.reject(new SqlUnavailable('overloaded'))
          : shop.database.run(statement),
    };
    expect(await answerTo('How many iPhone 17 are in stock?', { database: loaded })).toMatchObject({
      status: 503,
      metadata: { error_code: 'SERVICE_UNAVAILABLE', recoverable: true },
    });
    isDown = false;
    expect(await answerTo('How many iPhone 17 are in stock?', { database: loaded })).toMatchObject({ success: true });
  });

  it('read more than 500 names', async () => {
    await shop.query(`INSERT INTO products SELECT order_id + 10000, 'SKU-' || order_id, 'Adapter ' || order_id, 'Cables', 100, 'EUR', '2026-01-01'
      FROM orders LIMIT 600`);
    const { result, faults } = await answerTo('How many iPhone 17 are in stock?');
    await shop.query('DELETE FROM products WHERE product_id > 10000');
    expect(result.interpretation).toMatch(/^The iPhone 17 has \d+ units in stock/);
    expect(faults).toEqual([]);
  });

  it('read 5,000 names, and log when there are more', async () => {
    const names = { pairs: "SELECT a.name || ' + ' || b.sku AS pair FROM products a, products b" };
    const cause = expect.stringContaining('pairs is truncated after 5000');
    expect(await answerTo(HOW_MANY, { names })).toMatchObject({ success: true, faults: [{ where: 'names', cause }] });
  });
});

describe("a model's statement", () => {
  /** Too uncertain for the catalogue, so that a model is called first. */
  const UNSURE = 'How much revenue did the shop make?';
  const toCatalogue = { success: true, metadata: { statement_by: 'catalogue' } };

  it.each(['SELECT sum(9223372036854775807) AS total FROM orders', 'SELECT abs(-9223372036854775808) AS number'])(
    'that passes and then fails falls back to the catalogue: %s',
    async (sql) => {
      expect(await answerTo(UNSURE, { ai: modelProposing(sql).ai })).toMatchObject(toCatalogue);
    },
  );

  it('that takes too long falls back to the catalogue', async () => {
    const sql = 'SELECT count(*) AS slow FROM customers';
    const slow: SqlDatabase = {
      ...shop.database,
      run: (statement) =>
        statement.sql.includes('AS slow') ? new Promise<never>(() => {}) : shop.database.run(statement),
    };
    const { ai } = modelProposing(sql);
    expect(await answerTo(UNSURE, { ai, database: slow, timeoutMs: 3000 })).toMatchObject(toCatalogue);
  });

  it('that never arrives leaves time for the catalogue', async () => {
    const ai = { model: 'silent', complete: () => new Promise<never>(() => {}) };
    expect(await answerTo(UNSURE, { ai, timeoutMs: 3000 })).toMatchObject(toCatalogue);
  });

  it.each([
    ['SELECT 1 AS "__proto__"', 'The statement has the name __proto__ in it.'],
    ['SELECT login FROM staff_accounts', 'The statement reads a table that is not open to questions.'],
    [
      `SELECT ${Array.from({ length: 40 }, (_, place) => `${place + 1000}`).join(' + ')} + count(*) + count(*) + count(*) + count(*) + count(*) FROM orders`,
      'The statement returns a column whose name is longer than 300 characters: give each column an alias.',
    ],
    [
      'SELECT sum(total_cents) AS revenue FROM orders',
      'The statement adds up or compares amounts of several currencies: group by currency, or use one of them only.',
    ],
  ])('is sent back once: %s', async (sql, reason) => {
    const { ai, calls } = modelProposing(
      sql,
      'SELECT currency, sum(total_cents) AS cents FROM orders GROUP BY currency',
    );
    const { result, metadata } = await answerTo('revenue of customers who came back', { ai });
    expect(calls[1]?.at(-1)?.content).toBe(`${reason} Propose another.`);
    expect([metadata.statement_by, result.columns]).toEqual(['model', ['currency', 'cents']]);
  });

  it('keeps its columns in order, even with numbers as names', async () => {
    const { ai } = modelProposing('SELECT country, 2 AS "2026", 1 AS "2025" FROM customers LIMIT 1');
    const { result } = await answerTo('customers of two years side by side', { ai });
    expect(result.columns).toEqual(['country', '2026', '2025']);
    expect(result.interpretation).toMatch(/: country [A-Z]\w+, 2026 2, 2025 1\. /);
  });
});
