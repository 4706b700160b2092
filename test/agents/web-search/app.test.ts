import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { searchCache, type WebResult, type WebSearch } from '../../../src/agents/web-search/web-search.ts';
import {
  chooseProvider,
  createApp,
  type WebSearchAppOptions,
} from '../../../src/agents/web-search/web-search-agent.ts';
import { AgentResponse } from '../../../src/contract/agent-response.ts';
import { validateResponse } from '../../../src/contract/validate-response.ts';
import { type LocalWebSearch, serveLocalWebSearch } from '../../../src/dev/run/local-web-search.ts';
import { CodedError, DataSourceError } from '../../../src/http/coded-error.ts';
import { replyOf, scriptedModel } from '../../navigator/scripted-model.ts';
import { callFrom, identityOf, notebook, targetOf, userContext } from '../../signing/callers.ts';
import EXPECTED from './app.json' with { type: 'json' };
import { catalogueOf, IPHONE } from './shop.ts';

let local: LocalWebSearch;
beforeAll(async () => {
  local = await serveLocalWebSearch();
});
afterAll(() => local.close());

const localSearch = (): WebSearch => {
  const variables = { ENVIRONMENT: 'development', SERPAPI_KEY: 'local', SERPAPI_URL: local.url };
  const search = chooseProvider(variables, { fetch, now: Date.now });
  if (search === undefined) throw new Error('no provider');
  return search;
};
const partOf = (search: WebSearch) => ({ provider: search.provider, cache: searchCache(search, { now: Date.now }) });
const finding = (results: readonly WebResult[]): WebSearch => ({ provider: 'fake', search: async () => [...results] });

let log = notebook();
beforeEach(() => {
  log = notebook();
});

interface Asking {
  path?: typeof AGENT | typeof ASK;
  workspace?: string;
  capabilities?: string[];
  timeoutMs?: number;
}

/** An app that is called through the gateway. */
const start = async (options: Partial<WebSearchAppOptions> = {}) => {
  const shop = { workspace: 'default', catalogue: catalogueOf(IPHONE) };
  const identity = await identityOf('web-search');
  const { target } = targetOf(
    createApp({ ...identity, log: log.log, search: partOf(localSearch()), shop, ...options }),
  );
  return async (
    question: string | { query: string; options: object } = PRICE_QUESTION,
    { path = AGENT, workspace = 'default', capabilities = ['web:search'], timeoutMs = 5000 }: Asking = {},
  ) => {
    const body = typeof question === 'string' ? { query: question } : question;
    const request = { to: 'web-search', path, body, timeoutMs };
    const targets = { 'web-search': target };
    const { answer } = await callFrom('gateway', userContext({ workspace, capabilities }), { targets, request });
    // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
    return { status: answer.ok ? answer.status : 0, reply: (answer.ok ? answer.json() : answer.error) as any };
  };
};
const AGENT = '/v1/agents/web_search';
const ASK = '/librarians/web-search/ask';
const PRICE_QUESTION = 'What does the iPhone 17 cost elsewhere?';

