import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openaiChat } from '../../src/ai/openai-chat.ts';
import { oidcTokens } from '../../src/gateway/access/oidc.ts';
import { hostKbClient } from '../../src/knowledge/library/host-kb-client.ts';
import { websiteArticles } from '../../src/knowledge/sources/website-articles.ts';
import { providerJson } from '../../src/librarians/web-search/web-search.ts';
import { upstashVectorIndex } from '../../src/platform/storage/upstash-vector-index.ts';
import { helpdeskApi } from '../../src/support/tools/helpdesk-api.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDeskId,
} from '../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { idsOf, readAll, sourceFrom } from '../knowledge/sources/read-source.ts';
import { loopbackServer } from '../platform/http/loopback-server.ts';
import replies from '../support/tools/fixtures/cloud-replies.json' with { type: 'json' };

/**
 * Sends a byte every tenth of a second, without end: no pause is long enough for a timeout between two bytes, and no body too long. Below
 * `/endless`, and wherever `isEndless` says so; otherwise what `reply` says.
 */
type Reply = { type?: string; body: string } | undefined;
const closing: (() => Promise<void>)[] = [];
const serverOf = async (reply: (path: string) => Reply | 'endless') => {
  const { url, close } = await loopbackServer(({ url: path = '/' }, response) => {
    const given = reply(path);
    if (given === undefined) return void response.writeHead(404).end();
    const { type = 'text/html', body = '<' } = given === 'endless' ? {} : given;
    const isJson = given === 'endless' && !/\.(?:html|txt|xml)$|^\/$/.test(path);
    response.writeHead(200, { 'content-type': isJson ? 'application/json' : type });
    if (given !== 'endless') return void response.end(body);
    response.write(isJson ? '{' : '<p>');
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  });
  closing.push(close);
  return url;
};

let helpdesks: LocalHelpdesks;
let endless: string;
beforeAll(async () => {
  helpdesks = await startHelpdesks({ now: Date.now });
  endless = await serverOf(() => 'endless');
});
afterAll(() => Promise.all([helpdesks.stop(), ...closing.map((close) => close())]));

/** Seconds that something takes, and its outcome. */
const timed = async <T>(work: Promise<T>) => {
  const startedAt = performance.now();
  const outcome = await work.then(
    (value) => ({ value, error: undefined }),
    (error: Error) => ({ value: undefined, error }),
  );
  return { ...outcome, seconds: (performance.now() - startedAt) / 1000 };
};

/** What leads to endless replies where the address says so. */
const endlessWhere =
  (pattern: RegExp): typeof fetch =>
  (input, init) =>
    fetch(pattern.test(String(input)) ? `${endless}/reply` : input, init);

describe.concurrent('a web site', () => {
  const page = (title: string) => ({
    body: `<main><h1>${title}</h1><p>Text of ${title}.</p></main>`,
  });
  const siteOf = async (paths: Record<string, Reply | 'endless'>) => {
    const url = await serverOf((path) => paths[path]);
    const listed = Object.keys(paths).filter((path) => path.endsWith('.html'));
    if (!Object.hasOwn(paths, '/sitemap.xml')) {
      const entries = listed.map((path) => `<url><loc>${url}${path}</loc></url>`).join('');
      paths['/sitemap.xml'] = { type: 'application/xml', body: `<urlset>${entries}</urlset>` };
    }
    const site = { url: `${url}/`, exclude: [], maxPages: 100, pauseMs: 0 };
    return websiteArticles(site, { fetch, now: Date.now, sleep: async () => undefined });
  };
  it('is read without the page that does not end, which keeps its id', async () => {
    const source = await siteOf({
      '/a.html': page('A'),
      '/b.html': 'endless',
      '/c.html': page('C'),
    });
    const { value = [], seconds } = await timed(readAll(source));
    expect(idsOf(value)).toEqual(['a.html', 'unreadable b.html', 'c.html']);
    expect(seconds).toBeLessThan(15);
  });
  it('fails when page after page does not end', async () => {
    const paths = Array.from({ length: 6 }, (_, at) => [`/${at}.html`, 'endless'] as const);
    const { error, seconds } = await timed(readAll(await siteOf(Object.fromEntries(paths))));
    expect(error?.message).toMatch(/3 pages one after the other did not end in time/);
    expect(seconds).toBeLessThan(35);
  });
  it.each(['/robots.txt', '/sitemap.xml'])(
    'fails when %s does not end, and says so',
    async (path) => {
      const { error, seconds } = await timed(
        readAll(await siteOf({ '/a.html': page('A'), [path]: 'endless' })),
      );
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/does not end in time/),
      });
      expect(seconds).toBeLessThan(12);
    },
  );
});

describe.concurrent('a repository at GitHub', () => {
  const setting = { tool: 'github', repository: 'acme/docs', folder: 'docs/' };
  const read = async (endlessPath: RegExp) => {
    const apiUrl = await serverOf((path) => {
      if (endlessPath.test(path)) return 'endless';
      const body = (replies.github as Record<string, unknown>)[`GET ${path}`];
      return body === undefined
        ? undefined
        : { type: 'application/json', body: JSON.stringify(body) };
    });
    return timed(readAll(sourceFrom({ ...setting, apiUrl }).source));
  };
  it('is read without the file that does not end', async () => {
    const { value = [], seconds } = await read(/\/blobs\/c+$/);
    expect(idsOf(value)).toEqual(['unreadable guides/reset.md', 'unreadable huge.md', 'index.mdx']);
    expect(seconds).toBeLessThan(15);
  });
  it.each([/\/commits\//, /\/trees\//])('fails when its listing does not end: %s', async (path) => {
    const { error, seconds } = await read(path);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(seconds).toBeLessThan(20);
  });
});

