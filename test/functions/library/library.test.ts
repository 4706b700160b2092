import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestHarness } from 'wrangler';
import { ErrorBody } from '../../../src/contract/error-info.ts';
import { ArticleListing, HostArticle } from '../../../src/contract/host-article.ts';
import { SyncAccepted, type SyncReport, SyncStatus } from '../../../src/contract/sync.ts';
import { signedClient } from '../../../src/runtime/signed-client.ts';
import { openEdition } from '../../../src/search/open-edition.ts';
import { searchEdition } from '../../../src/search/search-edition.ts';
import { utf8 } from '../../../src/signing/digest.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { CONTEXT_HEADER } from '../../../src/signing/limits.ts';
import { originate } from '../../../src/signing/request-context.ts';
import { mintContext } from '../../../src/signing/sign-link.ts';
import { EditionManifest, sha256Hex } from '../../../src/storage/edition-storage.ts';
import { hostArticle } from '../../knowledge/library/library-for-test.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What the library is bound to. */
const SOURCES = { configPath: 'functions/sources/wrangler.toml', vars: { ENVIRONMENT: 'development' } };
const PAGE = 3;

/** What the host answers from now on: its articles, or whatever a test needs of it. */
let articles: unknown[] = [];
let misbehave: ((response: ServerResponse, offset: number) => boolean) | undefined;
let host: Server;
let harness: ReturnType<typeof createTestHarness>;

