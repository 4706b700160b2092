import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { braveSearch } from '../../../src/librarians/web-search/brave-search.ts';
import { type ProviderSettings, serpApi } from '../../../src/librarians/web-search/serp-api.ts';
import type { WebSearch, WebSearchOptions } from '../../../src/librarians/web-search/web-search.ts';
import { CodedError } from '../../../src/platform/http/coded-error.ts';
import { describeCause } from '../../../src/platform/log.ts';
import { json, providerServer } from './provider-server.ts';
import EXPECTED from './providers.json' with { type: 'json' };

const KEY = 'key_that_stays_secret_0123456789';
const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./replies/${name}.json`, import.meta.url), 'utf8'));

type Step = (response: ServerResponse) => unknown;
let server: Awaited<ReturnType<typeof providerServer>>;
afterEach(() => server.close());

const serve = async (
  make: (settings: ProviderSettings) => WebSearch,
  steps: Step[],
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

/** The error of a search, after a check that nothing in it reveals the key. */
const failure = async (search: WebSearch, more: Partial<WebSearchOptions> = {}) => {
  const error: unknown = await search
    .search('iPhone 17', options(more))
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof CodedError)) throw new Error(`not a coded error: ${String(error)}`);
  const texts = `${describeCause(error)} ${JSON.stringify(error.reported)} ${error.stack} ${String(error.cause)}`;
  for (const secret of [KEY, 'api_key', server.url]) expect(texts).not.toContain(secret);
  return error;
};

const RECORDED = { serpapi: serpApi, brave: braveSearch };

/** The request and the results of a recorded reply. */
const searched = async (
  name: keyof typeof EXPECTED,
  query: string,
  more: Partial<WebSearchOptions> = {},
) => {
  const search = await serve(RECORDED[name.startsWith('brave') ? 'brave' : 'serpapi'], [
    json(recorded(name)),
  ]);
  const found = await search.search(query, options(more));
  const { url, headers } = server.requests[0]!;
  return { found, path: url.pathname, parameters: Object.fromEntries(url.searchParams), headers };
};

describe('SerpApi', () => {
  it('requests offers as documented and drops results that it cannot read', async () => {
    const wanted = { offers: true, country: 'us', language: 'en' };
    const { found, path, parameters, headers } = await searched(
      'serpapi-shopping',
      'iPhone 17',
      wanted,
    );
    expect([path, parameters]).toEqual([
      '/search.json',
      { ...EXPECTED['serpapi-shopping'].parameters, api_key: KEY },
    ]);
    expect(headers['context-token']).toBeUndefined();
    expect(found[0]).toEqual({ ...EXPECTED['serpapi-shopping'].found[0], condition: undefined });
    expect(found).toMatchObject(EXPECTED['serpapi-shopping'].found);
    expect([found[2]?.price, found[5]?.price, found[3]?.url, found[5]?.url]).toEqual(
      Array(4).fill(undefined),
    );
  });
  it('requests pages and reads the price that a page shows', async () => {
    const { found, parameters } = await searched('serpapi-google', 'iPhone 17 review', {
      country: 'us',
    });
    expect(parameters.engine).toBe('google');
    expect(found).toMatchObject(EXPECTED['serpapi-google'].found);
    expect(found[0]?.price).toBeUndefined();
  });
  it('returns no more results than the limit, and none without failing', async () => {
    expect((await searched('serpapi-shopping', 'iPhone 17', { limit: 2 })).found).toHaveLength(2);
    await server.close();
    expect((await searched('serpapi-empty', 'xyzzy')).found).toEqual([]);
  });
  it('fails when the provider reports a failed search', async () => {
    const search = await serve(serpApi, [json(recorded('serpapi-failed'))]);
    expect((await failure(search)).code).toBe('DATA_SOURCE_ERROR');
  });
});

describe('Brave Search', () => {
  it('sends the key in its header as documented, and reads pages with their products', async () => {
    const wanted = { country: 'us', language: 'en' };
    const { found, path, parameters, headers } = await searched('brave-web', 'iPhone 17', wanted);
    expect([path, parameters]).toEqual(['/res/v1/web/search', EXPECTED['brave-web'].parameters]);
    expect(headers['x-subscription-token']).toBe(KEY);
    expect(found[0]).toEqual({ ...EXPECTED['brave-web'].found[0], condition: undefined });
    expect(found).toMatchObject(EXPECTED['brave-web'].found);
    expect([found.length, found[1]?.price, found[3]?.price]).toEqual([4, undefined, undefined]);
  });
  it('shortens a query to 50 words and 400 characters', async () => {
    const search = await serve(braveSearch, [json({})]);
    for (const query of ['word '.repeat(80), 'x'.repeat(3000)])
      expect(await search.search(query, options())).toEqual([]);
    expect(server.requests.map(({ url }) => url.searchParams.get('q')?.length)).toEqual([
      50 * 5 - 1,
      400,
    ]);
  });
});

describe.each([
  ['SerpApi', serpApi, 'SERPAPI_KEY', 'serpapi-google'],
  ['Brave Search', braveSearch, 'BRAVE_SEARCH_KEY', 'brave-web'],
] as const)('%s, when it fails,', (_name, make, secret, reply) => {
  it.each([401, 403])('names the secret to set after %i, without a retry', async (status) => {
    const search = await serve(make, [json({ error: `Invalid API key ${KEY}.` }, status)]);
    const { code, reported } = await failure(search);
    expect([code, reported.recoverable, server.requests.length]).toEqual([
      'SERVICE_UNAVAILABLE',
      false,
      1,
    ]);
    expect(reported.suggestion).toContain(secret);
  });
  it.each([
    ['seconds', () => ({ 'retry-after': '17' }), /^17$/],
    [
      'a date',
      () => ({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
      /^(?:5\d|60)$/,
    ],
    ['nothing', () => ({}), /undefined/],
  ])('reports the wait after 429 without a retry: %s', async (_, headers, wait) => {
    const { code, reported } = await failure(await serve(make, [json({}, 429, headers())]));
    expect([code, server.requests.length]).toEqual(['RATE_LIMITED', 1]);
    const seconds = String(reported.details?.retry_after_seconds);
    expect(seconds).toMatch(wait);
    if (seconds === '17') expect(reported.suggestion).toContain('17 seconds');
  });
  it('is retried once after 500, and fails after the second', async () => {
    const search = await serve(make, [json({}, 500), json(recorded(reply))]);
    expect(await search.search('iPhone 17', options())).not.toEqual([]);
    expect(server.requests).toHaveLength(2);
    await server.close();
    const error = await failure(
      await serve(make, [json({ secret: 'stack of the provider' }, 500)]),
    );
    expect([error.code, server.requests.length]).toEqual(['DATA_SOURCE_ERROR', 2]);
    expect(describeCause(error)).not.toContain('stack of the provider');
  });
  it.each<[string, Partial<WebSearchOptions>, number[]]>([
    ['the caller has no time left', { timeoutMs: 450 }, [0]],
    ['its own timeout has passed', {}, [0, 7800]],
  ])('is not retried when %s', async (_, more, times) => {
    const now = times.length === 1 ? Date.now : () => times.shift() ?? 7800;
    const search = await serve(make, [json({}, 500)], { now });
    expect((await failure(search, more)).code).toBe('DATA_SOURCE_ERROR');
    expect(server.requests).toHaveLength(1);
  });
  it.each<[string, Step]>([
    ['a page of HTML', (response) => response.end('<html>Sorry</html>')],
    ['a list', (response) => response.end('[]')],
    ['a number', (response) => response.end('17')],
    ['more than 2 MiB', json({ padding: 'x'.repeat(2 ** 21) })],
    [
      'a redirect, which would carry the key',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    ],
  ])('fails with DATA_SOURCE_ERROR for %s', async (_what, step) => {
    expect((await failure(await serve(make, [step]))).code).toBe('DATA_SOURCE_ERROR');
    expect(server.requests).toHaveLength(1);
  });
  it('fails with TIMEOUT for a provider that stops in the middle beyond the deadline', async () => {
    const deadline = new AbortController();
    const onRequest: Step = (response) => {
      response.writeHead(200).write('{"web":');
      deadline.abort(new DOMException('The deadline is over', 'TimeoutError'));
    };
    const search = await serve(make, [onRequest]);
    expect((await failure(search, { signal: deadline.signal })).code).toBe('TIMEOUT');
    expect(server.requests).toHaveLength(1);
  });
  it('hides errors of fetch, as they may quote the address', async () => {
    const broken: typeof fetch = (input) =>
      Promise.reject(new TypeError(`Cannot load ${String(input)} with ${KEY}`));
    expect((await failure(await serve(make, [], { fetch: broken }))).code).toBe(
      'DATA_SOURCE_ERROR',
    );
  });
});
