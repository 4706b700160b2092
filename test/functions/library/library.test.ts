import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../../src/contract/error-info.ts';
import { ArticleListing, HostArticle } from '../../../src/contract/host-article.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDesk,
  type LocalDeskId,
} from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { searchEdition } from '../../../src/search/search-edition.ts';
import { utf8 } from '../../../src/signing/digest.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { CONTEXT_HEADER } from '../../../src/signing/limits.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { mintContext } from '../../../src/signing/sign-link.ts';
import { EditionManifest, sha256Hex } from '../../../src/storage/edition-storage.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';
import { callerOf, DEVELOPMENT, libraryBy, serveHost, startLibrary } from './served-library.ts';

const PAGE = 3;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The articles of the host. */
let articles: unknown[] = [];
let host: Awaited<ReturnType<typeof serveHost>>;
let helpdesks: LocalHelpdesks;
let harness: Awaited<ReturnType<typeof startLibrary>>;

const secretOf = (id: LocalDeskId) => `${id.toUpperCase().replace('-', '_')}_ARTICLES`;

/** Settings as an operator writes them, one workspace per tool. */
const settingsOf = ({ id, articleSource: { apiUrl, options } }: LocalDesk) => {
  const own: Partial<Record<LocalDeskId, object>> = {
    chatwoot: { accountId: options.accountId, portal: options.portal, locales: ['en', 'de'] },
    zendesk: { email: options.email },
  };
  const labels = { billing: { intent: 'refund' }, 'apollo-2': { device: 'Apollo II' } };
  return { tool: id, apiUrl, tokenSecret: secretOf(id), labels, ...own[id] };
};

beforeAll(async () => {
  host = await serveHost((request, response) => {
    const offset = Number(new URL(request.url ?? '/', 'http://host').searchParams.get('cursor') ?? 0);
    const end = offset + PAGE;
    const next = end < articles.length ? { next_cursor: String(end) } : {};
    const page = { articles: articles.slice(offset, end), total: articles.length, ...next };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(page));
  });
  helpdesks = await startHelpdesks();
  const desks = Object.values(helpdesks.desks);
  const bySources = [...LOCAL_DESK_IDS, 'elsewhere'].map((id) => [id, { url: 'sources' }]);
  const nowhere = { url: 'http://127.0.0.1:1/api/kb/articles' };
  const KB_SOURCES = JSON.stringify({ acme: { url: host.url }, nowhere, ...Object.fromEntries(bySources) });
  harness = await startLibrary(
    { ...host.variables, KB_SOURCES },
    {
      ARTICLE_SOURCES: JSON.stringify(Object.fromEntries(desks.map((desk) => [desk.id, settingsOf(desk)]))),
      ...Object.fromEntries(desks.map((desk) => [secretOf(desk.id), desk.articleSource.token])),
    },
  );
});

afterAll(async () => {
  await harness.close();
  await helpdesks.stop();
  host.stop();
});
beforeEach(() => helpdesks.faults.none());

const { call, status, untilIdle, sync, edition } = libraryBy(
  callerOf((to) => (url, init) => harness.getWorker(`constellation-${to}`).fetch(url, init)),
);

const search = async (query: string, workspace?: string) => {
  const opened = await edition(workspace);
  return searchEdition(opened, query).hits.map(({ article }) => opened.article(article).id);
};

/** A written article is published some seconds later. */
const untilFound = async (query: string, ids: string[]): Promise<void> => {
  await expect.poll(() => search(query), { timeout: 8000, interval: 200 }).toEqual(ids);
};

const FRUIT = ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape'];
const fruits = () => FRUIT.map((fruit) => hostArticle(`fruit/${fruit}.md`, `## Growing\n\nThe ${fruit} grows slowly.`));

