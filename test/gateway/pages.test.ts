import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KnowledgeHit } from '../../src/contract/knowledge.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { kvApiKeys } from '../../src/gateway/api-keys.ts';
import { createApp } from '../../src/gateway/app.ts';
import { contextGuard, type GuardedEnv } from '../../src/runtime/context-guard.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';
import { localDirectory, localSigner } from '../../src/signing/identity.ts';
import { keyStore } from './key-store.ts';

const READER = 'ck_reader_0123456789abcdef';
const MEMORY_ONLY = 'ck_memory_0123456789abcdef';

const hit = (changes: Partial<KnowledgeHit>): KnowledgeHit => ({
  article_id: 'fan.md',
  title: 'Fans',
  url: 'https://docs.example.com/fan',
  heading: 'Replace',
  text: 'Take the old fan out.',
  score: 1,
  relevance: 0.5,
  last_updated: '2026-07-07T12:00:00Z',
  ...changes,
});

let hits: KnowledgeHit[];
let status: number;
/** Calls of the functions. */
let asked: { path: string; workspace: string; subject: string; body: unknown }[];
let limited: Set<string>;

const start = async (publicWorkspace?: string) => {
  const directory = await localDirectory();
  const signerOf = (id: string) => localSigner(id);
  const served = async (id: string): Promise<Target> => {
    const app = new Hono<GuardedEnv>();
    app.use(contextGuard({ self: id, access: 'signed', signer: await signerOf(id), directory, log: () => {} }));
    app.all('*', (c) => {
      const { workspace, subject } = c.get('context');
      const path = c.req.path;
      const body: unknown = c.req.method === 'POST' ? JSON.parse(new TextDecoder().decode(c.get('body'))) : undefined;
      asked.push({ path, workspace, subject, body });
      if (status !== 200) return c.json({ error: { code: 'INTERNAL_ERROR', message: 'broken' } }, 500);
      if (path === '/v1/knowledge/search') return c.json({ edition: 'e1', hits });
      if (!path.includes('fan%2Fa%20b.md') && !path.includes('fan/a b.md') && !path.includes('fan/a%20b.md'))
        return c.json({ error: { code: 'NOT_FOUND', message: 'none' } }, 404);
      if (path.startsWith('/api/kb/text'))
        return c.json({ id: 'fan/a b.md', text: '## Steps\n\n<script>alert(1)</script> *turn*' });
      return c.json({
        id: 'fan/a b.md',
        title: 'Fans & <b>blades</b>',
        url: 'https://docs.example.com/fan',
        content: 'x',
        metadata: { intent: [], device: [], last_updated: '2026-07-07T12:00:00Z' },
      });
    });
    return { fetch: async (request) => app.fetch(request) };
  };
  const functions = { semantic: await served('semantic'), library: await served('library') };
  const limiter = { limit: async ({ key }: { key: string }) => ({ success: !limited.has(key) }) };
  const store = await keyStore({
    [READER]: { name: 'reader', workspaces: ['acme'], capabilities: ['kb:read'], rate: 'standard' },
    [MEMORY_ONLY]: { name: 'memory', workspaces: ['acme'], capabilities: ['memory:read'], rate: 'standard' },
  });
  return createApp({
    keys: kvApiKeys(store.kv),
    limits: { standard: limiter, high: limiter, anonymous: limiter },
    client: signedClient({
      self: 'gateway',
      signer: await signerOf('gateway'),
      directory,
      targets: functions,
      log: () => {},
    }),
    directory,
    functions,
    librarians: createLibrarians({ targets: functions, own: ['semantic'] }),
    corsOrigins: [],
    publicWorkspace,
    health: { status: 'ok', adapters: { knowledge: 'embedded' } },
    log: () => {},
  });
};

const basic = (key: string) => ({ Authorization: `Basic ${btoa(`user:${key}`)}` });

beforeEach(() => {
  hits = [hit({})];
  status = 200;
  asked = [];
  limited = new Set();
});

