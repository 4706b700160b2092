import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalWebSearch, serveLocalWebSearch } from '../../../tools/run/local-web-search.ts';

let local: LocalWebSearch;
beforeAll(async () => {
  local = await serveLocalWebSearch();
});
afterAll(() => local.close());

/** The status line for a raw path, which `fetch` would normalise. */
const statusOf = (path: string): Promise<string> => {
  const { port, hostname } = new URL(local.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname, () =>
    socket.write(`GET ${path} HTTP/1.0\r\n\r\n`),
  );
  socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''));
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
};

const pricesFor = async (query: string): Promise<string[]> => {
  const response = await fetch(
    `${local.url}/search.json?engine=google_shopping&api_key=k&q=iPhone+17${query}`,
  );
  const { shopping_results } = (await response.json()) as { shopping_results: { price: string }[] }; // its own reply
  return shopping_results.map(({ price }) => price);
};

describe('serveLocalWebSearch()', () => {
  it.each(['//', '///', '//:', 'http://['])(
    'answers 400 to GET %s, and keeps serving',
    async (path) => {
      expect(await statusOf(path)).toMatch(/^HTTP\/1\.1 400 /);
      expect((await fetch(`${local.url}/search.json`)).status).toBe(401);
    },
  );
  it('names the dollar of a price unless the country does', async () => {
    expect(await pricesFor('')).toContain('US$949.99');
    expect(await pricesFor('&gl=us')).toContain('$949.99');
  });
});
