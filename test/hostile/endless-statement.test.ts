import { afterAll, expect, it } from 'vitest';
import { startProduct } from '../../tools/run/product.ts';

const product = await startProduct({
  kb: 'sample',
  port: 0,
  functions: ['analytics', 'web-search'],
});
afterAll(() => product.stop());

/** It never ends: the gate refuses it, and nothing but a kill ends it. */
const ENDLESS =
  'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';

/** It reads its catalogue from the database: without one it says what it lacks. */
const analytics = async () => {
  const worker = await product.miniflare.getWorker('constellation-analytics');
  const response = await worker.fetch('http://analytics/librarians/analytics');
  return (await response.json()) as unknown;
};

it('keeps answering while a statement runs without end in the local database, and ends it', {
  timeout: 90_000,
}, async () => {
  expect(await analytics()).not.toHaveProperty('unavailable');
  const body = JSON.stringify({ statements: [{ sql: ENDLESS, values: [] }] });
  const running = product.databases?.serve('constellation-shop', { text: async () => body });
  for (let i = 0; i < 5; i++) {
    const response = await fetch(new URL('/healthz', product.url), {
      signal: AbortSignal.timeout(3000),
    });
    expect(response.status).toBe(200);
  }
  expect((await running)?.status).toBe(503);
  expect(await analytics()).not.toHaveProperty('unavailable');
});