describe('the library in workerd', () => {
  it('refuses a replayed write, in any isolate', async () => {
    const path = '/api/kb/articles/copied.md';
    const { signer } = await identityFrom(DEVELOPMENT, 'gateway');
    const now = Date.now();
    const user = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace: 'copies' };
    const context = originate({ ...user, capabilities: ['kb:write'], now });
    const { token } = await mintContext(context, { signer, aud: 'library', op: `DELETE ${path}`, body: utf8(''), now });
    const worker = harness.getWorker();
    const send = async () => {
      const response = await worker.fetch(path, { method: 'DELETE', headers: { [CONTEXT_HEADER]: token } });
      return [response.status, ErrorBody.parse(await response.json()).error.code];
    };
    expect(await send()).toEqual([404, 'NOT_FOUND']);
    const storage = await worker.getDurableObjectStorage('LIBRARIES', { name: 'copies' });
    expect(await storage.exec('SELECT count(*) AS calls FROM calls')).toEqual([{ calls: 1 }]);
    expect(await send()).toEqual([401, 'UNAUTHORIZED']);
  });

  it('reports that nothing was synced yet', async () => {
    expect(await status()).toMatchObject({ state: 'idle', edition: null, articles: 0, last_report: null });
    expect((await call('GET /editions/current')).status).toBe(404);
  });

  it('syncs a host over HTTP, page by page, finds its articles, and writes nothing when nothing differs', async () => {
    articles = fruits();
    expect(await sync({})).toMatchObject({ outcome: 'published', full: true, added: 7, skipped_count: 0 });
    expect(await search('how does the banana grow')).toEqual(expect.arrayContaining(['fruit/banana.md']));
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
    expect(link).toContain(`cursor=${listing.next_cursor}`);
    const second = ArticleListing.parse((await call(`GET ${link}`)).json);
    const ids = [...listing.articles, ...second.articles].map(({ id }) => id);
    expect([ids, second.next_cursor]).toEqual([FRUIT.map((fruit) => `fruit/${fruit}.md`), undefined]);
  });

  it('stores an article, shows it, and finds it', async () => {
    const content = '---\nintent: [growing]\n---\n\n# Quince\n\nThe quince <script>alert(1)</script>ripens late.';
    const path = '/api/kb/articles/own/quince.md';
    const put = () => call(`PUT ${path}`, { body: { title: 'Quince', content } });
    const { status: code, json } = await put();
    const metadata = { intent: ['growing'] };
    expect([code, HostArticle.parse(json)]).toMatchObject([201, { id: 'own/quince.md', content, metadata }]);
    expect(HostArticle.parse((await call(`GET ${path}`)).json).content).toBe(content);
    const text = '# Quince\n\nThe quince ripens late.';
    expect((await call('GET /api/kb/text/own/quince.md')).json).toEqual({ id: 'own/quince.md', text });
    expect((await put()).status).toBe(200);
    await untilFound('quince', ['own/quince.md']);
  });

  const NEW = { title: 'T', content: 'x' };
  it.each<[route: string, body?: unknown]>([
    ...['limit=0', 'limit=501', 'updated_since=soon', 'cursor=nonsense', 'colour=red'].map((query): [string] => [
      `GET /api/kb/articles?${query}`,
    ]),
    ['PUT /api/kb/articles/a%2F..%2Fb', NEW],
    ['PUT /api/kb/articles/x.md', { ...NEW, content: ' ' }],
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
    ['is not on the list', 'nowhere', 'Cannot read the article list: the address is of a host that is not allowed'],
    ['is an unknown tool of the sources function', 'elsewhere', 'status is 404'],
  ])('reads nothing for a workspace whose host %s', async (_, workspace, problem) => {
    const error = { message: expect.stringContaining(problem) };
    expect(await sync({}, workspace)).toMatchObject({ outcome: 'failed', edition: null, error });
  });

  it('skips an article of 5 MB, warns of broken front matter, and accepts the others', async () => {
    const broken = hostArticle('broken.md', '---\ntitle: "open\n---\nThe durian smells.');
    articles = [...fruits(), hostArticle('huge.md', 'x'.repeat(5_000_000)), broken];
    expect(await sync()).toMatchObject({
      ...{ outcome: 'published', added: 1, skipped_count: 1, warning_count: 1 },
      skipped: [{ id: 'huge.md', reason: 'Cannot take in the article: content is longer than 500000 characters' }],
      warnings: [{ id: 'broken.md' }],
    });
    await untilFound('durian', ['broken.md']);
  });

  it('syncs every workspace on schedule', async () => {
    articles = fruits();
    const before = (await status()).last_report?.run_id;
    await harness.getWorker().scheduled({ cron: '5 * * * *' });
    await expect.poll(async () => (await untilIdle()).run_id, { timeout: 10_000 }).not.toBe(before);
    expect(await untilIdle()).toMatchObject({ full: false, outcome: expect.not.stringMatching('failed') });
  });

  it('separates workspaces', async () => {
    articles = [hostArticle('secret.md', 'The canary sings.')];
    await sync({}, 'acme');
    expect([await search('canary', 'acme'), await search('canary')]).toEqual([['secret.md'], []]);
    expect((await call('GET /api/kb/articles/secret.md')).status).toBe(404);
    const manifest = EditionManifest.parse((await call('GET /editions/current', { workspace: 'acme' })).json);
    expect((await call(`GET /editions/${manifest.edition}/parts/0`)).status).toBe(404);
  });

  it.each([
    ['GET /api/kb/articles', ['kb:write']],
    ['PUT /api/kb/articles/x.md', ['kb:read']],
    ['DELETE /api/kb/articles/x.md', ['kb:read']],
    ['POST /v1/sync', ['kb:read']],
    ['GET /editions/current', []],
  ])('refuses %s without the capability', async (route, capabilities) => {
    expect((await call(route, { capabilities, ...(route.startsWith('P') ? { body: {} } : {}) })).status).toBe(401);
  });

  it('refuses calls without a context', async () => {
    expect((await harness.getWorker().fetch('http://library/api/kb/articles')).status).toBe(401);
    expect((await harness.getWorker().fetch('http://library/librarians/library')).status).toBe(200);
  });
});

