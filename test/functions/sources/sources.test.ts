import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestHarness } from 'wrangler';
import { ArticleListing } from '../../../src/contract/host-article.ts';
import { type SyncReport, SyncStatus } from '../../../src/contract/sync.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDesk,
  type LocalDeskId,
} from '../../../src/dev/stand-ins/helpdesks/desk/local-desk.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';
import { signedClient } from '../../../src/runtime/signed-client.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { originate } from '../../../src/signing/request-context.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let helpdesks: LocalHelpdesks;
let harness: ReturnType<typeof createTestHarness>;

/** As an operator writes it, one workspace a tool. */
const settingsOf = ({ id, articleSource: { apiUrl, options } }: LocalDesk) => {
  const own: Record<LocalDeskId, object> = {
    chatwoot: { accountId: options.accountId, portal: options.portal, locales: ['en', 'de'] },
    zendesk: { email: options.email },
    intercom: {},
    zammad: {},
    'help-scout': {},
  };
  const labels = { billing: { intent: 'refund' }, 'apollo-2': { device: 'Apollo II' } };
  return { tool: id, apiUrl, tokenSecret: secretOf(id), labels, ...own[id] };
};
const secretOf = (id: LocalDeskId) => `${id.toUpperCase().replace('-', '_')}_ARTICLES`;

beforeAll(async () => {
  helpdesks = await startHelpdesks();
  const desks = Object.values(helpdesks.desks);
  const sources = Object.fromEntries(desks.map((desk) => [desk.id, settingsOf(desk)]));
  const secrets = Object.fromEntries(desks.map((desk) => [secretOf(desk.id), desk.articleSource.token]));
  const KB_SOURCES = JSON.stringify(
    Object.fromEntries([...LOCAL_DESK_IDS, 'elsewhere'].map((id) => [id, { url: 'sources' }])),
  );
  harness = createTestHarness({
    root: ROOT,
    workers: [
      { configPath: 'functions/library/wrangler.toml', vars: { ENVIRONMENT: 'development', KB_SOURCES } },
      {
        configPath: 'functions/sources/wrangler.toml',
        vars: { ENVIRONMENT: 'development', ARTICLE_SOURCES: JSON.stringify(sources), ...secrets },
      },
    ],
  });
  await harness.listen();
}, 120_000);

afterAll(async () => {
  await harness.close();
  await helpdesks.stop();
});
beforeEach(() => helpdesks.faults.none());

/** Calls a function as the gateway does, or the library. */
const call = async (
  to: 'library' | 'sources',
  route: string,
  { workspace, body, self = 'gateway' }: { workspace: string; body?: unknown; self?: 'gateway' | 'library' },
) => {
  const [method = 'GET', path = '/'] = route.split(' ');
  const worker = harness.getWorker(`constellation-${to}`);
  const target = {
    fetch: async (request: Request) => {
      const init = { method: request.method, headers: Object.fromEntries(request.headers) };
      const bytes = await request.arrayBuffer();
      return (await worker.fetch(
        request.url,
        bytes.byteLength > 0 ? { ...init, body: bytes } : init,
      )) as unknown as Response;
    },
  };
  const client = signedClient({
    ...(await identityFrom({ ENVIRONMENT: 'development' }, self)),
    targets: { [to]: target },
  });
  const subject = self === 'gateway' ? 'user:test' : `svc:${self}`;
  const origin = { self, subject, authentication: 'none', now: Date.now() };
  const context = originate({ ...origin, workspace, capabilities: ['kb:read', 'kb:write'] });
  const answer = await client.call(context, { to, method, path, body });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer;
};

const sync = async (workspace: string, { full }: { full: boolean }): Promise<SyncReport> => {
  expect((await call('library', 'POST /v1/sync', { workspace, body: { full } })).status).toBe(202);
  const read = async () => SyncStatus.parse((await call('library', 'GET /v1/sync', { workspace })).json());
  await expect.poll(async () => (await read()).state, { timeout: 20_000, interval: 20 }).toBe('idle');
  const { last_report } = await read();
  if (last_report === null) throw new Error('There is no report');
  return last_report;
};

const articles = async (workspace: string) => {
  const listing = ArticleListing.parse((await call('library', 'GET /api/kb/articles?limit=500', { workspace })).json());
  return new Map(listing.articles.map((article) => [article.title, article]));
};

const titles = async (workspace: string) => [...(await articles(workspace)).keys()].sort();

const textOf = async (workspace: string, id: string) =>
  ((await call('library', `GET /api/kb/text/${id}`, { workspace })).json() as { text: string }).text;

/** The same article in the form that the tool keeps. */
const written = ({ id }: LocalDesk, { heading, step, note }: { heading: string; step: string; note: string }) =>
  id === 'chatwoot'
    ? `## ${heading}\n\n1. ${step}\n\n${note}`
    : `<h2>${heading}</h2><ol><li>${step}</li></ol><p>${note}</p><script>alert(1)</script>`;

