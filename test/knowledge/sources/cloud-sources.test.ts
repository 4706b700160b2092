import { describe, expect, it } from 'vitest';
import replies from '../../support/tools/fixtures/cloud-replies.json' with { type: 'json' };
import { idsOf, readAll as readPages, sourceFrom } from './read-source.ts';

interface Call {
  route: string;
  body: { start_cursor?: string } | undefined;
  headers: Headers;
}
/** The reply to a call as JSON, or a whole response; 404 without one. */
type Replies = Readonly<Record<string, unknown>> | ((call: Call) => unknown);

/** A source whose API has the given replies, by method and path, optionally with a query. */
const sourceOf = (setting: object, given: Replies) => {
  const calls: Call[] = [];
  const send: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const route = `${init?.method ?? 'GET'} ${pathname}${search}`;
    const body = init?.body ? JSON.parse(String(init.body)) : undefined;
    const call = { route, body, headers: new Headers(init?.headers) };
    calls.push(call);
    const reply =
      typeof given === 'function'
        ? given(call)
        : (given[route] ?? given[route.replace(/\?.*$/, '')]);
    if (reply instanceof Response) return reply;
    return reply === undefined
      ? Response.json({ message: 'Not Found' }, { status: 404 })
      : Response.json(reply);
  };
  return { ...sourceFrom(setting, { send, now: () => Date.parse('2026-11-02') }), calls };
};
const readAll = ({ source }: ReturnType<typeof sourceOf>, { since = '', limit = 100 } = {}) =>
  readPages(source, { limit, updatedSinceMs: since === '' ? undefined : Date.parse(since) });

describe('a repository at GitHub', () => {
  const sha = (letter: string) => letter.repeat(40);
  const BLOB = `GET /repos/acme/docs/git/blobs/${sha('c')}`;
  const TREE = `GET /repos/acme/docs/git/trees/${sha('b')}?recursive=1`;
  const COMPARE = `GET /repos/acme/docs/compare/${sha('9')}...${sha('a')}`;
  const SETTING = { tool: 'github', repository: 'acme/docs', folder: 'docs/' };
  const open = (more: object = {}, setting: object = {}) =>
    sourceOf({ ...SETTING, ...setting }, { ...replies.github, ...more });
  it('lists the articles of a folder, without drafts, hidden files and pictures', async () => {
    const opened = open({}, { publicUrl: 'https://docs.example.com/' });
    const articles = await readAll(opened, { limit: 1 });
    expect([opened.prefix, idsOf(articles)]).toEqual([
      '',
      ['guides/reset.md', 'unreadable huge.md', 'index.mdx'],
    ]);
    const [reset, , index] = articles;
    expect(reset).toMatchObject({
      url: 'https://docs.example.com/guides/reset',
      body: '# Reset\n\nHold R.\n',
    });
    expect(index).toMatchObject({ url: 'https://docs.example.com/' });
    expect(opened.calls[0]?.headers.get('authorization')).toBe('Bearer secret');
    // A tree is listed once for all pages of a listing.
    expect(opened.calls.filter(({ route }) => route.includes('/trees/'))).toHaveLength(1);
  });
  it('links files at GitHub when no public address is set', async () => {
    const [article] = await readAll(open());
    expect(article).toMatchObject({
      url: 'https://github.com/acme/docs/blob/HEAD/docs/guides/reset.md',
    });
  });
  it('lists a binary file as unreadable', async () => {
    const binary = { content: btoa('\x89PNG\0\0\0\r'), encoding: 'base64' };
    const articles = await readAll(open({ [BLOB]: binary }));
    expect(idsOf(articles)).toEqual([
      'unreadable guides/reset.md',
      'unreadable huge.md',
      'index.mdx',
    ]);
  });
  it('lists only changes between the commit of that time and the newest', async () => {
    const changed = [
      { filename: 'docs/index.mdx', status: 'modified' },
      { filename: 'docs/gone.md', status: 'removed' },
    ];
    const commits =
      'GET /repos/acme/docs/commits?sha=HEAD&until=2026-10-01T00:00:00.000Z&per_page=1';
    const opened = open({ [commits]: [{ sha: sha('9') }], [COMPARE]: { files: changed } });
    expect(idsOf(await readAll(opened, { since: '2026-10-01' }))).toEqual(['index.mdx']);
  });
  it('lists everything when more files changed than GitHub compares', async () => {
    const files = Array.from({ length: 300 }, (_, number) => ({ filename: `docs/${number}.md` }));
    const opened = open({
      'GET /repos/acme/docs/commits': [{ sha: sha('9') }],
      [COMPARE]: { files },
    });
    expect(await readAll(opened, { since: '2026-10-01' })).toHaveLength(3);
  });
  it('fails when the tree is larger than one listing, so that no article looks deleted', async () => {
    await expect(readAll(open({ [TREE]: { truncated: true, tree: [] } }))).rejects.toThrow(
      /name a smaller folder/,
    );
  });
});

