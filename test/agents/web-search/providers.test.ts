import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { braveSearch } from '../../../src/agents/web-search/brave-search.ts';
import { type ProviderSettings, serpApi } from '../../../src/agents/web-search/serp-api.ts';
import type { WebSearch, WebSearchOptions } from '../../../src/agents/web-search/web-search.ts';
import { CodedError } from '../../../src/http/coded-error.ts';
import { describeCause } from '../../../src/runtime/log.ts';
import { json, providerServer } from './provider-server.ts';

const KEY = 'key_that_nobody_may_see_0123456789';
const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./replies/${name}.json`, import.meta.url), 'utf8'));

let server: Awaited<ReturnType<typeof providerServer>>;
afterEach(() => server.close());

const serve = async (
  make: (settings: ProviderSettings) => WebSearch,
  steps: ((response: ServerResponse) => unknown)[],
  settings: Partial<ProviderSettings> = {},
) => {
  server = await providerServer(...steps);
  return make({ key: KEY, url: server.url, fetch, now: Date.now, ...settings });
};
const options = (more: Partial<WebSearchOptions> = {}): WebSearchOptions => ({
  limit: 10,
  signal: AbortSignal.timeout(20_000),
  ...more,
});

/** What the search throws, and all that of it could reach a caller or a log. */
const failure = async (search: WebSearch, more: Partial<WebSearchOptions> = {}) => {
  const error = await search.search('iPhone 17', options(more)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CodedError)) throw new Error(`not a coded error: ${String(error)}`);
  const said = `${describeCause(error)} ${JSON.stringify(error.reported)} ${error.stack} ${String(error.cause)}`;
  expect(said).not.toContain(KEY);
  expect(said).not.toContain('api_key');
  expect(said).not.toContain(server.url);
  return error;
};

describe('SerpApi', () => {
  it('requests offers as documented and drops results that it cannot read', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-shopping'))]);
    const found = await search.search('iPhone 17', options({ offers: true, country: 'us', language: 'en' }));
    const { url, headers } = server.asked[0]!;
    expect(url.pathname).toBe('/search.json');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      engine: 'google_shopping',
      q: 'iPhone 17',
      gl: 'us',
      hl: 'en',
      direct_link: 'true',
      api_key: KEY,
    });
    expect(headers['context-token']).toBeUndefined();
    expect(found[0]).toEqual({
      title: 'Apple iPhone 17 256GB Unlocked - Black',
      snippet: 'Fast & quiet delivery',
      url: 'https://northgate.example.com/p/iphone-17',
      shop: 'Northgate Electronics',
      price: { cents: 94999, currency: 'USD' },
      condition: undefined,
    });
    expect(found[1]).toMatchObject({
      url: 'https://www.google.com/shopping/product/1000000000000000002',
      condition: 'refurbished',
    });
    expect(found.map(({ price }) => price)).toEqual([
      { cents: 94999, currency: 'USD' },
      { cents: 71900, currency: 'USD' },
      undefined,
      { cents: 2499, currency: 'USD' },
      { cents: 93900, currency: 'EUR' },
      undefined,
    ]);
    expect(found[3]?.url).toBeUndefined();
    expect(found[5]).toMatchObject({ title: 'Odd fields', url: undefined });
  });

  it('requests pages and reads the price that a page shows', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-google'))]);
    const found = await search.search('iPhone 17 review', options({ country: 'us' }));
    expect(server.asked[0]?.url.searchParams.get('engine')).toBe('google');
    expect(found).toMatchObject([
      { title: 'iPhone 17 review: the one to buy', url: 'https://reviews.example.com/iphone-17', price: undefined },
      { title: 'iPhone 17 at Northgate', price: { cents: 94999, currency: 'USD' } },
    ]);
  });

  it('returns no results without failing', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-empty'))]);
    expect(await search.search('xyzzy', options())).toEqual([]);
  });

  it('fails when the provider reports a failed search', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-failed'))]);
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
  });

  it('returns no more results than the limit', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-shopping'))]);
    expect(await search.search('iPhone 17', options({ limit: 2 }))).toHaveLength(2);
  });
});

describe('Brave Search', () => {
  it('sends the key in its header as documented, and reads pages with their products', async () => {
    const search = await serve(braveSearch, [json(recorded('brave-web'))]);
    const found = await search.search('iPhone 17', options({ country: 'us', language: 'en' }));
    const { url, headers } = server.asked[0]!;
    expect(url.pathname).toBe('/res/v1/web/search');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      q: 'iPhone 17',
      count: '10',
      result_filter: 'web',
      text_decorations: 'false',
      country: 'US',
      search_lang: 'en',
    });
    expect(headers['x-subscription-token']).toBe(KEY);
    expect(found).toEqual([
      {
        title: 'Apple iPhone 17 256GB - Black',
        snippet: "The iPhone 17 at Northgate's.",
        url: 'https://northgate.example.com/p/iphone-17',
        shop: 'Northgate Electronics',
        price: { cents: 94999, currency: 'USD' },
        condition: undefined,
      },
      expect.objectContaining({ title: 'iPhone 17, several sizes', price: undefined }),
      expect.objectContaining({ price: { cents: 93900, currency: 'EUR' } }),
      expect.objectContaining({ title: 'iPhone 17 review', snippet: '', price: undefined }),
    ]);
  });

  it('shortens a query to 50 words and 400 characters', async () => {
    const search = await serve(braveSearch, [json({ web: { results: [] } })]);
    await search.search(`${'word '.repeat(80)}`, options());
    await search.search('x'.repeat(3000), options());
    expect(server.asked.map(({ url }) => url.searchParams.get('q')?.length)).toEqual([50 * 5 - 1, 400]);
  });
});

const PROVIDERS = [
  ['SerpApi', serpApi, 'SERPAPI_KEY'],
  ['Brave Search', braveSearch, 'BRAVE_SEARCH_KEY'],
] as const;

describe.each(PROVIDERS)('%s, when it fails,', (_name, make, secret) => {
  it.each([401, 403])('names the secret to set after %i, without a retry', async (status) => {
    const search = await serve(make, [json({ error: `Invalid API key ${KEY}.` }, status)]);
    const { code, reported } = await failure(search);
    expect([code, reported.recoverable, server.asked.length]).toEqual(['SERVICE_UNAVAILABLE', false, 1]);
    expect(reported.suggestion).toContain(secret);
  });

  it('reports after 429 how long to wait, without a retry', async () => {
    const search = await serve(make, [json({}, 429, { 'retry-after': '17' })]);
    const { code, reported } = await failure(search);
    expect([code, reported.details, server.asked.length]).toEqual(['RATE_LIMITED', { retry_after_seconds: 17 }, 1]);
    expect(reported.suggestion).toContain('17 seconds');
  });

  it('reads a date as Retry-After, and works without one', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const dated = await failure(await serve(make, [json({}, 429, { 'retry-after': date })]));
    expect(dated.reported.details?.retry_after_seconds).toBeGreaterThan(50);
    await server.close();
    const bare = await failure(await serve(make, [json({}, 429)]));
    expect([bare.code, bare.reported.details]).toEqual(['RATE_LIMITED', undefined]);
  });

  it.each([500, 503])('is retried once after %i', async (status) => {
    const search = await serve(make, [
      json({}, status),
      json(recorded(secret === 'SERPAPI_KEY' ? 'serpapi-google' : 'brave-web')),
    ]);
    expect(await search.search('iPhone 17', options())).not.toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  it('fails after the second 500', async () => {
    const search = await serve(make, [json({ secret: 'stack of the provider' }, 500)]);
    const error = await failure(search);
    expect([error.code, server.asked.length]).toEqual(['DATA_SOURCE_ERROR', 2]);
    expect(describeCause(error)).not.toContain('stack of the provider');
  });

  it('is retried once after a broken connection', async () => {
    const search = await serve(make, [(response) => response.destroy(), json({})]);
    expect(await search.search('iPhone 17', options())).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  it('is not retried when the caller has no time left', async () => {
    const search = await serve(make, [json({}, 500)]);
    expect((await failure(search, { timeoutMs: 450 })).code).toBe('DATA_SOURCE_ERROR');
    expect(server.asked).toHaveLength(1);
  });

  it('is not retried when its own timeout has passed', async () => {
    const times = [0, 7800];
    const search = await serve(make, [json({}, 500)], { now: () => times.shift() ?? 7800 });
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['a page of HTML', '<html>Sorry</html>'],
    ['half an object', '{"web": {'],
    ['a list', '[]'],
    ['a number', '17'],
    ['nothing', ''],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe])],
  ])('fails with DATA_SOURCE_ERROR for %s', async (_what, body) => {
    const search = await serve(make, [(response) => response.writeHead(200).end(body)]);
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
    expect(server.asked).toHaveLength(1);
  });

  it('stops reading a huge response', async () => {
    let sent = 0;
    const search = await serve(make, [
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (sent < 200 && !response.destroyed) {
            sent++;
            if (!response.write(`"${'x'.repeat(1_000_000)}"`)) return void response.once('drain', more);
          }
        };
        more();
      },
    ]);
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
    expect(sent).toBeLessThan(100);
  });

  it('does not follow a redirect, which would carry the key', async () => {
    const search = await serve(make, [(response) => response.writeHead(302, { location: '/elsewhere' }).end()]);
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['that says nothing', () => undefined],
    ['that stops in the middle', (response: ServerResponse) => response.writeHead(200).write('{"web":')],
  ])('fails with TIMEOUT for a provider %s beyond the deadline', async (_what, step) => {
    const deadline = new AbortController();
    const asked = (response: ServerResponse) => {
      step(response);
      deadline.abort(new DOMException('The deadline is over', 'TimeoutError'));
    };
    const search = await serve(make, [asked]);
    expect((await failure(search, { signal: deadline.signal })).code).toBe('TIMEOUT');
    expect(server.asked).toHaveLength(1);
  });

  it('hides what fetch throws, as it may quote the address', async () => {
    const broken = (input: unknown) => Promise.reject(new TypeError(`Cannot load ${String(input)} with ${KEY}`));
    // Stands for any fetch.
    const search = await serve(make, [json({})], { fetch: broken as typeof fetch });
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
  });
});