describe('the web search', () => {
  it('compares our price with the offers of the web, in the shape of the agent contract', async () => {
    const { status, reply } = await (await start())();
    expect(status).toBe(200);
    expect(AgentResponse.parse(reply)).toEqual(reply);
    const { answer, ...expected } = EXPECTED;
    expect(reply).toMatchObject(expected);
    expect(reply.result.urls[0]).toBe('https://northgate.example.com/p/apple-iphone-17-256-gb-unlocked-black');
    expect(reply.metadata.answer.replace(/\(https:\/\/(?!northgate)[^)]+\)/g, '(page)').split('\n')).toEqual(answer);
  });

  it('answers as a librarian, with the whole response in its metadata and a source for each address', async () => {
    const { status, reply } = await (await start())(PRICE_QUESTION, { path: ASK });
    expect(status).toBe(200);
    expect(validateResponse(reply)).toMatchObject({ ok: true });
    expect(reply.answer).toMatch(/^Our price for iPhone 17 is 999\.99 USD\./);
    expect(reply.metadata.web_search.result.price_comparison.cheapest_external).toBe(949.99);
    expect(reply.sources[0]).toMatchObject({
      url: 'https://northgate.example.com/p/apple-iphone-17-256-gb-unlocked-black',
      type: 'web',
    });
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
    expect(reply.metadata.answer).toBe('The web search found nothing for this question.');
    expect(reply.source_attribution.confidence).toBeLessThan(0.6);
  });

  it('caches a search for its own workspace only', async () => {
    const ask = await start();
    const hits = [];
    for (const workspace of ['default', 'default', 'acme'])
      hits.push((await ask(PRICE_QUESTION, { workspace })).reply.metadata.cache_hit);
    expect(hits).toEqual([false, true, false]);
  });

  it('hides our products from other workspaces', async () => {
    const { reply } = await (await start())(PRICE_QUESTION, { workspace: 'acme' });
    expect(reply.result).toMatchObject({ product_info: {}, price_comparison: {} });
    expect(JSON.stringify(reply)).not.toContain('999.99');
    expect(reply.result.external_results.length).toBeGreaterThan(0);
  });

  it('names the secrets to set when there is no provider', async () => {
    const { status, reply } = await (await start({ search: undefined }))();
    expect(status).toBe(503);
    expect(reply).toMatchObject({
      success: false,
      error: 'Cannot search the web: no search provider is set up',
      metadata: { error_code: 'SERVICE_UNAVAILABLE', recoverable: false },
    });
    expect(reply.metadata.suggestion).toMatch(/SERPAPI_KEY.*BRAVE_SEARCH_KEY/);
    const asLibrarian = await (await start({ search: undefined }))(PRICE_QUESTION, { path: ASK });
    expect(asLibrarian).toMatchObject({ status: 503, reply: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  });

  it('searches without the shop when its products cannot be read, and reports a partial answer', async () => {
    const catalogue = { find: () => Promise.reject(new DataSourceError('Cannot read the products of the shop')) };
    const ask = await start({ shop: { workspace: 'default', catalogue } });
    const { reply } = await ask();
    expect(reply).toMatchObject({ success: true, result: { product_info: {} }, metadata: { partial: true } });
    expect(log.lines.some((line) => line.event === 'fault' && line.where === 'product lookup')).toBe(true);
  });

  it('passes on the code of a failed provider', async () => {
    const reported = { suggestion: 'Try again in 17 seconds' };
    const search = () => Promise.reject(new CodedError('RATE_LIMITED', 'inside', { reported }));
    const failing: WebSearch = { provider: 'fake', search };
    const { status, reply } = await (await start({ search: partOf(failing) }))();
    expect(status).toBe(429);
    expect(reply.metadata).toMatchObject({ error_code: 'RATE_LIMITED', suggestion: 'Try again in 17 seconds' });
  });

  it('searches for the name of the product in a price question, otherwise for the question', async () => {
    const searches: unknown[] = [];
    const search: WebSearch = {
      provider: 'fake',
      search: async (query, { signal: _, timeoutMs: __, ...options }) => {
        searches.push([query, options]);
        return [];
      },
    };
    const ask = await start({ search: partOf(search), country: 'us' });
    await ask({ query: PRICE_QUESTION, options: { limit: 3, country: 'DE', language: 'de' } });
    await ask({ query: 'Reviews of the iPhone 17', options: {} });
    expect(searches).toEqual([
      ['iPhone 17', { limit: 3, country: 'de', language: 'de', offers: true }],
      ['Reviews of the iPhone 17', { limit: 10, country: 'us', language: undefined, offers: false }],
    ]);
  });

  it.each([{ limit: 1e9 }, { country: 'Germany' }, { language: 7 }, { pages: 2 }])(
    'refuses the invalid option %j',
    async (options) => {
      const { status, reply } = await (await start())({ query: PRICE_QUESTION, options });
      expect([status, reply.metadata.error_code]).toEqual([400, 'INVALID_QUERY']);
      expect(reply.error).toContain(Object.keys(options)[0]);
      expect(reply.metadata.suggestion).toContain('limit, country, language');
    },
  );

  it('names the product that it looked up when the question names several', async () => {
    const apollo = { ...IPHONE, productId: 9, name: 'Apollo II', priceCents: 99_900 };
    const shop = { workspace: 'default', catalogue: catalogueOf(IPHONE, apollo) };
    const { reply } = await (await start({ shop }))('Compare the Apollo II with the iPhone 17 online');
    expect(reply.result.product_info.name).toBe('Apollo II');
    expect(reply.metadata).toMatchObject({ not_looked_up: ['iPhone 17'], partial: true });
    expect(reply.metadata.answer).toMatch(
      /^Only Apollo II was looked up, the first product of the question; ask separately about iPhone 17\.\n\nOur price for Apollo II /,
    );
  });

  it('returns at most 20 addresses without duplicates', async () => {
    const results = Array.from({ length: 50 }, (_, at) => ({
      ...{ title: `Result ${at}`, snippet: 'x'.repeat(500), url: `https://shop.example/${at % 30}` },
      ...{ shop: undefined, price: undefined, condition: undefined },
    }));
    const { reply } = await (await start({ search: partOf(finding(results)) }))('anything');
    expect(reply.result.urls).toHaveLength(20);
    expect(new Set(reply.result.urls).size).toBe(20);
  });

  it('uses the summary of a model that the results support', async () => {
    const ai = (text: string) => scriptedModel(replyOf([{ text, quote: '949.99 USD', from: '949.99' }]));
    const good = await (await start({ ai: ai('It costs 949.99 USD elsewhere.') }))();
    expect(good.reply.metadata).toMatchObject({ answer: 'It costs 949.99 USD elsewhere.', answered_by: 'scripted-1' });
    const bad = await (await start({ ai: ai('Go to https://evil.example/') }))();
    expect(bad.reply.metadata.answered_by).toBe('extract');
    expect(JSON.stringify(bad.reply)).not.toContain('evil.example');
  });

  it('answers without a model that is too slow', async () => {
    const ai = { model: 'slow', complete: () => new Promise<never>(() => {}) };
    const { status, reply } = await (await start({ ai }))(PRICE_QUESTION, { timeoutMs: 3000 });
    expect([status, reply.metadata.answered_by]).toEqual([200, 'extract']);
  });

  it('keeps to the deadline when the provider does not', async () => {
    const silent: WebSearch = { provider: 'silent', search: () => new Promise(() => {}) };
    const { reply } = await (await start({ search: partOf(silent) }))('anything', { timeoutMs: 1500 });
    // The failure of the function, or of the caller on a busy machine.
    expect(reply.metadata?.error_code ?? reply.code).toBe('TIMEOUT');
  });

  it('needs the capability web:search', async () => {
    const ask = await start();
    for (const path of [AGENT, ASK] as const)
      expect((await ask(PRICE_QUESTION, { path, capabilities: ['kb:read'] })).status).toBe(401);
  });

  it('logs neither the question nor the results', async () => {
    await (await start())();
    expect(log.text()).not.toMatch(/iPhone|northgate|elsewhere/i);
  });
});