it.concurrent('pages of Notion are read without the one that does not end', async () => {
  const { pages, markdown } = replies.notion;
  const apiUrl = await serverOf((path) => {
    if (path === '/v1/pages/p1/markdown') return 'endless';
    const [, id] = /^\/v1\/pages\/(\w+)\/markdown$/.exec(path) ?? [];
    const list = {
      object: 'list',
      results: [pages.p1, pages.p2],
      has_more: false,
      next_cursor: null,
    };
    const body = id === undefined ? list : markdown[id as keyof typeof markdown];
    return { type: 'application/json', body: JSON.stringify(body) };
  });
  const { value = [], seconds } = await timed(
    readAll(sourceFrom({ tool: 'notion', apiUrl }).source),
  );
  expect(idsOf(value)).toEqual(['unreadable p1', 'p2']);
  expect(seconds).toBeLessThan(15);
});

describe('a helpdesk', () => {
  const OWN: Record<LocalDeskId, object> = {
    chatwoot: { accountId: '1', portal: 'help', locales: ['en'] },
    zendesk: { email: 'assistant@support.example.com' },
    intercom: {},
    zammad: {},
    'help-scout': {},
  };
  const sourceOf = (tool: LocalDeskId, send: typeof fetch) => {
    const { apiUrl, token } = helpdesks.desks[tool].articleSource;
    return sourceFrom({ tool, apiUrl, ...OWN[tool] }, { send, token }).source;
  };
  describe.concurrent('with articles of a call each', () => {
    it.each([
      ['help-scout', (id: string) => new RegExp(`/v1/articles/${id}$`)],
      ['zammad', (id: string) => new RegExp(`/answers/${id}\\?`)],
    ] as const)('is read without the one that does not end: %s', async (tool, callOf) => {
      const locale = tool === 'zammad' ? 'en-us' : 'en';
      const add = (title: string) =>
        helpdesks.desks[tool].articles.add({ title, body: `<p>${title}</p>`, locale });
      const late = add('late');
      add('in time');
      const { value = [], seconds } = await timed(
        readAll(sourceOf(tool, endlessWhere(callOf(late)))),
      );
      expect(
        value
          .map((one) => ('title' in one ? one.title : `unreadable ${one.unreadableId}`))
          .toSorted(),
      ).toEqual(['in time', `unreadable ${late}`]);
      expect(seconds).toBeLessThan(15);
    });
  });
  it.concurrent.each(LOCAL_DESK_IDS)('fails when its listing does not end: %s', async (tool) => {
    const { error, seconds } = await timed(readAll(sourceOf(tool, endlessWhere(/./))));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(seconds).toBeLessThan(20);
  });
  it.concurrent('fails in ten seconds when the reply about a ticket does not end', async () => {
    const signal = AbortSignal.timeout(60_000);
    const api = helpdeskApi({
      tool: 'Tool',
      apiUrl: endless,
      now: Date.now,
      fetch,
      signal,
      headers: async () => ({}),
    });
    const { error, seconds } = await timed(
      api.call({ action: 'read a ticket', path: '/tickets/1', reply: z.object({}) }),
    );
    expect(error).toMatchObject({ isTransient: true });
    expect(seconds).toBeLessThan(15);
  });
});

describe.concurrent('a service', () => {
  const signal = AbortSignal.timeout(60_000);
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'host knowledge base',
      () => {
        const options = {
          timeoutMs: 1000,
          now: Date.now,
          random: () => 0,
          sleep: async () => undefined,
          fetch,
        };
        const allowed = { hosts: [new URL(endless).host], allowsLocal: true };
        return hostKbClient(
          { url: `${endless}/api/kb/articles` },
          { ...options, allowed },
        ).readPage({});
      },
      /no answer within 1000 ms/,
    ],
    [
      'discovery of an identity provider',
      () =>
        oidcTokens([
          { issuer: endless, audience: 'https://kb.example.com', grants: [] },
        ]).metadataOf(endless),
      /identity provider/,
    ],
    [
      'web search',
      () =>
        providerJson({
          url: new URL(`${endless}/search`),
          secret: 'KEY',
          fetch,
          timeoutMs: 1000,
          signal,
          now: Date.now,
        }),
      /in time|too slow|slow/i,
    ],
    [
      'vector store',
      () =>
        upstashVectorIndex({
          url: endless,
          token: 'token',
          namespace: 'kb',
          dimensions: 2,
          timeoutMs: 1000,
        }).query([1, 0], { limit: 1 }),
      /Cannot/,
    ],
    [
      'chat model',
      () =>
        openaiChat({ apiKey: 'k', baseURL: `${endless}/v1`, model: 'm', timeoutMs: 1000 }).complete(
          [{ role: 'user', content: 'Hello' }],
        ),
      /Cannot complete with the model/,
    ],
  ])('fails in time: %s', async (_, call, message) => {
    const { error, seconds } = await timed(call());
    expect(error?.message).toMatch(message);
    expect(seconds).toBeLessThan(12);
  });
});
