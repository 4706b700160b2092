import { describe, expect, it } from 'vitest';
import type { ArticleSource, SourceArticle, UnreadableArticle } from '../../../src/helpdesk/articles/article-source.ts';
import { readSources } from '../../../src/helpdesk/articles/source-settings.ts';

type Reply = { status?: number; body: unknown };
interface Call {
  route: string;
  body: unknown;
  headers: Headers;
}

/** A source whose API has the given replies, by method and path, optionally with a query. */
const sourceOf = (setting: object, replies: Record<string, Reply | ((call: Call) => Reply)>) => {
  const calls: Call[] = [];
  const send: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    const route = `${init?.method ?? 'GET'} ${url.pathname}${url.search}`;
    const call = {
      route,
      body: init?.body ? JSON.parse(String(init.body)) : undefined,
      headers: new Headers(init?.headers),
    };
    calls.push(call);
    const found = replies[route] ??
      replies[route.replace(/\?.*$/, '')] ?? { status: 404, body: { message: 'Not Found' } };
    const { status = 200, body } = typeof found === 'function' ? found(call) : found;
    return Response.json(body, { status });
  };
  const variables = {
    ARTICLE_SOURCES: JSON.stringify({ default: { tokenSecret: 'TOKEN', ...setting } }),
    TOKEN: 'secret',
  };
  const sources = readSources(variables, { fetch: send, now: () => Date.parse('2026-11-02') });
  const open = sources.find('default');
  if (open === undefined) throw new Error('There is no source');
  return { source: open.source, prefix: open.prefix, calls };
};

const readAll = async (source: ArticleSource, { since, limit = 100 }: { since?: string; limit?: number } = {}) => {
  const articles: (SourceArticle | UnreadableArticle)[] = [];
  let position: unknown;
  do {
    const updatedSinceMs = since === undefined ? undefined : Date.parse(since);
    const page = await source.readPage({ updatedSinceMs, limit, position, signal: AbortSignal.timeout(10_000) });
    articles.push(...page.articles);
    position = page.next === undefined ? undefined : JSON.parse(JSON.stringify(page.next));
  } while (position !== undefined);
  return articles;
};
const idsOf = (articles: readonly (SourceArticle | UnreadableArticle)[]) =>
  articles.map((each) => ('id' in each ? each.id : `unreadable ${each.unreadableId}`));