beforeAll(async () => {
  host = createServer((request, response) => {
    const offset = Number(new URL(request.url ?? '/', 'http://host').searchParams.get('cursor') ?? 0);
    if (misbehave?.(response, offset)) return;
    const end = offset + PAGE;
    const next = end < articles.length ? { next_cursor: String(end) } : {};
    const page = { articles: articles.slice(offset, end), total: articles.length, ...next };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const url = `http://${address}/api/kb/articles`;
  const sources = JSON.stringify({ acme: { url }, nowhere: { url: 'http://127.0.0.1:1/api/kb/articles' } });
  const vars = { ENVIRONMENT: 'development', KB_URL: url, KB_ALLOWED_HOSTS: address, KB_SOURCES: sources };
  harness = createTestHarness({
    root: ROOT,
    workers: [{ configPath: 'functions/library/wrangler.toml', vars }, SOURCES],
  });
  await harness.listen();
}, 120_000);

afterAll(async () => {
  await harness.close();
  host.closeAllConnections();
  host.close();
});

interface Call {
  body?: unknown;
  workspace?: string;
  capabilities?: string[];
}

/** Calls the library as the gateway does. */
const call = async (
  route: string,
  { body, workspace = 'default', capabilities = ['kb:read', 'kb:write'] }: Call = {},
) => {
  const [method = 'GET', path = '/'] = route.split(' ');
  const identity = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
  const worker = harness.getWorker();
  const library = {
    fetch: async (request: Request) => {
      const init = { method: request.method, headers: Object.fromEntries(request.headers) };
      const bytes = await request.arrayBuffer();
      return (await worker.fetch(
        request.url,
        bytes.byteLength > 0 ? { ...init, body: bytes } : init,
      )) as unknown as Response;
    },
  };
  const client = signedClient({ ...identity, targets: { library } });
  const origin = {
    self: 'gateway',
    subject: 'user:test',
    authentication: 'key',
    workspace,
    capabilities,
    now: Date.now(),
  };
  const answer = await client.call(originate(origin), { to: 'library', method, path, body });
  if (!answer.ok) throw new Error(answer.error.message);
  return { ...answer, json: answer.body.length > 0 && answer.contentType.includes('json') ? answer.json() : undefined };
};

const status = async (workspace?: string) =>
  SyncStatus.parse((await call('GET /v1/sync', { workspace: workspace ?? 'default' })).json);

const untilIdle = async (workspace?: string): Promise<SyncReport> => {
  for (;;) {
    const { state, last_report } = await status(workspace);
    if (state === 'idle' && last_report) return last_report;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const syncNow = async (request: { full?: boolean; force?: boolean } = { full: true }, workspace?: string) => {
  const { json, status: code } = await call('POST /v1/sync', { body: request, workspace: workspace ?? 'default' });
  expect(code).toBe(202);
  expect(SyncAccepted.parse(json).started).toBe(true);
  return untilIdle(workspace);
};

/** In the current edition, as a reader loads it. */
const search = async (query: string, workspace = 'default') => {
  const { edition, parts } = EditionManifest.parse((await call('GET /editions/current', { workspace })).json);
  const bytes = await Promise.all(
    parts.map(async (_, part) => (await call(`GET /editions/${edition}/parts/${part}`, { workspace })).body),
  );
  const opened = openEdition(Buffer.concat(bytes));
  return searchEdition(opened, query).hits.map(({ article }) => opened.article(article).id);
};

/** What was written is published some seconds later. */
const untilFound = async (query: string, ids: string[]): Promise<void> => {
  await expect.poll(() => search(query), { timeout: 8000, interval: 100 }).toEqual(ids);
};

const FRUIT = ['apple', 'banana', 'cherry', 'date', 'elderberry', 'fig', 'grape'];
const fruits = () => FRUIT.map((fruit) => hostArticle(`fruit/${fruit}.md`, `## Growing\n\nThe ${fruit} grows slowly.`));

describe('the library in workerd', () => {
  it('refuses a copy of a call that changes something, in whatever isolate it arrives', async () => {
    const path = '/api/kb/articles/copied.md';
    const { signer } = await identityFrom({ ENVIRONMENT: 'development' }, 'gateway');
    const now = Date.now();
    const context = originate({
      ...{
        self: 'gateway',
        subject: 'user:test',
        authentication: 'key',
        workspace: 'copies',
        capabilities: ['kb:write'],
      },
      now,
    });
    const { token } = await mintContext(context, { signer, aud: 'library', op: `DELETE ${path}`, body: utf8(''), now });
    const send = async () => {
      const response = await harness
        .getWorker()
        .fetch(path, { method: 'DELETE', headers: { [CONTEXT_HEADER]: token } });
      return [response.status, ErrorBody.parse(await response.json()).error.code];
    };
    expect(await send()).toEqual([404, 'NOT_FOUND']);
    const storage = await harness.getWorker().getDurableObjectStorage('LIBRARIES', { name: 'copies' });
    expect(await storage.exec('SELECT count(*) AS calls FROM calls')).toEqual([{ calls: 1 }]);
    expect(await send()).toEqual([401, 'UNAUTHORIZED']);
  });

  it('says that nothing was synced yet', async () => {
    expect(await status()).toMatchObject({ state: 'idle', edition: null, articles: 0, last_report: null });
    expect((await call('GET /editions/current')).status).toBe(404);
  });

  it('syncs a host over HTTP, page by page, and finds what it holds', async () => {
    articles = fruits();
    expect(await syncNow({})).toMatchObject({ outcome: 'published', full: true, added: 7, skipped_count: 0 });
    expect(await search('how does the banana grow')).toEqual(expect.arrayContaining(['fruit/banana.md']));
  });

  it('writes nothing when nothing differs', async () => {
    expect(await syncNow()).toMatchObject({ outcome: 'unchanged', unchanged: 7, writes: 0 });
  });

  it('gives out the current edition whole', async () => {
    const manifest = EditionManifest.parse((await call('GET /editions/current')).json);
    expect(manifest).toMatchObject({ workspace: 'default', articles: 7, chunks: 7 });
    const { body } = await call(`GET /editions/${manifest.edition}/parts/0`);
    expect(await sha256Hex(body)).toBe(manifest.parts[0]?.sha256);
    expect((await call(`GET /editions/${manifest.edition}/parts/1`)).status).toBe(404);
  });

  it('lists articles in pages that lead on by cursor and Link', async () => {
    const first = await call('GET /api/kb/articles?limit=5');
    const listing = ArticleListing.parse(first.json);
    expect(listing).toMatchObject({ total: 7, articles: expect.objectContaining({ length: 5 }) });
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    expect(link).toContain(`cursor=${listing.next_cursor}`);
    const second = ArticleListing.parse((await call(`GET ${link}`)).json);
    expect([...listing.articles, ...second.articles].map(({ id }) => id)).toEqual(
      FRUIT.map((fruit) => `fruit/${fruit}.md`),
    );
    expect(second.next_cursor).toBeUndefined();
  });

  it.each(['limit=0', 'limit=501', 'updated_since=soon', 'cursor=nonsense', 'colour=red'])(
    'refuses a listing with %s',
    async (query) => {
      expect(await call(`GET /api/kb/articles?${query}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'INVALID_QUERY' } },
      });
    },
  );

  it('takes an article in, shows it, and searches it', async () => {
    const content = '---\nintent: [growing]\n---\n\n# Quince\n\nThe quince <script>alert(1)</script>ripens late.';
    const put = await call('PUT /api/kb/articles/own/quince.md', { body: { title: 'Quince', content } });
    expect(put.status).toBe(201);
    expect(HostArticle.parse(put.json)).toMatchObject({
      id: 'own/quince.md',
      content,
      metadata: { intent: ['growing'] },
    });
    expect(HostArticle.parse((await call('GET /api/kb/articles/own/quince.md')).json).content).toBe(content);
    expect((await call('GET /api/kb/text/own/quince.md')).json).toEqual({
      id: 'own/quince.md',
      text: '# Quince\n\nThe quince ripens late.',
    });
    expect((await call('PUT /api/kb/articles/own/quince.md', { body: { title: 'Quince', content } })).status).toBe(200);
    await untilFound('quince', ['own/quince.md']);
  });

  it.each([
    ['PUT /api/kb/articles/a%2F..%2Fb', { title: 'T', content: 'x' }],
    ['PUT /api/kb/articles/x.md', { title: 'T', content: ' ' }],
    ['PUT /api/kb/articles/x.md', { title: 'T', content: 'x', id: 'y.md' }],
    ['PUT /api/kb/articles/x.md', { title: 'T', content: 'x', more: 1 }],
    ['PUT /api/kb/articles/x.md', { title: 'T', content: 'x'.repeat(500_001) }],
    ['POST /v1/sync', { full: 'yes' }],
  ])('refuses %s', async (route, body) => {
    const { status: code } = await call(route, { body });
    expect([400, 404]).toContain(code);
  });

  it('deletes for good: from the next answer on, and though the host still lists it', async () => {
    expect((await call('DELETE /api/kb/articles/fruit/cherry.md')).status).toBe(204);
    expect((await call('DELETE /api/kb/articles/fruit/cherry.md')).status).toBe(404);
    await untilFound('cherry', []);
    await syncNow();
    expect((await call('GET /api/kb/articles/fruit/cherry.md')).status).toBe(404);
  });

  it.each<[string, () => void, string]>([
    [
      'fails in the middle of paging',
      () => {
        misbehave = (response, offset) => offset > 0 && Boolean(response.writeHead(403).end());
      },
      'status is 403',
    ],
    [
      'is down',
      () => {
        misbehave = (response) => Boolean(response.socket?.destroy());
      },
      // The local runtime turns a connection that is cut into a status of 500.
      'Cannot read the article list',
    ],
    [
      'sends rubbish',
      () => {
        misbehave = (response) =>
          Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'));
      },
      'the answer is no listing',
    ],
    [
      'sends an empty listing',
      () => {
        articles = [];
      },
      'it is empty',
    ],
    [
      'sends half of it',
      () => {
        misbehave = (response) =>
          Boolean(
            response
              .writeHead(200, { 'content-type': 'application/json', link: '' })
              .end(JSON.stringify({ articles: [], total: 7 })),
          );
      },
      'the host says that there are 7 articles, and sent 0',
    ],
  ])('keeps the old edition when the host %s', async (_, spoil, problem) => {
    const before = await status();
    spoil();
    const report = await syncNow();
    misbehave = undefined;
    articles = fruits();
    expect(report).toMatchObject({
      outcome: 'failed',
      edition: before.edition,
      error: { code: 'DATA_SOURCE_ERROR', message: expect.stringContaining(problem) },
    });
    expect(await search('how does the banana grow')).toContain('fruit/banana.md');
  });

  it('asks no host that is not on the list', async () => {
    const report = await syncNow({}, 'nowhere');
    expect(report).toMatchObject({
      outcome: 'failed',
      edition: null,
      error: {
        message: expect.stringContaining('Cannot read the article list: the address is of a host that is not allowed'),
      },
    });
  });

  it('skips an article of 5 MB, warns of broken front matter, and takes the others', async () => {
    articles = [
      ...fruits(),
      hostArticle('huge.md', 'x'.repeat(5_000_000)),
      hostArticle('broken.md', '---\ntitle: "open\n---\nThe durian smells.'),
    ];
    expect(await syncNow()).toMatchObject({
      ...{ outcome: 'published', added: 1, skipped_count: 1, warning_count: 1 },
      skipped: [{ id: 'huge.md', reason: 'Cannot take in the article: content is longer than 500000 characters' }],
      warnings: [{ id: 'broken.md' }],
    });
    await untilFound('durian', ['broken.md']);
  });

  it('holds back deletions of more than 30 %, until forced', async () => {
    articles = fruits().slice(0, 2);
    expect(await syncNow()).toMatchObject({ outcome: 'unchanged', removed: 0, held_deletions: { count: 5, of: 7 } });
    expect(await syncNow({ force: true })).toMatchObject({ outcome: 'published', removed: 5 });
    expect((await call('GET /api/kb/articles/own/quince.md')).status).toBe(200);
  });

  it('runs one sync at a time', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    misbehave = (response) => {
      void held.then(() => response.writeHead(403).end());
      return true;
    };
    expect(SyncAccepted.parse((await call('POST /v1/sync', { body: { full: true } })).json).started).toBe(true);
    const again = SyncAccepted.parse((await call('POST /v1/sync', { body: { full: true } })).json);
    expect(again).toMatchObject({ started: false, status: { state: 'listing' } });
    release();
    expect((await untilIdle()).run_id).toBe(again.status.progress?.run_id);
    misbehave = undefined;
  });

  it('syncs every workspace on schedule, and lists everything at night', async () => {
    articles = fruits();
    const before = (await status()).last_report?.run_id;
    const idle = async (full: boolean) => {
      const report = await untilIdle();
      expect(report).toMatchObject({ full, outcome: expect.not.stringMatching('failed') });
      return report.run_id;
    };
    await harness.getWorker().scheduled({ cron: '43 * * * *' });
    const hourly = await idle(false);
    await harness.getWorker().scheduled({ cron: '17 3 * * *' });
    expect(new Set([before, hourly, await idle(true)]).size).toBe(3);
  });

  it('keeps workspaces apart', async () => {
    articles = [hostArticle('secret.md', 'The canary sings.')];
    await syncNow({}, 'acme');
    expect(await search('canary', 'acme')).toEqual(['secret.md']);
    expect(await search('canary')).toEqual([]);
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
