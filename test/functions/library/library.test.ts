import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../../src/contract/core/error-info.ts';
import { ArticleListing, HostArticle } from '../../../src/contract/wire/host-article.ts';
import { OUTLINE } from '../../../src/documents/markdown/article-outline.ts';
import { searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { CONTEXT_HEADER } from '../../../src/platform/context/limits.ts';
import { mintContext } from '../../../src/platform/context/link-claims.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import { utf8 } from '../../../src/platform/encoding.ts';
import { EditionManifest, sha256Hex } from '../../../src/platform/storage/edition-storage.ts';
import type { LocalCloud } from '../../../tools/run/local-cloud.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDesk,
  type LocalDeskId,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';
import { DEVELOPMENT, libraryIn, serveHost, startLibrary } from './served-library.ts';

const PAGE = 3;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The articles of the host. */
let articles: unknown[] = [];
let host: Awaited<ReturnType<typeof serveHost>>;
let helpdesks: LocalHelpdesks;
let cloud: LocalCloud;

const secretOf = (id: LocalDeskId) => `${id.toUpperCase().replace('-', '_')}_ARTICLES`;

/** Settings as an operator writes them, one workspace per tool. */
const settingsOf = ({ id, articleSource: { apiUrl, options } }: LocalDesk) => {
  const own: Partial<Record<LocalDeskId, object>> = {
    chatwoot: { accountId: options.accountId, portal: options.portal, locales: ['en', 'de'] },
    zendesk: { email: options.email },
  };
  const labels = {
    billing: { intent: 'refund' },
    shipping: { intent: 'shipping' },
    'apollo-2': { device: 'Apollo II' },
  };
  return { tool: id, apiUrl, tokenSecret: secretOf(id), labels, ...own[id] };
};

beforeAll(async () => {
  host = await serveHost((request, response) => {
    const offset = Number(
      new URL(request.url ?? '/', 'http://host').searchParams.get('cursor') ?? 0,
    );
    const end = offset + PAGE;
    const next = end < articles.length ? { next_cursor: String(end) } : {};
    const page = { articles: articles.slice(offset, end), total: articles.length, ...next };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(page));
  });
  helpdesks = await startHelpdesks();
  const desks = Object.values(helpdesks.desks);
  const bySources = [...LOCAL_DESK_IDS, 'elsewhere'].map((id) => [id, { url: 'sources' }]);
  const nowhere = { url: 'http://127.0.0.1:1/api/kb/articles' };
  const KB_SOURCES = JSON.stringify({
    acme: { url: host.url },
    nowhere,
    ...Object.fromEntries(bySources),
  });
  const sources = {
    ARTICLE_SOURCES: JSON.stringify(
      Object.fromEntries(desks.map((desk) => [desk.id, settingsOf(desk)])),
    ),
    ...Object.fromEntries(desks.map((desk) => [secretOf(desk.id), desk.articleSource.token])),
  };
  cloud = await startLibrary({ ...host.variables, KB_SOURCES }, { sources });
});

afterAll(async () => {
  await cloud?.stop();
  await helpdesks?.stop();
  host?.stop();
});
beforeEach(() => helpdesks.faults.none());

const { call, status, untilIdle, sync, edition } = libraryIn(() => cloud);
const libraryWorker = () => cloud.miniflare.getWorker('constellation-library');

const search = async (query: string, workspace?: string) => {
  const opened = await edition(workspace);
  return searchEdition(opened, query).hits.map(({ article }) => opened.article(article).id);
};

/** A written article is published some seconds later. */
const untilFound = async (query: string, ids: string[]): Promise<void> => {
  await expect.poll(() => search(query), { timeout: 60_000, interval: 200 }).toEqual(ids);
};

const FRUIT = ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape'];
const fruits = () =>
  FRUIT.map((fruit) =>
    hostArticle(`fruit/${fruit}.md`, `## Growing\n\nThe ${fruit} grows slowly.`),
  );