describe.each(LOCAL_DESK_IDS)('articles of %s in the library', (tool) => {
  const desk = () => helpdesks.desks[tool];
  const text = (name: string) =>
    written(desk(), { heading: `About ${name}`, step: `Restart the ${name}`, note: `Then ${name} works.` });
  const ids = new Map<string, string>();

  it('are all that is published, with structure, labels and addresses', async () => {
    const { articles: center } = desk();
    const locale = tool === 'zendesk' || tool === 'zammad' ? 'en-us' : 'en';
    for (let at = 0; at < 120; at += 1) {
      const labels = at === 0 ? ['billing', 'apollo-2', 'whatever'] : [];
      ids.set(`fan ${at}`, center.add({ title: `fan ${at}`, body: text(`fan ${at}`), labels, locale }));
    }
    center.add({ title: 'draft', body: text('draft'), state: 'draft', locale });
    center.add({ title: 'private', body: text('private'), audience: 'private', locale });
    center.add({ title: 'archived', body: text('archived'), state: 'archived', locale });
    const report = await sync(tool, { full: true });
    expect(report).toMatchObject({ outcome: 'published', error: null, added: 120, skipped_count: 0 });
    const all = await articles(tool);
    expect([...all.keys()].sort()).toEqual([...ids.keys()].sort());
    const first = all.get('fan 0');
    expect(first?.id).toBe(`${tool}-${ids.get('fan 0')}`);
    expect(first?.url).toMatch(new RegExp(`^${desk().apiUrl}/`));
    if (tool !== 'intercom') expect(first?.metadata).toMatchObject({ intent: ['refund'], device: ['Apollo II'] });
    expect(await textOf(tool, first?.id ?? '')).toBe('## About fan 0\n\n1. Restart the fan 0\n\nThen fan 0 works.');
  }, 60_000);

  it('change when they are edited, without being listed whole', async () => {
    desk().articles.edit(ids.get('fan 7') ?? '', { body: text('belt') });
    expect(await sync(tool, { full: false })).toMatchObject({ full: false, changed: 1, removed: 0, error: null });
    const edited = (await articles(tool)).get('fan 7');
    expect(await textOf(tool, edited?.id ?? '')).toContain('Restart the belt');
  }, 60_000);

  it('stay all when a pass breaks off in its middle, whatever breaks it', async () => {
    const before = await titles(tool);
    desk().articles.unpublish(ids.get('fan 8') ?? '');
    const breaks = [
      { kind: 'status', status: 401 },
      { kind: 'truncated-json' },
      { kind: 'status', status: 404 },
    ] as const;
    for (const fault of breaks) {
      let lists = 0;
      helpdesks.faults.sometimes(({ path }) => {
        if (!isList(tool, path)) return undefined;
        lists += 1;
        return lists > 1 ? fault : undefined;
      });
      const report = await sync(tool, { full: true });
      expect([report.outcome, report.removed, report.error?.code]).toEqual(['failed', 0, 'DATA_SOURCE_ERROR']);
      expect(lists).toBeGreaterThan(1);
      expect(await titles(tool)).toEqual(before);
    }
  }, 60_000);

  it('go when a whole pass has them no longer', async () => {
    desk().articles.remove(ids.get('fan 9') ?? '');
    expect(await sync(tool, { full: true })).toMatchObject({ removed: 2, error: null });
    const left = await titles(tool);
    expect([left.length, left.includes('fan 8'), left.includes('fan 9')]).toEqual([118, false, false]);
  }, 60_000);

  it('wait as long as the tool says when there are too many calls', async () => {
    helpdesks.faults.next(1, { kind: 'status', status: 429, headers: { 'retry-after': '1' } }, `/${tool}`);
    expect(await sync(tool, { full: true })).toMatchObject({ outcome: 'unchanged', error: null });
  }, 60_000);
});

/** Requests of which a pass needs more than one. */
const isList = (tool: LocalDeskId, path: string): boolean =>
  ({
    chatwoot: /\/portals\/help\/articles$/,
    zendesk: /\/help_center\/articles\.json$/,
    intercom: /\/articles$/,
    zammad: /\/knowledge_bases\/init$/,
    'help-scout': /\/collections\/\w+\/articles$/,
  })[tool].test(path);

describe('the sources function', () => {
  it('answers only the library', async () => {
    const answer = await call('sources', 'GET /api/kb/articles', { workspace: 'zendesk' });
    expect(answer.status).toBe(401);
  });

  it('gives pages of a listing, of what an intent asks for, with their number on the last', async () => {
    const list = async (query: string) => {
      const answer = await call('sources', `GET /api/kb/articles?${query}`, { workspace: 'zendesk', self: 'library' });
      return {
        status: answer.status,
        ...(answer.json() as { articles?: { id: string }[]; total?: number; next_cursor?: string }),
      };
    };
    const first = await list('limit=100');
    expect([first.articles?.length, first.total, first.next_cursor === undefined]).toEqual([99, undefined, false]);
    const second = await list(`limit=100&cursor=${first.next_cursor}`);
    expect([second.total, second.next_cursor]).toEqual([118, undefined]);
    expect((await list('intent=refund')).articles).toHaveLength(1);
    for (const query of ['limit=0', 'cursor=nonsense', 'updated_since=yesterday', 'offset=5'])
      expect((await list(query)).status).toBe(400);
  });

  it('has nothing for a workspace that it does not know', async () => {
    const report = await sync('elsewhere', { full: true });
    expect(report).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('status is 404') } });
  }, 30_000);
});
