import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { AgentResponse } from '../../../src/contract/wire/agent-response.ts';
import { searchCache, type WebSearch } from '../../../src/librarians/web-search/web-search.ts';
import { chooseProvider, createApp } from '../../../src/librarians/web-search/web-search-agent.ts';
import { CodedError, DataSourceError } from '../../../src/platform/http/coded-error.ts';
import { serveLocalWebSearch } from '../../../tools/run/local-web-search.ts';
import { replyOf, scriptedModel } from '../../answering/write/scripted-model.ts';
import {
  callFrom,
  identityOf,
  notebook,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';
import { atDeadline, startClock, stopClock } from '../agents/agents-for-test.ts';
import EXPECTED from './app.json' with { type: 'json' };
import { catalogueOf, IPHONE } from './shop.ts';

type WebSearchAppOptions = Parameters<typeof createApp>[0];

const local = await serveLocalWebSearch();
afterAll(() => local.close());

const localSearch = (): WebSearch => {
  const variables = { ENVIRONMENT: 'development', SERPAPI_KEY: 'local', SERPAPI_URL: local.url };
  const search = chooseProvider(variables, { fetch, now: Date.now });
  if (search === undefined) throw new Error('no provider');
  return search;
};
const partOf = (search: WebSearch) => ({
  provider: search.provider,
  cache: searchCache(search, { now: Date.now }),
});
let log = notebook();
beforeEach(() => {
  log = notebook();
});
afterEach(startClock);
const AGENT = '/v1/agents/web_search';
const ASK = '/librarians/web-search/ask';
const PRICE_QUESTION = 'What does the iPhone 17 cost elsewhere?';

/** Asks an app with these options through the gateway. */
const start = async (options: Partial<WebSearchAppOptions> = {}) => {
  const shop = { workspace: 'default', catalogue: catalogueOf(IPHONE) };
  const own = { ...(await identityOf('web-search')), log: log.log };
  const { target } = targetOf(
    createApp({ ...own, search: partOf(localSearch()), shop, ...options }),
  );
  return async (
    query = PRICE_QUESTION,
    {
      path = AGENT,
      options: asked = undefined as object | undefined,
      ...user
    }: {
      path?: string;
      options?: object;
      workspace?: string;
      capabilities?: string[];
    } = {},
  ) => {
    const body = asked === undefined ? { query } : { query, options: asked };
    const request = { to: 'web-search', path, body, timeoutMs: 10_000 };
    const context = userContext({ capabilities: ['web:search'], ...user });
    const { answer } = await callFrom('gateway', context, {
      targets: { 'web-search': target },
      request,
    });
    return {
      status: answer.ok ? answer.status : 0,
      // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
      reply: (answer.ok ? answer.json() : answer.error) as any,
    };
  };
};

it('compares our price with the offers of the web, in the shape of the agent contract', async () => {
  const { status, reply } = await (await start())();
  expect([status, AgentResponse.parse(reply)]).toEqual([200, reply]);
  const { answer, ...expected } = EXPECTED;
  expect(reply).toMatchObject(expected);
  expect(reply.result.urls[0]).toBe(
    'https://northgate.example.com/p/apple-iphone-17-256-gb-unlocked-black',
  );
  expect(
    reply.metadata.answer.replace(/\(https:\/\/(?!northgate)[^)]+\)/g, '(page)').split('\n'),
  ).toEqual(answer);
  expect(log.text()).not.toMatch(/iPhone|northgate|elsewhere/i);
});
it('answers as a librarian, with the whole response in its metadata and a source for each address', async () => {
  const { status, reply } = await (await start())(PRICE_QUESTION, { path: ASK });
  expect([status, validateResponse(reply)]).toMatchObject([200, { ok: true }]);
  expect(reply.answer).toMatch(/^Our price for iPhone 17 is 999\.99 USD\./);
  expect(reply.metadata.web_search.result.price_comparison.cheapest_external).toBe(949.99);
  const url = 'https://northgate.example.com/p/apple-iphone-17-256-gb-unlocked-black';
  expect(reply.sources[0]).toMatchObject({ url, type: 'web' });
});
it('answers other questions with the results, and compares nothing', async () => {
  const { reply } = await (await start())('Search the web for reviews of home miners');
  expect(reply.result).toMatchObject({ product_info: {}, price_comparison: {} });
  expect(reply.result.external_results.length).toBeGreaterThan(0);
  expect(reply.metadata.answer).toMatch(/^Found on the web:\n\n- \[.+\]\(https:/);
});
it('reports that nothing was found', async () => {
  const { reply } = await (await start())('xyzzy plugh');
  expect(reply).toMatchObject({ success: true, result: { external_results: [], urls: [] } });
  expect(reply.metadata.answer).toBe('I found nothing that answers this question.');
  expect(reply.source_attribution.confidence).toBeLessThan(0.6);
});
it('caches a search for its own workspace only, and hides our products from others', async () => {
  const ask = await start();
  const replies = [];
  for (const workspace of ['default', 'default', 'acme'])
    replies.push((await ask(PRICE_QUESTION, { workspace })).reply);
  expect(replies.map(({ metadata }) => metadata.cache_hit)).toEqual([false, true, false]);
  const other = replies.at(-1);
  expect(other.result).toMatchObject({ product_info: {}, price_comparison: {} });
  expect(JSON.stringify(other)).not.toContain('999.99');
  expect(other.result.external_results.length).toBeGreaterThan(0);
});
it('names the secrets to set when there is no provider', async () => {
  const ask = await start({ search: undefined });
  const { status, reply } = await ask();
  expect([status, reply]).toMatchObject([
    503,
    {
      success: false,
      error: 'Cannot search the web: no search provider is set up',
      metadata: { error_code: 'SERVICE_UNAVAILABLE', recoverable: false },
    },
  ]);
  expect(reply.metadata.suggestion).toMatch(/SERPAPI_KEY.*BRAVE_SEARCH_KEY/);
  const asLibrarian = await ask(PRICE_QUESTION, { path: ASK });
  expect(asLibrarian).toMatchObject({
    status: 503,
    reply: { error: { code: 'SERVICE_UNAVAILABLE' } },
  });
});
it('searches without the shop when its products cannot be read, and reports a partial answer', async () => {
  const catalogue = {
    find: () => Promise.reject(new DataSourceError('Cannot read the products of the shop')),
  };
  const { reply } = await (await start({ shop: { workspace: 'default', catalogue } }))();
  expect(reply).toMatchObject({
    success: true,
    result: { product_info: {} },
    metadata: { partial: true },
  });
  expect(log.lines).toContainEqual(
    expect.objectContaining({ event: 'fault', where: 'product lookup' }),
  );
});
it('passes on the code of a failed provider', async () => {
  const reported = { suggestion: 'Try again in 17 seconds' };
  const search = () => Promise.reject(new CodedError('RATE_LIMITED', 'inside', { reported }));
  const { status, reply } = await (await start({ search: partOf({ provider: 'fake', search }) }))();
  expect([status, reply.metadata]).toMatchObject([
    429,
    { error_code: 'RATE_LIMITED', ...reported },
  ]);
});
it('searches for the name of the product in a price question, otherwise for the question', async () => {
  const search = vi.fn<WebSearch['search']>(async () => []);
  const ask = await start({ search: partOf({ provider: 'fake', search }), country: 'us' });
  await ask(PRICE_QUESTION, { options: { limit: 3, country: 'DE', language: 'de' } });
  await ask('Reviews of the iPhone 17', { options: {} });
  expect(
    search.mock.calls.map(([query, { signal: _, timeoutMs: __, ...more }]) => [query, more]),
  ).toEqual([
    ['iPhone 17', { limit: 3, country: 'de', language: 'de', offers: true }],
    ['Reviews of the iPhone 17', { limit: 10, country: 'us', language: undefined, offers: false }],
  ]);
});

const INVALID_OPTIONS = [{ limit: 1e9 }, { country: 'Germany' }, { language: 7 }, { pages: 2 }];
it.each(INVALID_OPTIONS)('refuses the invalid option %j', async (options) => {
  const { status, reply } = await (await start())(PRICE_QUESTION, { options });
  expect([status, reply.metadata.error_code]).toEqual([400, 'INVALID_QUERY']);
  expect(reply.error).toContain(Object.keys(options)[0]);
  expect(reply.metadata.suggestion).toContain('limit, country, language');
});
it('names the product that it looked up when the question names several', async () => {
  const apollo = { ...IPHONE, productId: 9, name: 'Apollo II', priceCents: 99_900 };
  const shop = { workspace: 'default', catalogue: catalogueOf(IPHONE, apollo) };
  const { result, metadata } = (
    await (
      await start({ shop })
    )('Compare the Apollo II with the iPhone 17 online')
  ).reply;
  expect(result.product_info.name).toBe('Apollo II');
  expect(metadata).toMatchObject({ not_looked_up: ['iPhone 17'], partial: true });
  expect(metadata.answer).toMatch(
    /^Only Apollo II was looked up, the first product of the question; ask separately about iPhone 17\.\n\nOur price for Apollo II /,
  );
});
it('returns at most 20 addresses without duplicates', async () => {
  const results = Array.from({ length: 50 }, (_, at) => ({
    title: `Result ${at}`,
    snippet: 'x'.repeat(500),
    url: `https://shop.example/${at % 30}`,
    shop: undefined,
    price: undefined,
    condition: undefined,
  }));
  const search = partOf({ provider: 'fake', search: async () => results });
  const { urls } = (await (await start({ search }))('anything')).reply.result;
  expect([urls.length, new Set(urls).size]).toEqual([20, 20]);
});
it('uses the summary of a model only when the results support it', async () => {
  const summarised = async (text: string) => {
    const ai = scriptedModel(replyOf([{ text, quote: '949.99 USD', from: '949.99' }]));
    return (await (await start({ ai }))()).reply;
  };
  const [good, bad] = [
    await summarised('It costs 949.99 USD elsewhere.'),
    await summarised('Go to https://evil.example/'),
  ];
  expect(good.metadata).toMatchObject({
    answer: 'It costs 949.99 USD elsewhere.',
    answered_by: 'scripted-1',
  });
  expect(bad.metadata.answered_by).toBe('extract');
  expect(JSON.stringify(bad)).not.toContain('evil.example');
});
it('answers without a model that is too slow', async () => {
  stopClock();
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const complete = () => {
    resolve();
    return new Promise<never>(() => {});
  };
  const answer = (await start({ ai: { model: 'slow', complete } }))();
  await called;
  const { status, reply } = await atDeadline(answer);
  expect([status, reply.metadata.answered_by]).toEqual([200, 'extract']);
});
it.each([AGENT, ASK])('needs the capability web:search at %s', async (path) => {
  expect((await (await start())(PRICE_QUESTION, { path, capabilities: ['kb:read'] })).status).toBe(
    401,
  );
});