describe('the pages of Notion', () => {
  const { pages, markdown } = replies.notion;
  type Page = keyof typeof pages;
  /** A workspace whose search has the given pages, each list a page of its result. */
  const open = (lists: Page[][], setting: object = {}) =>
    sourceOf({ tool: 'notion', ...setting }, ({ route, body }) => {
      const [, id] = /^GET \/v1\/pages\/(\w+)\/markdown$/.exec(route) ?? [];
      if (id !== undefined) return markdown[id as keyof typeof markdown];
      const at = Number(body?.start_cursor ?? 0);
      const next_cursor = at + 1 < lists.length ? String(at + 1) : null;
      const results = lists[at]?.map((one) => pages[one]);
      return { object: 'list', results, has_more: next_cursor !== null, next_cursor };
    });
  it('are read as Markdown, page by page, and assembled from their parts when they are long', async () => {
    const opened = open([['p1'], ['p2']]);
    const updatedAtMs = Date.parse('2026-10-05T10:00:00Z');
    expect(await readAll(opened)).toMatchObject([
      {
        id: 'p1',
        title: 'Reset it',
        url: 'https://www.notion.so/p1',
        body: 'Begin\n\n\nEnd',
        updatedAtMs,
      },
      { id: 'p2', url: 'https://acme.notion.site/p2', body: 'Turn it.' },
    ]);
    expect(opened.calls[0]?.headers.get('notion-version')).toBe('2025-09-03');
  });
  it('end at the first listing page older than the requested time', async () => {
    const opened = open([['p2', 'old'], ['older'], ['p1']]);
    expect(idsOf(await readAll(opened, { since: '2026-10-01' }))).toEqual(['p2']);
    const routes = ['POST /v1/search', 'GET /v1/pages/p2/markdown', 'POST /v1/search'];
    expect(opened.calls.map(({ route }) => route)).toEqual(routes);
  });
  it('are omitted without text, in the trash or unpublished; an unreadable one is listed', async () => {
    const opened = open([['trashed', 'p1', 'empty', 'missing', 'broken']], { onlyPublished: true });
    expect(idsOf(await readAll(opened))).toEqual(['unreadable broken', 'unreadable missing']);
  });
});

describe('a space of Confluence Cloud', () => {
  const { space, ...listings } = replies.confluence;
  const SETTING = {
    tool: 'confluence',
    apiUrl: 'https://acme.atlassian.net',
    email: 'a@acme.example',
    space: 'DOCS',
  };
  const open = (first: keyof typeof listings, second: keyof typeof listings, spaces = space) =>
    sourceOf(SETTING, ({ route }) => {
      if (route === 'GET /wiki/api/v2/spaces?keys=DOCS') return spaces;
      return listings[route.includes('cursor=abc') ? second : first];
    });
  it('lists its current pages, with code and without macro parameters', async () => {
    const opened = open('first', 'second');
    const articles = await readAll(opened);
    expect(idsOf(articles)).toEqual(['1', '2']);
    expect(articles[0]).toMatchObject({
      title: 'Page 1',
      url: 'https://acme.atlassian.net/wiki/spaces/DOCS/pages/1',
      format: 'html',
      body: '<p>Run:</p><ac:structured-macro ac:name="code"><pre><code>a &lt; b &amp;&amp; c</code></pre></ac:structured-macro>',
    });
    expect(opened.calls[0]?.headers.get('authorization')).toBe(
      `Basic ${btoa('a@acme.example:secret')}`,
    );
  });
  it('lists only changes, newest first, and ends at the first listing page without any', async () => {
    const opened = open('changed', 'unchanged');
    expect(idsOf(await readAll(opened, { since: '2026-10-01' }))).toEqual(['1']);
    expect(opened.calls.at(-1)?.route).toContain('sort=-modified-date');
    expect(opened.calls).toHaveLength(3);
  });
  it('fails with advice when the space does not exist', async () => {
    await expect(readAll(open('first', 'second', { results: [] }))).rejects.toThrow(
      /no such space/,
    );
  });
});

describe.each([
  ['github', { repository: 'acme/docs' }],
  ['notion', {}],
  ['confluence', { apiUrl: 'https://acme.atlassian.net', email: 'a@acme.example', space: 'DOCS' }],
])('%s', (tool, setting) => {
  it.each([
    [401, 'UNAUTHORIZED', /the token is refused/],
    [429, 'RATE_LIMITED', /status is 429/],
    [502, 'SERVICE_UNAVAILABLE', /status is 502/],
    [200, 'DATA_SOURCE_ERROR', /not what its documentation says/],
  ])('fails the listing with status %i and a reply of another form', async (status, code, says) => {
    const failing = sourceOf({ tool, ...setting }, () =>
      Response.json({ unexpected: true }, { status }),
    );
    await expect(readAll(failing)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(says),
    });
  });
});