describe('a repository at GitHub', () => {
  const sha = (letter: string) => letter.repeat(40);
  const blob = (text: string): Reply => ({ body: { content: `${btoa(text)}\n`, encoding: 'base64' } });
  const HEAD = {
    body: { sha: sha('a'), commit: { tree: { sha: sha('b') }, committer: { date: '2026-11-01T00:00:00Z' } } },
  };
  const file = (path: string, letter: string, size = 10) => ({
    path,
    mode: '100644',
    type: 'blob',
    sha: sha(letter),
    size,
  });
  const REPLIES: Parameters<typeof sourceOf>[1] = {
    'GET /repos/acme/docs/commits/HEAD': HEAD,
    [`GET /repos/acme/docs/git/trees/${sha('b')}?recursive=1`]: {
      body: {
        truncated: false,
        tree: [
          file('README.md', '1'),
          file('docs/guides/reset.md', 'c'),
          file('docs/index.mdx', 'd'),
          file('docs/draft.md', 'e'),
          file('docs/logo.png', 'f'),
          file('docs/.github/x.md', '1'),
          file('docs/huge.md', '1', 9_000_000),
          { path: 'docs/guides', mode: '040000', type: 'tree', sha: sha('2') },
        ],
      },
    },
    [`GET /repos/acme/docs/git/blobs/${sha('c')}`]: blob('# Reset\n\nHold R.\n'),
    [`GET /repos/acme/docs/git/blobs/${sha('d')}`]: blob('# Docs\n\nStart here.\n'),
    [`GET /repos/acme/docs/git/blobs/${sha('e')}`]: blob('---\ntitle: X\ndraft: true\n---\n\nNot yet.\n'),
  };
  const SETTING = { tool: 'github', repository: 'acme/docs', folder: 'docs/' };

  it('lists the articles of a folder, without drafts, hidden files and pictures', async () => {
    const { source, prefix, calls } = sourceOf({ ...SETTING, publicUrl: 'https://docs.example.com/' }, REPLIES);
    const articles = await readAll(source, { limit: 1 });
    expect([prefix, idsOf(articles)]).toEqual(['', ['guides/reset.md', 'unreadable huge.md', 'index.mdx']]);
    expect(articles[0]).toMatchObject({ url: 'https://docs.example.com/guides/reset', body: '# Reset\n\nHold R.\n' });
    expect(articles[2]).toMatchObject({ url: 'https://docs.example.com/' });
    expect(calls[0]?.headers.get('authorization')).toBe('Bearer secret');
    // A tree is listed once for all pages of a listing.
    expect(calls.filter(({ route }) => route.includes('/trees/'))).toHaveLength(1);
  });

  it('links files at GitHub when no public address is set', async () => {
    const [article] = await readAll(sourceOf(SETTING, REPLIES).source);
    expect(article).toMatchObject({ url: 'https://github.com/acme/docs/blob/HEAD/docs/guides/reset.md' });
  });

  it('lists a binary file as unreadable', async () => {
    const replies = { ...REPLIES, [`GET /repos/acme/docs/git/blobs/${sha('c')}`]: blob('\x89PNG\0\0\0\r') };
    const articles = await readAll(sourceOf(SETTING, replies).source);
    expect(idsOf(articles)).toEqual(['unreadable guides/reset.md', 'unreadable huge.md', 'index.mdx']);
  });

  it('lists only changes between the commit of that time and the newest', async () => {
    const { source } = sourceOf(SETTING, {
      ...REPLIES,
      'GET /repos/acme/docs/commits?sha=HEAD&until=2026-10-01T00:00:00.000Z&per_page=1': { body: [{ sha: sha('9') }] },
      [`GET /repos/acme/docs/compare/${sha('9')}...${sha('a')}`]: {
        body: {
          files: [
            { filename: 'docs/index.mdx', status: 'modified' },
            { filename: 'docs/gone.md', status: 'removed' },
          ],
        },
      },
    });
    expect(idsOf(await readAll(source, { since: '2026-10-01' }))).toEqual(['index.mdx']);
  });

  it('lists everything when more files changed than GitHub compares', async () => {
    const files = Array.from({ length: 300 }, (_, number) => ({ filename: `docs/${number}.md` }));
    const { source } = sourceOf(SETTING, {
      ...REPLIES,
      'GET /repos/acme/docs/commits': { body: [{ sha: sha('9') }] },
      [`GET /repos/acme/docs/compare/${sha('9')}...${sha('a')}`]: { body: { files } },
    });
    expect(await readAll(source, { since: '2026-10-01' })).toHaveLength(3);
  });

  it('fails when the tree is larger than one listing, so that no article looks deleted', async () => {
    const listing = { body: { truncated: true, tree: [] } };
    const { source } = sourceOf(SETTING, {
      ...REPLIES,
      [`GET /repos/acme/docs/git/trees/${sha('b')}?recursive=1`]: listing,
    });
    await expect(readAll(source)).rejects.toThrow(/name a smaller folder/);
  });
});

