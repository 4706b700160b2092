import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentResponse } from '../../src/contract/agent-response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { functionSizes, MAX_GZIP_BYTES } from '../../src/dev/bench/size.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';

let product: Product;

beforeAll(async () => {
  product = await startProduct({ kb: 'sample', port: 0 });
});

afterAll(() => product?.stop());

const post = async (path: string, body: unknown) => {
  const response = await product.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
  return { status: response.status, body: (await response.json()) as any };
};

describe('the analytics function behind the gateway', () => {
  it('answers from the sample shop in the agent envelope', async () => {
    const { status, body } = await post('/v1/agents/analytics', { query: 'how many iPhone 17 are in stock' });
    expect(status).toBe(200);
    expect(AgentResponse.parse(body)).toMatchObject({
      success: true,
      type: 'analytics',
      result: {
        columns: ['product_id', 'name', 'units', 'warehouses'],
        rows: [{ name: 'iPhone 17', units: 50, warehouses: 3 }],
        row_count: 1,
        interpretation: expect.stringMatching(
          /^The iPhone 17 has 50 units in stock, in 3 warehouses\. \(tables products and stock, as of \d{4}-\d\d-\d\d\)$/,
        ),
      },
      source_attribution: { primary_source: 'Analytics Database', details: { tables: ['products', 'stock'] } },
      metadata: { entity_type: 'product', entity_id: body.result.rows[0].product_id },
    });
    expect(body.result.sql_query).toContain("WHERE p.name = 'iPhone 17'");
  });

  it('answers as a librarian', async () => {
    const { status, body } = await post('/v1/ask', {
      query: 'how many iPhone 17 are in stock',
      librarian: 'analytics',
    });
    expect(status).toBe(200);
    expect(validateResponse(body)).toMatchObject({ ok: true });
    expect(body).toMatchObject({
      answer: expect.stringContaining('50 units'),
      sources: [{ name: 'products' }, { name: 'stock' }],
      metadata: { analytics: { success: true } },
    });
  });

  it('declines what the database cannot answer with NOT_FOUND and named questions', async () => {
    const { status, body } = await post('/v1/agents/analytics', { query: 'How many orders were placed by women?' });
    expect(status).toBe(404);
    expect(body).toMatchObject({ success: false, metadata: { error_code: 'NOT_FOUND' } });
    expect(body.metadata.suggestion).toContain('How many orders were placed');
  });

  it('finds the same shop after it was seeded once', async () => {
    const database = await product.miniflare.getD1Database('SHOP_DB', 'constellation-analytics');
    const { results } = await database.prepare('SELECT count(*) AS orders FROM orders').all();
    expect(results).toEqual([{ orders: 3000 }]);
  });
});

it('weighs at most 500 KiB compressed', async () => {
  const size = (await functionSizes()).find(({ name }) => name === 'constellation-analytics');
  expect(size?.gzipBytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});