describe('GET /search', () => {
  it('asks an anonymous caller for a key when no workspace is public', async () => {
    const app = await start();
    const response = await app.request('/search?q=fan');
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
    expect(await response.text()).toContain('Sign in with an API key');
    expect(asked).toEqual([]);
  });

  it('accepts a key as the password of HTTP Basic, within its workspaces and rights', async () => {
    const app = await start();
    expect((await app.request('/search?q=fan', { headers: basic(READER) })).status).toBe(200);
    expect(asked).toMatchObject([{ workspace: 'acme', subject: expect.stringMatching(/^user:/) }]);
    const other = await app.request('/search?q=fan&workspace_id=globex', { headers: basic(READER) });
    expect(other.status).toBe(401);
    expect((await app.request('/search?q=fan', { headers: basic(MEMORY_ONLY) })).status).toBe(401);
    expect((await app.request('/search?q=fan', { headers: { Authorization: 'Basic %%%' } })).status).toBe(401);
    expect(asked).toHaveLength(1);
  });

  it('shows anonymous callers only the public workspace', async () => {
    const app = await start('help');
    const response = await app.request('/search?q=fan&workspace_id=acme');
    expect(response.status).toBe(200);
    expect(asked).toMatchObject([{ workspace: 'help', subject: 'anon:pages', body: { query: 'fan' } }]);
    limited.add('public unknown');
    expect((await app.request('/search?q=fan')).status).toBe(429);
  });

  it('lists each article once, with its most relevant passage first and the words of the query marked', async () => {
    hits = [
      hit({ article_id: 'a.md', title: 'Noise', relevance: 0.2, text: 'Loud.' }),
      hit({ relevance: 0.3, text: 'Other parts. Replacing a **fan** takes minutes.' }),
      hit({ relevance: 0.25, text: 'Second passage.' }),
    ];
    const app = await start('help');
    const page = await (await app.request('/search?q=replace+fans')).text();
    expect([...page.matchAll(/<h2><a href="[^"]*">([^<]*)</g)].map(([, title]) => title)).toEqual(['Fans', 'Noise']);
    expect(page).toContain('… <mark>Replacing</mark> a <mark>fan</mark> takes minutes.');
    expect(page).not.toContain('Second passage');
  });

  it('reports when nothing matches, and when the closest passages are weak', async () => {
    const app = await start('help');
    hits = [];
    expect(await (await app.request('/search?q=zzz')).text()).toContain('No article fits');
    hits = [hit({ relevance: 0.05 })];
    const page = await app.request('/search?q=zzz', { headers: { 'Accept-Language': 'de-AT,en;q=0.5' } });
    expect(await page.text()).toContain('Kein Artikel scheint das zu beantworten');
  });

  it('escapes hostile titles, passages and queries', async () => {
    const hostile = '"><script>alert(1)</script>';
    hits = [hit({ title: hostile, heading: hostile, text: hostile, url: 'https://docs.example.com/"onload="x' })];
    const app = await start('help');
    const response = await app.request(`/search?q=${encodeURIComponent(hostile)}`);
    const page = await response.text();
    expect(page).not.toMatch(/<script|"onload=/);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'; style-src 'self'");
  });

  it('answers a query that is too long, and a failed search, with a page', async () => {
    const app = await start('help');
    expect((await app.request(`/search?q=${'a'.repeat(4001)}`)).status).toBe(400);
    status = 500;
    const response = await app.request('/search?q=fan');
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('does not answer at the moment');
  });
});

describe('GET /kb/{id}', () => {
  it('shows an article with its markup, and raw HTML as text', async () => {
    const app = await start('help');
    const response = await app.request('/kb/fan/a%20b.md');
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('<h1>Fans &amp; &lt;b&gt;blades&lt;/b&gt;</h1>');
    expect(page).toContain('<h2>Steps</h2>');
    expect(page).toContain('&lt;script&gt;');
    expect(page).not.toContain('<script');
  });

  it('reports an unknown article', async () => {
    const app = await start('help');
    const response = await app.request('/kb/none.md');
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('There is no such article');
  });
});
