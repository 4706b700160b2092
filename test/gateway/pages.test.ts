import { beforeEach, describe, expect, it } from 'vitest';
import phrases from '../../src/answering/write/answer-phrases.json' with { type: 'json' };
import type { KnowledgeHit } from '../../src/contract/wire/knowledge.ts';
import texts from '../../src/web/pages/pages.json' with { type: 'json' };
import { functionFor, READER, startGateway } from './gateway-for-test.ts';

const MEMORY_ONLY = 'ck_memory_0123456789abcdef';
const URL = 'https://docs.example.com/fan';
const UPDATED = '2026-07-07T12:00:00Z';

const hit = (changes: Partial<KnowledgeHit>): KnowledgeHit => ({
  article_id: 'fan.md',
  title: 'Fans',
  url: URL,
  heading: 'Replace',
  text: 'Take the old fan out.',
  score: 1,
  relevance: 0.5,
  last_updated: UPDATED,
  ...changes,
});

let hits: KnowledgeHit[];
let isBroken: boolean;
/** Calls of the functions. */
let asked: { workspace: string; subject: string; body: unknown }[];
beforeEach(() => {
  hits = [hit({})];
  isBroken = false;
  asked = [];
});

const ARTICLE = 'fan/a b.md';
const start = async (publicWorkspace?: string) => {
  const semantic = await functionFor('semantic', (c) => {
    const { workspace, subject } = c.get('context');
    asked.push({ workspace, subject, body: JSON.parse(new TextDecoder().decode(c.get('body'))) });
    return isBroken
      ? c.json({ error: { code: 'INTERNAL_ERROR', message: 'broken' } }, 500)
      : c.json({ edition: 'e1', hits });
  });
  const library = await functionFor('library', (c) => {
    const path = decodeURIComponent(c.req.path);
    if (!path.endsWith(ARTICLE))
      return c.json({ error: { code: 'NOT_FOUND', message: 'none' } }, 404);
    if (path.startsWith('/api/kb/text'))
      return c.json({ id: ARTICLE, text: '## Steps\n\n<script>alert(1)</script> *turn*' });
    const metadata = { intent: [], device: [], last_updated: UPDATED };
    return c.json({ id: ARTICLE, title: 'Fans & <b>blades</b>', url: URL, content: 'x', metadata });
  });
  return startGateway({
    functions: { semantic, library },
    publicWorkspace,
    keys: { [READER]: {}, [MEMORY_ONLY]: { capabilities: ['memory:read'] } },
  });
};

const get = async (
  path: string,
  { public: workspace = 'help', ...headers }: Record<string, string> = {},
) => {
  const response = await (await start(workspace)).app.request(path, { headers });
  return { status: response.status, headers: response.headers, page: await response.text() };
};