describe('the library in workerd', () => {
  it('reports that nothing was synced yet', async () => {
    expect(await status()).toMatchObject({
      state: 'idle',
      edition: null,
      articles: 0,
      last_report: null,
    });
    expect((await call('GET /editions/current')).status).toBe(404);
  });

  it('syncs a host over HTTP, page by page, finds its articles, and writes nothing when nothing differs', async () => {
    articles = fruits();
    expect(await sync({})).toMatchObject({
      outcome: 'published',
      full: true,
      added: 7,
      skipped_count: 0,
    });
    expect(await search('how does the banana grow')).toEqual(
      expect.arrayContaining(['fruit/banana.md']),
    );
    expect(await sync()).toMatchObject({ outcome: 'unchanged', unchanged: 7, writes: 0 });
  });

  it('returns the current edition', async () => {
    const manifest = EditionManifest.parse((await call('GET /editions/current')).json);
    expect(manifest).toMatchObject({ workspace: 'default', articles: 7, chunks: 7 });
    const { body } = await call(`GET /editions/${manifest.edition}/parts/0`);
    expect(await sha256Hex(body)).toBe(manifest.parts[0]?.sha256);
    expect((await call(`GET /editions/${manifest.edition}/parts/1`)).status).toBe(404);
  });

  it('lists articles in pages with a cursor and a Link header', async () => {
    const first = await call('GET /api/kb/articles?limit=5');
    const listing = ArticleListing.parse(first.json);
    expect([listing.total, listing.articles.length]).toEqual([7, 5]);
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    expect(new URL(link ?? '', 'http://host').searchParams.get('cursor')).toBe(listing.next_cursor);
    const second = ArticleListing.parse((await call(`GET ${link}`)).json);
    const ids = [...listing.articles, ...second.articles].map(({ id }) => id);
    expect([ids, second.next_cursor]).toEqual([
      FRUIT.map((fruit) => `fruit/${fruit}.md`),
      undefined,
    ]);
  });

  it('stores an article, shows it, and finds it', async () => {
    const content =
      '---\nintent: [growing]\n---\n\n# Quince\n\nThe quince <script>alert(1)</script>ripens late.';
    const path = '/api/kb/articles/own/quince.md';
    const put = () => call(`PUT ${path}`, { body: { title: 'Quince', content } });
    const { status: code, json } = await put();
    const metadata = { intent: ['growing'] };
    expect([code, HostArticle.parse(json)]).toMatchObject([
      201,
      { id: 'own/quince.md', content, metadata },
    ]);
    expect(HostArticle.parse((await call(`GET ${path}`)).json).content).toBe(content);
    const text = '# Quince\n\nThe quince ripens late.';
    expect((await call('GET /api/kb/text/own/quince.md')).json).toEqual({
      id: 'own/quince.md',
      owner: 'local',
      text,
      language: expect.any(String),
      left_out: [{ kind: 'script', count: 1, samples: ['alert(1)'] }],
      warnings: ['Dropped scripts or other active HTML from the content'],
    });
    expect((await put()).status).toBe(200);
    await untilFound('quince', ['own/quince.md']);
  });

  const NEW = { title: 'T', content: 'x' };
  it.each<[route: string, body?: unknown]>([
    ...['limit=0', 'limit=501', 'updated_since=soon', 'cursor=nonsense', 'colour=red'].map(
      (query): [string] => [`GET /api/kb/articles?${query}`],
    ),
    ['PUT /api/kb/articles/a%2F..%2Fb', NEW],
    ['PUT /api/kb/articles/x.md', { ...NEW, content: ' ' }],
    ['PUT /api/kb/articles/x.md', { ...NEW, content: `# T\n\n${OUTLINE.answer.en}` }],
    ['PUT /api/kb/articles/x.md', { ...NEW, content: `# T\n\n(${OUTLINE.personal.de} Ja.)` }],
    ['PUT /api/kb/articles/x.md', { ...NEW, id: 'y.md' }],
    ['PUT /api/kb/articles/x.md', { ...NEW, more: 1 }],
    ['PUT /api/kb/articles/x.md', { ...NEW, content: 'x'.repeat(500_001) }],
    ['POST /v1/sync', { full: 'yes' }],
  ])('refuses %s', async (route, body) => {
    const { status: code, json } = await call(route, { body });
    if (route.includes('..')) expect([400, 404]).toContain(code);
    else expect([code, json]).toMatchObject([400, { error: { code: 'INVALID_QUERY' } }]);
  });

  it('deletes an article permanently, though the host still lists it', async () => {
    expect((await call('DELETE /api/kb/articles/fruit/cherry.md')).status).toBe(204);
    expect((await call('DELETE /api/kb/articles/fruit/cherry.md')).status).toBe(404);
    await untilFound('cherry', []);
    await sync();
    expect((await call('GET /api/kb/articles/fruit/cherry.md')).status).toBe(404);
  });

  it.each([
    [
      'is not on the list',
      'nowhere',
      'Cannot read the article list: the address is of a host that is not allowed',
    ],
    ['is an unknown tool of the sources function', 'elsewhere', 'status is 404'],
  ])('reads nothing for a workspace whose host %s', async (_, workspace, problem) => {
    const error = { message: expect.stringContaining(problem) };
    expect(await sync({}, workspace)).toMatchObject({ outcome: 'failed', edition: null, error });
  });

  it('skips an article of 5 MB, warns of broken front matter, and accepts the others', async () => {
    const broken = hostArticle('broken.md', '---\ntitle: "open\n---\nThe durian smells.');
    articles = [...fruits(), hostArticle('huge.md', 'x'.repeat(5_000_000)), broken];
    expect(await sync()).toMatchObject({
      outcome: 'published',
      added: 1,
      skipped_count: 1,
      warning_count: 1,
      skipped: [
        {
          id: 'huge.md',
          reason: 'Cannot take in the article: content is longer than 500000 characters',
        },
      ],
      warnings: [{ id: 'broken.md' }],
    });
    await untilFound('durian', ['broken.md']);
  });

  it('syncs every workspace on schedule', async () => {
    articles = fruits();
    const before = (await status()).last_report?.run_id;
    await (await libraryWorker()).scheduled({ cron: '5 * * * *' });
    await expect.poll(async () => (await untilIdle()).run_id, { timeout: 60_000 }).not.toBe(before);
    expect(await untilIdle()).toMatchObject({
      full: false,
      outcome: expect.not.stringMatching('failed'),
    });
  });

  it('separates workspaces', async () => {
    articles = [hostArticle('secret.md', 'The canary sings.')];
    await sync({}, 'acme');
    expect([await search('canary', 'acme'), await search('canary')]).toEqual([['secret.md'], []]);
    expect((await call('GET /api/kb/articles/secret.md')).status).toBe(404);
    const manifest = EditionManifest.parse(
      (await call('GET /editions/current', { workspace: 'acme' })).json,
    );
    expect((await call(`GET /editions/${manifest.edition}/parts/0`)).status).toBe(404);
  });

  it.each([
    ['GET /api/kb/articles', ['kb:write']],
    ['PUT /api/kb/articles/x.md', ['kb:read']],
    ['DELETE /api/kb/articles/x.md', ['kb:read']],
    ['POST /v1/sync', ['kb:read']],
    ['GET /editions/current', []],
  ])('refuses %s without the capability', async (route, capabilities) => {
    expect(
      (await call(route, { capabilities, ...(route.startsWith('P') ? { body: {} } : {}) })).status,
    ).toBe(401);
  });

  it('refuses calls without a context', async () => {
    const worker = await libraryWorker();
    expect((await worker.fetch('http://library/api/kb/articles')).status).toBe(401);
    expect((await worker.fetch('http://library/librarians/library')).status).toBe(200);
  });
});

