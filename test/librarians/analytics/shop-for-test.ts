import { afterAll, beforeAll } from 'vitest';
import type { AIClient, AIMessage } from '../../../src/contract/core/librarian.ts';
import { d1Database, type SqlDatabase } from '../../../src/platform/storage/sql-database.ts';
import { seedShop } from '../../../tools/sample/shop/seed-shop.ts';
import { storeCatalogue } from '../../../tools/sample/shop/shop-catalogue.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';
import SUMS from './table-sums.json' with { type: 'json' };

type D1 = Parameters<typeof d1Database>[0];

/** The tables of the sample shop that questions may read. */
export const OPEN_TABLES = ['products', 'stock', 'customers', 'orders', 'order_items'];

/** Runs statements in one request; the proxy of miniflare makes a request per call, and takes 50 times as long. */
const WORKER = `export default {
  async fetch(request, { SHOP_DB }) {
    const { statements, raw } = await request.json();
    const prepared = statements.map(({ sql, values }) => SHOP_DB.prepare(sql).bind(...values));
    try {
      return Response.json(raw ? await prepared[0].raw({ columnNames: true }) : await SHOP_DB.batch(prepared));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;

/** The methods of a D1 statement that the tests use. */
interface Statement {
  sql: string;
  values: readonly unknown[];
  bind(...values: unknown[]): Statement;
  all<Row = Record<string, unknown>>(): Promise<{ results: Row[] }>;
  raw(): Promise<[string[], ...unknown[][]]>;
}

type Send = <Result>(
  statements: readonly Pick<Statement, 'sql' | 'values'>[],
  options?: { raw: boolean },
) => Promise<Result>;

const statementOf = (send: Send, sql: string, values: readonly unknown[] = []): Statement => ({
  sql,
  values,
  bind: (...bound) => statementOf(send, sql, bound),
  all: async <Row>() => (await send<[{ results: Row[] }]>([{ sql, values }]))[0],
  raw: () => send([{ sql, values }], { raw: true }),
});

/** The sample shop in a real D1 database in workerd. */
export async function startShop() {
  const miniflare = oneWorker(WORKER, { d1Databases: { SHOP_DB: 'constellation-shop' } });
  const url = await miniflare.ready;
  const send: Send = async (statements, options) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ statements, ...options }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json() as never; // the worker returns this shape
  };
  const d1 = {
    prepare: (sql: string) => statementOf(send, sql),
    batch: (statements: Statement[]) => send<{ results: Record<string, unknown>[] }[]>(statements),
  };
  await seedShop(d1);
  await storeCatalogue(d1);
  await d1.prepare('CREATE VIEW contact_list AS SELECT email FROM customer_contacts').all();
  const query = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await d1.prepare(sql).all()).results;
  const fingerprint = [
    'SELECT name, sql FROM sqlite_schema',
    ...Object.entries(SUMS).map(([table, sum]) => `SELECT count(*), ${sum} FROM ${table}`),
  ].map((sql) => d1.prepare(sql));
  return {
    d1: d1 as unknown as D1, // implements the methods that are used
    database: d1Database(d1 as unknown as D1),
    query,
    /** How many rows SQLite reads for a statement. */
    rowsRead: async (sql: string): Promise<number> => {
      const [result] = await send<[{ meta: { rows_read: number } }]>([{ sql, values: [] }]);
      return result.meta.rows_read;
    },
    /** A digest of every row of every table, and of the schema. */
    checksum: async (): Promise<string> => {
      const contents = ['sqlite_schema', ...Object.keys(SUMS)].map((table) =>
        query(`SELECT * FROM ${table}`),
      );
      const bytes = new TextEncoder().encode(JSON.stringify(await Promise.all(contents)));
      return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
    },
    /** The schema, and the row count and a sum of each table: fast enough to run after every statement. */
    fingerprint: async (): Promise<unknown[]> =>
      (await d1.batch(fingerprint)).map(({ results }) => results),
    stop: () => miniflare.dispose(),
  };
}

/** The sample shop for all tests of a file. */
export function shopForTests() {
  const shop = {} as Awaited<ReturnType<typeof startShop>>; // filled before the first test
  beforeAll(async () => void Object.assign(shop, await startShop()));
  afterAll(() => shop.stop?.());
  return shop;
}

/** The same database with another catalogue; `undefined` for none. */
export function withCatalogue(database: SqlDatabase, json: string | undefined): SqlDatabase {
  return {
    ...database,
    run: async (statement) =>
      statement.sql.includes('FROM analytics_catalogue')
        ? { columns: ['catalogue'], rows: json === undefined ? [] : [[json]], schemaVersion: 1 }
        : database.run(statement),
  };
}

/** A model that proposes these statements in turn. */
export function modelProposing(...statements: string[]) {
  return modelReplying(...statements.map((sql) => JSON.stringify({ sql })));
}

/** A model that returns these replies in turn, and records the prompts. */
export function modelReplying(...replies: (string | Error)[]) {
  const calls: (readonly AIMessage[])[] = [];
  const ai: AIClient = {
    model: 'test-model',
    complete: async (messages) => {
      calls.push(messages);
      const reply = replies[calls.length - 1];
      if (reply === undefined || reply instanceof Error)
        throw reply ?? new Error('called too often');
      return { text: reply };
    },
  };
  return { ai, calls };
}