describe('the pages of Notion', () => {
  const page = (id: string, changes: object = {}) => ({
    ...{ object: 'page', id, in_trash: false, last_edited_time: '2026-10-05T10:00:00.000Z' },
    ...{ url: `https://www.notion.so/${id}`, public_url: null },
    properties: { Name: { id: 'title', type: 'title', title: [{ plain_text: 'Reset ' }, { plain_text: 'it' }] } },
    ...changes,
  });
  const markdown = (text: string, unknown: string[] = []): Reply => ({
    body: { object: 'page_markdown', markdown: text, truncated: unknown.length > 0, unknown_block_ids: unknown },
  });
  const search = (...results: unknown[]): Reply => ({
    body: { object: 'list', results, has_more: false, next_cursor: null },
  });

  it('are read as Markdown, page by page', async () => {
    const { source, calls } = sourceOf(
      { tool: 'notion' },
      {
        'POST /v1/search': ({ body }) =>
          (body as { start_cursor?: string }).start_cursor === 'next'
            ? search(page('p2', { public_url: 'https://acme.notion.site/p2' }))
            : { body: { results: [page('p1')], has_more: true, next_cursor: 'next' } },
        'GET /v1/pages/p1/markdown': markdown('Hold R.'),
        'GET /v1/pages/p2/markdown': markdown('Turn it.'),
      },
    );
    expect(await readAll(source)).toMatchObject([
      {
        id: 'p1',
        title: 'Reset it',
        url: 'https://www.notion.so/p1',
        body: 'Hold R.',
        updatedAtMs: Date.parse('2026-10-05T10:00:00Z'),
      },
      { id: 'p2', url: 'https://acme.notion.site/p2' },
    ]);
    expect(calls[0]?.headers.get('notion-version')).toBe('2025-09-03');
  });

  it('are assembled from their parts when they are long', async () => {
    const { source } = sourceOf(
      { tool: 'notion' },
      {
        'POST /v1/search': search(page('p1')),
        'GET /v1/pages/p1/markdown': markdown('Begin\n<unknown id="b1"/>', ['b1']),
        'GET /v1/pages/b1/markdown': markdown('End'),
      },
    );
    expect(await readAll(source)).toMatchObject([{ body: 'Begin\n\n\nEnd' }]);
  });

  it('end at the first listing page older than the requested time', async () => {
    const old = { last_edited_time: '2026-01-01T00:00:00.000Z' };
    const { source, calls } = sourceOf(
      { tool: 'notion' },
      {
        'POST /v1/search': ({ body }) =>
          (body as { start_cursor?: string }).start_cursor === undefined
            ? { body: { results: [page('p1'), page('p2', old)], has_more: true, next_cursor: 'next' } }
            : { body: { results: [page('p3', old)], has_more: true, next_cursor: 'more' } },
        'GET /v1/pages/p1/markdown': markdown('New'),
      },
    );
    expect(idsOf(await readAll(source, { since: '2026-10-01' }))).toEqual(['p1']);
    expect(calls.map(({ route }) => route)).toEqual([
      'POST /v1/search',
      'GET /v1/pages/p1/markdown',
      'POST /v1/search',
    ]);
  });

  it('are omitted without text, in the trash or unpublished; an unreadable one is listed', async () => {
    const { source } = sourceOf(
      { tool: 'notion', onlyPublished: true },
      {
        'POST /v1/search': search(
          page('p1', { in_trash: true }),
          page('p2'),
          page('p3', { public_url: 'https://acme.notion.site/p3' }),
          page('p4', { public_url: 'https://acme.notion.site/p4' }),
          { object: 'page', id: 'p5' },
        ),
        'GET /v1/pages/p3/markdown': markdown(' '),
      },
    );
    expect(idsOf(await readAll(source))).toEqual(['unreadable p5', 'unreadable p4']);
  });
});