describe.each(LOCAL_DESK_IDS)('articles of %s in the library', (tool) => {
  const center = () => helpdesks.desks[tool].articles;
  /** In the format of the tool. */
  const body = (name: string) =>
    tool === 'chatwoot'
      ? `## About ${name}\n\n1. Restart the ${name}\n\nThen ${name} works.`
      : `<h2>About ${name}</h2><ol><li>Restart the ${name}</li></ol><p>Then ${name} works.</p><script>alert(1)</script>`;
  const locale = tool === 'zendesk' || tool === 'zammad' ? 'en-us' : 'en';
  const add = (title: string, more: object = {}) =>
    center().add({ title, body: body(title), locale, ...more });
  const listed = async () => {
    const listing = await call('GET /api/kb/articles?limit=500', { workspace: tool });
    return ArticleListing.parse(listing.json).articles.filter(({ title }) =>
      title.startsWith('fan'),
    );
  };

  it('are the published ones, with structure, labels and addresses, until they are edited or removed', async () => {
    const [first, second, third] = [
      add('fan 0', { labels: ['billing', 'apollo-2', 'whatever'] }),
      add('fan 1'),
      add('fan 2'),
    ];
    add('fan draft', { state: 'draft' });
    add('fan private', { audience: 'private' });
    add('fan archived', { state: 'archived' });
    expect(await sync({ full: true }, tool)).toMatchObject({
      outcome: 'published',
      error: null,
      skipped_count: 0,
    });
    const titles = async () => (await listed()).map(({ title }) => title).toSorted();
    expect(await titles()).toEqual(['fan 0', 'fan 1', 'fan 2']);
    const id = `${tool}-${first}`;
    const metadata = tool === 'intercom' ? {} : { intent: ['refund'], device: ['Apollo II'] };
    const url = expect.stringMatching(new RegExp(`^${helpdesks.desks[tool].apiUrl}/`));
    expect((await listed()).find(({ title }) => title === 'fan 0')).toMatchObject({
      id,
      url,
      metadata,
    });
    const textOf = async (article: string) =>
      (await call(`GET /api/kb/text/${tool}-${article}`, { workspace: tool })).json as {
        text: string;
      };
    expect((await textOf(first)).text).toBe(
      '## About fan 0\n\n1. Restart the fan 0\n\nThen fan 0 works.',
    );

    center().edit(second, { body: body('belt') });
    expect(await sync({ full: false }, tool)).toMatchObject({
      full: false,
      changed: 1,
      removed: 0,
      error: null,
    });
    expect((await textOf(second)).text).toContain('Restart the belt');
    center().remove(third);
    expect(await sync({ full: true, force: true }, tool)).toMatchObject({
      full: true,
      error: null,
    });
    expect(await titles()).toEqual(['fan 0', 'fan 1']);
  });
});