describe('GET /search', () => {
  it('asks an anonymous caller for a key when no workspace is public', async () => {
    const response = await (await start()).app.request('/search?q=fan');
    const challenge = expect.stringMatching(/^Basic /);
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, challenge]);
    expect(await response.text()).toContain('Sign in with an API key');
    expect(asked).toEqual([]);
  });
  it.each([
    ['within its workspaces and rights', 200, 'fan', `user:${READER}`],
    ['not for another workspace', 401, 'fan&workspace_id=initech', `user:${READER}`],
    ['not without the right to read', 401, 'fan', `user:${MEMORY_ONLY}`],
    ['not if it cannot be read', 401, 'fan', undefined],
  ])('accepts a key as the password of HTTP Basic, %s', async (_, status, query, sent) => {
    const headers = { Authorization: `Basic ${sent === undefined ? '%%%' : btoa(sent)}` };
    expect((await (await start()).app.request(`/search?q=${query}`, { headers })).status).toBe(
      status,
    );
    const subject = expect.stringMatching(/^user:/);
    expect(asked).toMatchObject(status === 200 ? [{ workspace: 'acme', subject }] : []);
  });
  it('shows anonymous callers only the public workspace, at a limited rate', async () => {
    const { app, limited } = await start('help');
    expect((await app.request('/search?q=fan&workspace_id=acme')).status).toBe(200);
    expect(asked).toMatchObject([
      { workspace: 'help', subject: 'anon:pages', body: { query: 'fan' } },
    ]);
    limited.add('public unknown');
    expect((await app.request('/search?q=fan')).status).toBe(429);
  });
  it('lists each article once, with its most relevant passage first and the words of the query marked', async () => {
    hits = [
      hit({ article_id: 'a.md', title: 'Noise', relevance: 0.2, text: 'Loud.' }),
      hit({ relevance: 0.3, text: 'Other parts. Replacing a **fan** takes minutes.' }),
      hit({ relevance: 0.25, text: 'Second passage.' }),
    ];
    const { page } = await get('/search?q=replace+fans');
    expect([...page.matchAll(/<h2><a href="[^"]*">([^<]*)</g)].map(([, title]) => title)).toEqual([
      'Fans',
      'Noise',
    ]);
    expect(page).toContain('… <mark>Replacing</mark> a <mark>fan</mark> takes minutes.');
    expect(page).not.toContain('Second passage');
  });
  it('reports when nothing matches, and when the closest passages are weak', async () => {
    hits = [];
    expect((await get('/search?q=zzz')).page).toContain('No article fits');
    hits = [hit({ relevance: 0.05 })];
    const { page } = await get('/search?q=zzz', { 'Accept-Language': 'de-AT,en;q=0.5' });
    expect(page).toContain('Kein Artikel scheint das zu beantworten');
  });
  it('is in the language that the browser prefers, of all in which answers are', async () => {
    hits = [];
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(phrases).toSorted());
    for (const [tag, { none }] of Object.entries(texts)) {
      const { page } = await get('/search?q=zzz', {
        'Accept-Language': `xx, en;q=0.5, ${tag}-XX;q=0.9, *;q=0.1`,
      });
      expect(page).toContain(`<html lang="${tag}">`);
      expect(page).toContain(none.replaceAll("'", '&#39;'));
    }
    for (const header of ['', 'xx', '*', 'de;q=0, fr;q=0', ';;;,', '-'])
      expect((await get('/search?q=zzz', { 'Accept-Language': header })).page).toContain(
        '<html lang="en">',
      );
  });
  it('puts safety first for a search that reports danger, and shows no article', async () => {
    const { page } = await get('/search?q=Mein%20Ger%C3%A4t%20raucht%20und%20riecht%20verbrannt');
    expect(page).toContain('<div role="alert" lang="de"><p>Ihre Sicherheit geht vor');
    expect([page.includes('<ol'), asked]).toEqual([false, []]);
  });
  it('escapes hostile titles, passages and queries', async () => {
    const hostile = '"><script>alert(1)</script>';
    hits = [
      hit({
        title: hostile,
        heading: hostile,
        text: hostile,
        url: 'https://docs.example.com/"onload="x',
      }),
    ];
    const { page, headers } = await get(`/search?q=${encodeURIComponent(hostile)}`);
    expect(page).not.toMatch(/<script|"onload=/);
    expect(headers.get('Content-Security-Policy')).toContain(
      "default-src 'none'; style-src 'self'",
    );
  });
  it('answers a query that is too long, and a failed search, with a page', async () => {
    expect((await get(`/search?q=${'a'.repeat(4001)}`)).status).toBe(400);
    isBroken = true;
    const page = expect.stringContaining('does not answer at the moment');
    expect(await get('/search?q=fan')).toMatchObject({ status: 503, page });
  });
});
it('GET /kb/{id} shows an article with its markup, and raw HTML as text, or reports that there is none', async () => {
  const { status, page } = await get('/kb/fan/a%20b.md');
  expect(status).toBe(200);
  for (const shown of [
    '<h1>Fans &amp; &lt;b&gt;blades&lt;/b&gt;</h1>',
    '<h2>Steps</h2>',
    '&lt;script&gt;',
  ])
    expect(page).toContain(shown);
  expect(page).not.toContain('<script');
  const none = expect.stringContaining('There is no such article');
  expect(await get('/kb/none.md')).toMatchObject({ status: 404, page: none });
});
