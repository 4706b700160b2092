import { join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { d1ProductCatalogue } from '../../../src/librarians/web-search/product-catalogue.ts';
import { bundle } from '../../../tools/build/bundle-function.ts';
import { ROOT } from '../../../tools/functions.ts';
import { type LocalWebSearch, serveLocalWebSearch } from '../../../tools/run/local-web-search.ts';
import { callFrom, userContext } from '../../platform/context/callers.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';

const TABLE = `CREATE TABLE products (product_id INTEGER PRIMARY KEY, sku TEXT, name TEXT, category TEXT, price_cents INTEGER, currency TEXT, released_on TEXT)`;
const ROWS = [
  [123, 'PH-17', 'iPhone 17', 'Phones', 99_999, 'USD'],
  [124, 'PH-17P', 'iPhone 17 Pro', 'Phones', 119_900, 'USD'],
  [201, 'AP-2', 'Apollo II', 'Miners', 89_900, 'EUR'],
  [301, null, 'O\'Brien "; DROP TABLE products; --', null, 100, 'USD'],
  [302, 'BAD', 'Odd price', 'Odd', -5, 'USD'],
] as const;

let local: LocalWebSearch;
let miniflare: Miniflare;
let database: Awaited<ReturnType<Miniflare['getD1Database']>>;

/** The configured function in real workerd, with its own shop. */
beforeAll(async () => {
  local = await serveLocalWebSearch();
  const config = unstable_readConfig({ config: join(ROOT, 'functions/web-search/wrangler.toml') });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const variables = { ENVIRONMENT: 'development', SERPAPI_KEY: 'local', SERPAPI_URL: local.url };
  const contents = await bundle(join(ROOT, 'functions/web-search/index.ts'), { minify: true });
  // The Durable Object for counters belongs to the library, which does not run here.
  const bindings = { ...(workerOptions.bindings ?? {}), ...variables };
  const options = { ...workerOptions, durableObjects: {}, bindings };
  miniflare = oneWorker(contents, options, { handleStructuredLogs: () => {} });
  database = await miniflare.getD1Database('SHOP_DB');
});
beforeEach(async () => {
  await database.batch(
    ['DROP TABLE IF EXISTS products', TABLE].map((sql) => database.prepare(sql)),
  );
  const insert = database.prepare('INSERT INTO products VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)');
  await database.batch(ROWS.map((row) => insert.bind(...row)));
});
afterAll(async () => {
  await miniflare?.dispose();
  await local?.close();
});

/** The agent's envelope for a question that is asked through the gateway. */
const ask = async (query: string, workspace = 'default') => {
  const target = {
    fetch: async (request: Request) => {
      const init = {
        method: request.method,
        headers: [...request.headers],
        body: await request.arrayBuffer(),
      };
      const response = await miniflare.dispatchFetch(request.url, init);
      return new Response(await response.arrayBuffer(), {
        status: response.status,
        headers: [...response.headers],
      });
    },
  };
  const request = {
    to: 'web-search',
    path: '/v1/agents/web_search',
    body: { query },
    timeoutMs: 10_000,
  };
  const context = userContext({ workspace, capabilities: ['web:search'] });
  const { answer } = await callFrom('gateway', context, {
    targets: { 'web-search': target },
    request,
  });
  return answer.ok ? answer.json() : answer.error;
};

it('compares the price of a product in D1 with the offers of the local provider, in its workspace only', async () => {
  expect(await ask('What does the iphone 17 cost at other shops?')).toMatchObject({
    result: {
      product_info: {
        product_id: 123,
        sku: 'PH-17',
        name: 'iPhone 17',
        price: 999.99,
        currency: 'USD',
      },
      price_comparison: {
        internal_price: 999.99,
        cheapest_external: 949.99,
        difference: -50,
        percentage: -5,
      },
    },
  });
  const price_comparison = { internal_price: 899, cheapest_external: 869, currency: 'EUR' };
  expect(await ask('Is the Apollo II cheaper elsewhere?')).toMatchObject({
    result: { price_comparison },
  });
  const elsewhere = await ask('What does the iPhone 17 cost elsewhere?', 'acme');
  expect(elsewhere).toMatchObject({ success: true, result: { product_info: {} } });
  expect(JSON.stringify(elsewhere)).not.toContain('999.99');
});
it('reads the current products from D1, without SQL injection by names', async () => {
  const clock = { now: 0 };
  const catalogue = d1ProductCatalogue(database, { now: () => clock.now });
  expect(await catalogue.find('price of the iPhone 17 pro')).toMatchObject({
    productId: 124,
    priceCents: 119_900,
  });
  await database.prepare('UPDATE products SET price_cents = 5 WHERE product_id = 124').run();
  expect(await catalogue.find('price of the iPhone 17 pro')).toMatchObject({ priceCents: 5 });
  const hostile = await catalogue.find(`what costs O'Brien "; DROP TABLE products; --`);
  expect(hostile).toMatchObject({ productId: 301, sku: '' });
  expect(await catalogue.find('odd price')).toBeUndefined();
  await database
    .prepare("INSERT INTO products VALUES (400, 'N', 'Novum', 'Odd', 100, 'USD', '')")
    .run();
  expect(await catalogue.find('novum')).toBeUndefined();
  clock.now = 60_000;
  expect(await catalogue.find('novum')).toMatchObject({ productId: 400 });
});
it('answers without the table, partially', async () => {
  await database.prepare('DROP TABLE products').run();
  const reply = await ask('What does the iPhone 17 cost elsewhere?');
  expect(reply).toMatchObject({
    success: true,
    result: { product_info: {} },
    metadata: { partial: true },
  });
});