describe('the sources function', () => {
  const list = async (query: string, self: 'gateway' | 'library' = 'library') => {
    const answer = await call(`GET /api/kb/articles?${query}`, {
      to: 'sources',
      workspace: 'zendesk',
      self,
    });
    return { status: answer.status, ...(answer.json as Partial<ArticleListing>) };
  };

  it('returns a listing in pages, filtered by intent, with the total on the last', async () => {
    const { articles: center } = helpdesks.desks.zendesk;
    for (let at = 0; at < 120; at += 1)
      center.add({
        title: `page ${at}`,
        body: '<p>Text</p>',
        locale: 'en-us',
        labels: at === 7 ? ['shipping'] : [],
      });
    const first = await list('limit=100');
    expect([first.total, first.next_cursor]).toEqual([undefined, expect.any(String)]);
    const second = await list(`limit=100&cursor=${first.next_cursor}`);
    const listed = [...(first.articles ?? []), ...(second.articles ?? [])].map(
      ({ title }) => title,
    );
    expect(listed.filter((title) => title.startsWith('page'))).toHaveLength(120);
    expect([second.total, second.next_cursor]).toEqual([listed.length, undefined]);
    expect((await list('intent=shipping')).articles?.map(({ title }) => title)).toEqual(['page 7']);
  });

  it('answers only the library, and refuses invalid queries', async () => {
    expect((await list('limit=5', 'gateway')).status).toBe(401);
    for (const query of ['limit=0', 'cursor=nonsense', 'updated_since=yesterday', 'offset=5'])
      expect((await list(query)).status).toBe(400);
  });
});

it('a library that stops in the middle of a sync continues it after a restart, and still refuses a replayed write', async () => {
  const state = await mkdtemp(join(tmpdir(), 'library-'));
  const { promise: asked, resolve: onSecondPage } = Promise.withResolvers<void>();
  let holds = true;
  const paged = await serveHost((request, response) => {
    const isSecond = request.url?.includes('cursor=2');
    if (isSecond && holds) return onSecondPage();
    const found = isSecond
      ? [hostArticle('b.md', 'Second page.')]
      : [hostArticle('a.md', 'First page.')];
    const page = { articles: found, total: 2, ...(isSecond ? {} : { next_cursor: '2' }) };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(page));
  });
  const { signer } = await identityFrom(DEVELOPMENT, 'gateway');
  let running = await startLibrary(paged.variables, { state });
  // Signed when it runs: a token lives for some seconds.
  const now = Date.now();
  const user = {
    self: 'gateway',
    subject: 'user:test',
    authentication: 'key',
    workspace: 'default',
  };
  const context = originate({ ...user, capabilities: ['kb:write'], now });
  const path = '/api/kb/articles/copied.md';
  const { token } = await mintContext(context, {
    signer,
    aud: 'library',
    op: `DELETE ${path}`,
    body: utf8(''),
    now,
  });
  const own = libraryIn(() => running);
  const write = async () => {
    const worker = await running.miniflare.getWorker('constellation-library');
    const init = { method: 'DELETE', headers: { [CONTEXT_HEADER]: token } };
    const response = await worker.fetch(`http://library${path}`, init);
    return [response.status, ErrorBody.parse(await response.json()).error.code];
  };
  try {
    expect(await write()).toEqual([404, 'NOT_FOUND']);
    expect(await write()).toEqual([401, 'UNAUTHORIZED']);
    await own.call('POST /v1/sync', { body: { full: true } });
    await asked;
    const { progress } = await own.status();
    await running.stop();
    holds = false;
    running = await startLibrary(paged.variables, { state });
    expect(await write()).toEqual([401, 'UNAUTHORIZED']);
    const last_report = { run_id: progress?.run_id, outcome: 'published', added: 2 };
    await expect
      .poll(() => own.status(), { timeout: 60_000 })
      .toMatchObject({ state: 'idle', articles: 2, last_report });
  } finally {
    await running.stop();
    paged.stop();
    await rm(state, { recursive: true, force: true });
  }
});