/** List requests, of which a pass needs several. */
const LISTS: Record<LocalDeskId, RegExp> = {
  chatwoot: /\/portals\/help\/articles$/,
  zendesk: /\/help_center\/articles\.json$/,
  intercom: /\/articles$/,
  zammad: /\/knowledge_bases\/init$/,
  'help-scout': /\/collections\/\w+\/articles$/,
};

describe.each(LOCAL_DESK_IDS)('articles of %s in the library', (tool) => {
  const desk = () => helpdesks.desks[tool];
  /** In the format of the tool. */
  const text = (name: string) =>
    tool === 'chatwoot'
      ? `## About ${name}\n\n1. Restart the ${name}\n\nThen ${name} works.`
      : `<h2>About ${name}</h2><ol><li>Restart the ${name}</li></ol><p>Then ${name} works.</p><script>alert(1)</script>`;
  const ids = new Map<string, string>();

  const listed = async () => {
    const listing = await call('GET /api/kb/articles?limit=500', { workspace: tool });
    return new Map(ArticleListing.parse(listing.json).articles.map((article) => [article.title, article]));
  };
  const titles = async () => [...(await listed()).keys()].sort();
  const textOf = async (title: string) =>
    (await call(`GET /api/kb/text/${(await listed()).get(title)?.id}`, { workspace: tool })).json;
  const pass = (full = true) => sync({ full }, tool);

  it('are the published ones, with structure, labels and addresses', async () => {
    const { articles: center } = desk();
    const locale = tool === 'zendesk' || tool === 'zammad' ? 'en-us' : 'en';
    const add = (title: string, more: object) => center.add({ title, body: text(title), locale, ...more });
    for (let at = 0; at < 120; at += 1) {
      ids.set(`fan ${at}`, add(`fan ${at}`, { labels: at === 0 ? ['billing', 'apollo-2', 'whatever'] : [] }));
    }
    add('draft', { state: 'draft' });
    add('private', { audience: 'private' });
    add('archived', { state: 'archived' });
    expect(await pass()).toMatchObject({ outcome: 'published', error: null, added: 120, skipped_count: 0 });
    expect(await titles()).toEqual([...ids.keys()].sort());
    const id = `${tool}-${ids.get('fan 0')}`;
    const metadata = tool === 'intercom' ? {} : { intent: ['refund'], device: ['Apollo II'] };
    const url = expect.stringMatching(new RegExp(`^${desk().apiUrl}/`));
    expect((await listed()).get('fan 0')).toMatchObject({ id, url, metadata });
    expect(await textOf('fan 0')).toEqual({ id, text: '## About fan 0\n\n1. Restart the fan 0\n\nThen fan 0 works.' });
  });

  it('change when they are edited, without a full pass', async () => {
    desk().articles.edit(ids.get('fan 7') ?? '', { body: text('belt') });
    expect(await pass(false)).toMatchObject({ full: false, changed: 1, removed: 0, error: null });
    expect(await textOf('fan 7')).toMatchObject({ text: expect.stringContaining('Restart the belt') });
  });

  it('all remain when a pass fails in the middle', async () => {
    const before = await titles();
    desk().articles.unpublish(ids.get('fan 8') ?? '');
    for (const fault of [
      { kind: 'status', status: 401 },
      { kind: 'truncated-json' },
      { kind: 'status', status: 404 },
    ] as const) {
      let lists = 0;
      helpdesks.faults.sometimes(({ path }) => {
        if (LISTS[tool].test(path)) lists += 1;
        return LISTS[tool].test(path) && lists > 1 ? fault : undefined;
      });
      expect(await pass()).toMatchObject({ outcome: 'failed', removed: 0, error: { code: 'DATA_SOURCE_ERROR' } });
      expect(lists).toBeGreaterThan(1);
      expect(await titles()).toEqual(before);
    }
  });

  it('are removed when a full pass no longer lists them', async () => {
    desk().articles.remove(ids.get('fan 9') ?? '');
    // Zendesk's feed of changes has brought an article for a user segment, which no one may read, and a full pass removes it.
    expect(await pass()).toMatchObject({ removed: tool === 'zendesk' ? 3 : 2, error: null });
    const left = await titles();
    expect([left.length, left.includes('fan 8'), left.includes('fan 9')]).toEqual([118, false, false]);
  });

  it('are read after the delay of Retry-After when there are too many calls', async () => {
    helpdesks.faults.next(1, { kind: 'status', status: 429, headers: { 'retry-after': '1' } }, `/${tool}`);
    expect(await pass()).toMatchObject({ outcome: 'unchanged', error: null });
  });
});

describe('the sources function', () => {
  const list = async (query: string, self: 'gateway' | 'library' = 'library') => {
    const answer = await call(`GET /api/kb/articles?${query}`, { to: 'sources', workspace: 'zendesk', self });
    return { status: answer.status, ...(answer.json as Partial<ArticleListing>) };
  };

  it('returns a listing in pages, filtered by intent, with the total on the last', async () => {
    const first = await list('limit=100');
    expect([first.articles?.length, first.total, first.next_cursor === undefined]).toEqual([99, undefined, false]);
    const second = await list(`limit=100&cursor=${first.next_cursor}`);
    expect([second.total, second.next_cursor]).toEqual([118, undefined]);
    expect((await list('intent=refund')).articles).toHaveLength(1);
  });

  it('answers only the library, and refuses invalid queries', async () => {
    expect((await list('limit=5', 'gateway')).status).toBe(401);
    for (const query of ['limit=0', 'cursor=nonsense', 'updated_since=yesterday', 'offset=5'])
      expect((await list(query)).status).toBe(400);
  });
});