describe('a space of Confluence Cloud', () => {
  const page = (id: string, value: string, changes: object = {}) => ({
    ...{ id, status: 'current', title: `Page ${id}`, version: { createdAt: '2026-10-05T10:00:00.000Z', number: 2 } },
    body: { storage: { representation: 'storage', value } },
    _links: { webui: `/spaces/DOCS/pages/${id}` },
    ...changes,
  });
  const SETTING = { tool: 'confluence', apiUrl: 'https://acme.atlassian.net', email: 'a@acme.example', space: 'DOCS' };
  const SPACE = { 'GET /wiki/api/v2/spaces?keys=DOCS': { body: { results: [{ id: '77', key: 'DOCS' }] } } };
  const PAGES = 'GET /wiki/api/v2/spaces/77/pages';
  const LINKS = { base: 'https://acme.atlassian.net/wiki' };

  it('lists its current pages, with code and without macro parameters', async () => {
    const storage =
      '<p>Run:</p><ac:structured-macro ac:name="code"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[a < b && c]]></ac:plain-text-body></ac:structured-macro>';
    const { source, calls } = sourceOf(SETTING, {
      ...SPACE,
      [PAGES]: ({ route }) =>
        route.includes('cursor=abc')
          ? {
              body: {
                results: [page('2', '<p>Two</p>'), page('3', '<p>Old</p>', { status: 'archived' })],
                _links: LINKS,
              },
            }
          : {
              body: {
                results: [page('1', storage)],
                _links: { ...LINKS, next: '/wiki/api/v2/spaces/77/pages?limit=50&cursor=abc' },
              },
            },
    });
    const articles = await readAll(source);
    expect(idsOf(articles)).toEqual(['1', '2']);
    expect(articles[0]).toMatchObject({
      ...{ title: 'Page 1', url: 'https://acme.atlassian.net/wiki/spaces/DOCS/pages/1', format: 'html' },
      body: '<p>Run:</p><ac:structured-macro ac:name="code"><pre><code>a &lt; b &amp;&amp; c</code></pre></ac:structured-macro>',
    });
    expect(calls[0]?.headers.get('authorization')).toBe(`Basic ${btoa('a@acme.example:secret')}`);
  });

  it('lists only changes, newest first, and ends at the first listing page without any', async () => {
    const old = { version: { createdAt: '2026-01-01T00:00:00.000Z', number: 1 } };
    const { source, calls } = sourceOf(SETTING, {
      ...SPACE,
      [PAGES]: ({ route }) =>
        route.includes('cursor=')
          ? { body: { results: [page('3', '<p>x</p>', old)], _links: { next: '/x?cursor=more' } } }
          : {
              body: { results: [page('1', '<p>x</p>'), page('2', '<p>x</p>', old)], _links: { next: '/x?cursor=abc' } },
            },
    });
    expect(idsOf(await readAll(source, { since: '2026-10-01' }))).toEqual(['1']);
    expect(calls.at(-1)?.route).toContain('sort=-modified-date');
    expect(calls).toHaveLength(3);
  });

  it('fails with advice when the space does not exist', async () => {
    const { source } = sourceOf(SETTING, { 'GET /wiki/api/v2/spaces?keys=DOCS': { body: { results: [] } } });
    await expect(readAll(source)).rejects.toThrow(/no such space/);
  });
});

describe.each([
  ['github', { tool: 'github', repository: 'acme/docs' }],
  ['notion', { tool: 'notion' }],
  ['confluence', { tool: 'confluence', apiUrl: 'https://acme.atlassian.net', email: 'a@acme.example', space: 'DOCS' }],
])('%s', (_, setting) => {
  it.each([
    [401, 'UNAUTHORIZED', /the token is refused/],
    [429, 'RATE_LIMITED', /status is 429/],
    [502, 'SERVICE_UNAVAILABLE', /status is 502/],
  ])('fails the listing with status %i', async (status, code, says) => {
    const failing = new Proxy({}, { get: () => ({ status, body: {} }) });
    const failure: unknown = await readAll(sourceOf(setting, failing).source).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(says) });
  });

  it('fails the listing with a reply of another form', async () => {
    const other = new Proxy({}, { get: () => ({ body: { unexpected: true } }) });
    await expect(readAll(sourceOf(setting, other).source)).rejects.toThrow(/not what its documentation says/);
  });
});
