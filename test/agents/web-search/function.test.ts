import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { d1ProductCatalogue } from '../../../src/agents/web-search/product-catalogue.ts';
import { bundle } from '../../../src/dev/build/bundle-function.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { type LocalWebSearch, serveLocalWebSearch } from '../../../src/dev/run/local-web-search.ts';
import { callFrom, userContext } from '../../signing/callers.ts';

let local: LocalWebSearch;
let code: string;
beforeAll(async () => {
  local = await serveLocalWebSearch();
  code = await bundle(join(ROOT, 'functions/web-search/index.ts'), { minify: true });
});
afterAll(() => local.close());

const TABLE = `CREATE TABLE products (product_id INTEGER PRIMARY KEY, sku TEXT, name TEXT, category TEXT, price_cents INTEGER, currency TEXT, released_on TEXT)`;
const ROWS = [
  [123, 'PH-17', 'iPhone 17', 'Phones', 99_999, 'USD'],
  [124, 'PH-17P', 'iPhone 17 Pro', 'Phones', 119_900, 'USD'],
  [201, 'AP-2', 'Apollo II', 'Miners', 89_900, 'EUR'],
  [301, null, 'O\'Brien "; DROP TABLE products; --', null, 100, 'USD'],
  [302, 'BAD', 'Odd price', 'Odd', -5, 'USD'],
] as const;

/** The configured function in real workerd, with its own shop. */
const startFunction = async (vars: Record<string, string>, { hasTable = true } = {}) => {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(
    unstable_readConfig({ config: join(ROOT, 'functions/web-search/wrangler.toml') }),
  );
  const worker = {
    // The Durable Object for counters belongs to the library, which does not run here.
    ...{ ...workerOptions, name: 'web-search', durableObjects: {} },
    bindings: { ...(workerOptions.bindings ?? {}), ENVIRONMENT: 'development', ...vars },
    modules: [{ type: 'ESModule' as const, path: 'index.mjs', contents: code }],
  };
  const quiet = { telemetry: { enabled: false }, handleStructuredLogs: () => {} };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...quiet, workers: [worker] }));
  const database = await miniflare.getD1Database('SHOP_DB');
  if (hasTable) {
    await database.prepare(TABLE).run();
    const insert = database.prepare(
      'INSERT INTO products (product_id, sku, name, category, price_cents, currency) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    );
    await database.batch(ROWS.map((row) => insert.bind(...row)));
  }
  const ask = async (query: string, workspace = 'default') => {
    const target = {
      fetch: async (request: Request) => {
        const init = { method: request.method, headers: [...request.headers], body: await request.arrayBuffer() };
        const response = await miniflare.dispatchFetch(request.url, init);
        return new Response(await response.arrayBuffer(), { status: response.status, headers: [...response.headers] });
      },
    };
    const request = { to: 'web-search', path: '/v1/agents/web_search', body: { query }, timeoutMs: 10_000 };
    const context = userContext({ workspace, capabilities: ['web:search'] });
    const { answer } = await callFrom('gateway', context, { targets: { 'web-search': target }, request });
    // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
    return { status: answer.ok ? answer.status : 0, reply: (answer.ok ? answer.json() : answer.error) as any };
  };
  return { miniflare, database, ask };
};

const withFunction = async (
  vars: Record<string, string>,
  use: (started: Awaited<ReturnType<typeof startFunction>>) => Promise<void>,
  options?: { hasTable?: boolean },
) => {
  const started = await startFunction(vars, options);
  try {
    await use(started);
  } finally {
    await started.miniflare.dispose();
  }
};

describe('the function web-search in workerd', () => {
  it('compares the price of a product in D1 with the offers of the local provider', async () => {
    await withFunction({ SERPAPI_KEY: 'local', SERPAPI_URL: local.url }, async ({ ask }) => {
      const { status, reply } = await ask('What does the iphone 17 cost at other shops?');
      expect(status).toBe(200);
      expect(reply.result).toMatchObject({
        product_info: { product_id: 123, sku: 'PH-17', name: 'iPhone 17', price: 999.99, currency: 'USD' },
        price_comparison: { internal_price: 999.99, cheapest_external: 949.99, difference: -50, percentage: -5 },
      });
      const apollo = await ask('Is the Apollo II cheaper elsewhere?');
      const price_comparison = { internal_price: 899, cheapest_external: 869, currency: 'EUR' };
      expect(apollo.reply.result).toMatchObject({ price_comparison });
      expect((await ask('What does the iPhone 17 cost elsewhere?', 'acme')).reply.result.product_info).toEqual({});
    });
  });

  it('answers without the table, and without a provider', async () => {
    const searching = { SERPAPI_KEY: 'local', SERPAPI_URL: local.url };
    await withFunction(
      searching,
      async ({ ask }) => {
        const { reply } = await ask('What does the iPhone 17 cost elsewhere?');
        expect(reply).toMatchObject({ success: true, result: { product_info: {} }, metadata: { partial: true } });
      },
      { hasTable: false },
    );
    await withFunction({}, async ({ ask }) => {
      const reply = { metadata: { error_code: 'SERVICE_UNAVAILABLE' } };
      expect(await ask('What does the iPhone 17 cost elsewhere?')).toMatchObject({ status: 503, reply });
    });
  });

  it('reads the current products from D1, without SQL injection by names', async () => {
    await withFunction({}, async ({ database }) => {
      const clock = { now: 0 };
      const catalogue = d1ProductCatalogue(database, { now: () => clock.now });
      expect(await catalogue.find('price of the iPhone 17 pro')).toMatchObject({ productId: 124, priceCents: 119_900 });
      await database.prepare('UPDATE products SET price_cents = 5 WHERE product_id = 124').run();
      expect(await catalogue.find('price of the iPhone 17 pro')).toMatchObject({ priceCents: 5 });
      const hostile = await catalogue.find(`what costs O'Brien "; DROP TABLE products; --`);
      expect(hostile).toMatchObject({ productId: 301, sku: '' });
      expect(await catalogue.find('odd price')).toBeUndefined();
      await database.prepare("INSERT INTO products VALUES (400, 'N', 'Novum', 'Odd', 100, 'USD', '')").run();
      expect(await catalogue.find('novum')).toBeUndefined();
      clock.now = 60_000;
      expect(await catalogue.find('novum')).toMatchObject({ productId: 400 });
    });
  });

  it('weighs at most 500 KiB, compressed', () => {
    expect(gzipSync(code).byteLength).toBeLessThanOrEqual(500 * 1024);
  });
});
