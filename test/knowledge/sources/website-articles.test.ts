import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { websiteArticles } from '../../../src/knowledge/sources/website-articles.ts';
import { type LocalPage, type LocalSite, pageOf, startSite } from './local-site.ts';
import { type Article, readAll } from './read-source.ts';

type Website = Parameters<typeof websiteArticles>[0];

let site: LocalSite;
let slept: number[];
beforeEach(async () => {
  site = await startSite();
  slept = [];
});
afterEach(() => site.stop());

const sourceOf = (changes: Partial<Website> = {}) =>
  websiteArticles(
    { url: `${site.origin}/`, exclude: [], maxPages: 500, pauseMs: 0, ...changes },
    { fetch, now: Date.now, sleep: async (ms) => void slept.push(ms) },
  );
/** Gives the site these pages, and a sitemap of them with the times of changes. */
const serve = (
  pages: Readonly<Record<string, LocalPage>>,
  modified?: Readonly<Record<string, string>>,
) => {
  for (const [path, page] of Object.entries(pages)) site.pages.set(path, page);
  if (modified !== undefined) site.sitemap(modified);
};
const pathsOf = (articles: readonly Article[]) =>
  articles
    .map((each) => ('url' in each ? (each.url ?? '').slice(site.origin.length) : 'unreadable'))
    .toSorted();
const xml = (body: string | Uint8Array, type = 'xml') => ({
  headers: { 'content-type': `application/${type}` },
  body,
});
const TEXT = pageOf('Page', 'Text.');
const link = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join(' ');

describe('a site with a sitemap', () => {
  it('gives the main content of its pages', async () => {
    const page = pageOf('Reset the password', 'Hold <b>R</b> for 5 s. <a href="fan">Fan</a>');
    serve({ '/help/reset.html': page }, { '/help/reset.html': '2026-03-01' });
    expect(await readAll(sourceOf())).toEqual([
      {
        id: 'help/reset.html',
        title: 'Reset the password',
        url: `${site.origin}/help/reset.html`,
        locale: 'en',
        format: 'commonmark',
        updatedAtMs: Date.parse('2026-03-01'),
        labels: [],
        leftOut: expect.any(Array),
        body: `# Reset the password\n\nHold **R** for 5 s. [Fan](${site.origin}/help/fan)`,
      },
    ]);
  });
  it('reads redirects at their final address, once', async () => {
    serve(
      {
        '/a': { status: 301, headers: { location: '/a/' }, body: '' },
        '/old': { status: 302, headers: { location: '/new' }, body: '' },
        '/older': { status: 302, headers: { location: '/new' }, body: '' },
        '/away': { status: 301, headers: { location: 'https://other.example.com/' }, body: '' },
        '/sent': '<meta http-equiv="refresh" content="0; url=/new"><title>Redirecting</title>',
        '/loop': { status: 301, headers: { location: '/loop2' }, body: '' },
      },
      { '/a': '', '/old': '', '/older': '', '/away': '', '/sent': '', '/loop': '' },
    );
    // The address that they lead to is not in the sitemap.
    serve({
      '/a/': pageOf('A', 'First.'),
      '/new': pageOf('New', 'Second.'),
      '/loop2': { status: 301, headers: { location: '/loop' }, body: '' },
    });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a/', '/new']);
  });
  it('gives a page with several addresses once', async () => {
    serve(
      { '/r': TEXT, '/r/': TEXT, '/r/index.html': TEXT, '/r?utm_source=x': TEXT },
      { '/r': '', '/r/': '', '/r/index.html': '', '/r?utm_source=x': '' },
    );
    expect(await readAll(sourceOf())).toHaveLength(1);
  });
  it.each(['/help', '/help/', '/help/start.html'])(
    'reads only what lies below %s',
    async (path) => {
      serve(
        { '/help/': TEXT, '/help/a': TEXT, '/helpdesk/x': TEXT, '/blog': TEXT },
        { '/help/': '', '/help/a': '', '/helpdesk/x': '', '/blog': '' },
      );
      expect(pathsOf(await readAll(sourceOf({ url: `${site.origin}${path}` })))).toEqual([
        '/help/',
        '/help/a',
      ]);
    },
  );
  it('reads translations that the sitemap only lists beside a page', async () => {
    serve({
      '/a': TEXT,
      '/de/a': pageOf('Seite', 'Ein Text.'),
      '/fr/a': pageOf('Page', 'Un texte.'),
    });
    const alternate = (path: string) =>
      `<xhtml:link rel="alternate" hreflang="${path.slice(1, 3)}" href="${site.origin}${path}"/>`;
    const url = `<url><loc>${site.origin}/a</loc>${alternate('/de/a')}${alternate('/fr/a')}</url>`;
    serve({
      '/sitemap.xml': xml(
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${url}</urlset>`,
      ),
    });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a', '/de/a', '/fr/a']);
  });
  it('reads a sitemap of plain lines', async () => {
    serve({ '/a': TEXT, '/b': pageOf('B', 'Other.') });
    serve({
      '/pages.txt': {
        headers: { 'content-type': 'text/plain' },
        body: `${site.origin}/a\n${site.origin}/b\n`,
      },
    });
    expect(pathsOf(await readAll(sourceOf({ sitemap: `${site.origin}/pages.txt` })))).toEqual([
      '/a',
      '/b',
    ]);
  });
  it('names a page that says that it does not exist', async () => {
    serve(
      {
        '/a': TEXT,
        '/b': '<title>Page not found | Help</title><main><h1>Page not found</h1><p>Sorry.</p></main>',
      },
      { '/a': '', '/b': '' },
    );
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a', 'unreadable']);
  });
  it('takes dates from structured data', async () => {
    const data =
      '<script type="application/ld+json">{"dateModified": "2024-03-05T10:00:00Z"}</script>';
    serve({ '/a': `<head>${data}</head><body><p>Text.</p></body>` }, { '/a': '' });
    expect(await readAll(sourceOf())).toMatchObject([
      { updatedAtMs: Date.parse('2024-03-05T10:00:00Z') },
    ]);
  });
  it('reads a page by the encoding that it declares', async () => {
    const bytes = Uint8Array.from(
      [...'<meta charset="gb2312"><p>', ...'\xc2\xcb\xd0\xbe'].map((each) => each.charCodeAt(0)),
    );
    serve({ '/a': { headers: { 'content-type': 'text/html' }, body: bytes } }, { '/a': '' });
    expect(await readAll(sourceOf())).toMatchObject([{ body: '滤芯' }]);
  });
  it('is read in parts, also when another isolate continues', async () => {
    serve(
      Object.fromEntries(Array.from({ length: 57 }, (_, number) => [`/p/${number}`, TEXT])),
      {},
    );
    for (const from of [undefined, () => sourceOf()]) {
      const paths = pathsOf(await readAll(sourceOf(), { limit: 10, ...(from && { from }) }));
      expect(new Set(paths).size).toBe(57);
    }
  });
  it('may be compressed, an index, and named by robots.txt; other hosts are not read', async () => {
    const part = `<urlset><url><loc>${site.origin}/a</loc></url><url><loc>https://evil.example.com/b</loc></url></urlset>`;
    serve({
      '/a': TEXT,
      '/robots.txt': `User-agent: *\nSitemap: ${site.origin}/index.xml\nSitemap: https://evil.example.com/s.xml\n`,
      '/index.xml': `<sitemapindex><sitemap><loc>${site.origin}/part.xml.gz</loc></sitemap></sitemapindex>`,
      '/part.xml.gz': xml(gzipSync(part), 'gzip'),
    });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a']);
  });
  it('gives only changes, by the times of the sitemap and by ETags', async () => {
    const pages = { '/old': TEXT, '/new': TEXT, '/same': { headers: { ETag: '"1"' }, body: TEXT } };
    serve(pages, { '/old': '2026-01-01', '/new': '2026-03-01' });
    const source = sourceOf();
    expect(await readAll(source)).toHaveLength(3);
    site.requests.length = 0;
    expect(pathsOf(await readAll(source, { updatedSinceMs: Date.parse('2026-02-01') }))).toEqual([
      '/new',
    ]);
    expect(site.requests.toSorted()).toEqual([
      '/new',
      '/robots.txt',
      '/same (unchanged)',
      '/sitemap.xml',
    ]);
  });
});

describe('a site without a sitemap', () => {
  it('reads one page for its addresses, from a path without its slash', async () => {
    serve({
      '/help': { status: 301, headers: { location: '/help/' }, body: '' },
      '/help/': pageOf(
        'Help',
        link('/help/a', '/help/a/', '/help/index.html', '/help/a?utm_source=x', '/blog'),
      ),
      '/help/a': pageOf('A', 'Text.'),
      '/help/a/': pageOf('A', 'Text.'),
      '/blog': TEXT,
    });
    expect(pathsOf(await readAll(sourceOf({ url: `${site.origin}/help` })))).toEqual([
      '/help/',
      '/help/a',
    ]);
  });
  it('is read by following links within its folder, once each, without queries', async () => {
    const outside = ['/blog', 'c?page=2', 'https://evil.example.com/', 'mailto:x@y.zz'];
    serve({
      '/docs/': pageOf('Docs', link('a', 'b#part', ...outside)),
      '/docs/a': pageOf('A', link('/docs/b', '/docs/')),
      '/docs/b': pageOf('B', link('deep/d')),
      '/docs/deep/d': TEXT,
      '/blog': TEXT,
    });
    const source = sourceOf({ url: `${site.origin}/docs/` });
    expect(pathsOf(await readAll(source))).toEqual([
      '/docs/',
      '/docs/a',
      '/docs/b',
      '/docs/deep/d',
    ]);
    expect(site.requests.filter((path) => path === '/docs/b')).toHaveLength(1);
  });
  it('is continued by another isolate, and fails when it changed meanwhile', async () => {
    const paths = Array.from({ length: 12 }, (_, number) => `/p${number}`);
    serve({
      '/': pageOf('Home', link(...paths)),
      ...Object.fromEntries(paths.map((path) => [path, TEXT])),
    });
    const from = () => sourceOf();
    expect(pathsOf(await readAll(sourceOf(), { limit: 5, from }))).toEqual(
      ['/', ...paths].toSorted(),
    );
    const changed = readAll(sourceOf(), {
      limit: 5,
      from: (page) => {
        if (page === 1) serve({ '/': pageOf('Home', link('/new', ...paths)) });
        return sourceOf();
      },
    });
    await expect(changed).rejects.toThrow(/interrupted/);
  });
  it('fails with advice when there is nothing to read', async () => {
    serve({ '/robots.txt': 'User-agent: *\nDisallow: /\n', '/': { status: 404 } });
    const advice = /has no text and no links: check its address, and robots.txt/;
    await expect(readAll(sourceOf())).rejects.toThrow(advice);
  });
});

const SHELL =
  '<html><head><title>App</title><script src="/a.js"></script></head><body><div id="root"></div></body></html>';
const NEEDS_SCRIPTS =
  '<html><head><title>App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><p>Loading…</p><script src="/a.js"></script></body></html>';

describe('a page', () => {
  const read = async (pages: Readonly<Record<string, LocalPage>>) => {
    serve(pages, {});
    return readAll(sourceOf());
  };
  it.each<[string, LocalPage]>([
    ['with a noindex tag', pageOf('X', 'Draft.', '<meta name="robots" content="noindex, follow">')],
    [
      'with a noindex header',
      { headers: { 'X-Robots-Tag': 'noindex' }, body: pageOf('X', 'Draft.') },
    ],
    [
      'with a header that hides all',
      { headers: { 'X-Robots-Tag': 'none' }, body: pageOf('X', 'Draft.') },
    ],
    ['that is gone', { status: 410 }],
    ['that does not exist', { status: 404 }],
    ['that is a PDF', { headers: { 'content-type': 'application/pdf' }, body: '%PDF' }],
    ['without text', '<html><body><nav>Menu</nav></body></html>'],
    [
      'that redirects to another host',
      { status: 302, headers: { Location: 'https://evil.example.com/' } },
    ],
  ])('%s is omitted', async (_, page) => {
    expect(pathsOf(await read({ '/x': page, '/other': TEXT }))).toEqual(['/other']);
  });
  it('that hides from another reader alone is read', async () => {
    const page = {
      headers: { 'X-Robots-Tag': 'otherbot: noindex, nofollow' },
      body: pageOf('X', 'Text.'),
    };
    expect(pathsOf(await read({ '/x': page }))).toEqual(['/x']);
  });
  it.each([
    ['/', 'index'],
    ['/docs/', 'docs/index'],
    ['/docs/a.b-c', 'docs/a.b-c'],
    ['/docs/index', /^docs-index-[0-9a-f]{8}$/],
    ['/a?lang=de', /^a-[0-9a-f]{8}$/],
    ['/L%C3%BCfter%20tauschen', /^lüfter-tauschen-[0-9a-f]{8}$/],
    ['/a//../%2e%2e/b', /^b$/],
    [`/${'x'.repeat(400)}`, /^x{100}-[0-9a-f]{8}$/],
  ])('has an id that names its path: %s', async (path, id) => {
    const { pathname, search } = new URL(path, site.origin);
    const found = await read({ [pathname + search]: TEXT });
    expect(found).toEqual([expect.objectContaining({ id: expect.stringMatching(id) })]);
  });
  it('is read under its canonical address', async () => {
    const twin = pageOf('Fan', 'Text.', '<link rel="canonical" href="/fan">');
    const moved = { status: 301, headers: { Location: '/fan' } };
    expect(pathsOf(await read({ '/fan': twin, '/fan/': twin, '/moved': moved }))).toEqual(['/fan']);
  });
  it('is listed even if it cannot be read, so that it does not look deleted', async () => {
    expect(pathsOf(await read({ '/x': '<b>'.repeat(20_000) }))).toEqual(['unreadable']);
  });
  it.each<[string, LocalPage]>([
    ['the server answers 400', { status: 400 }],
    ['the server answers 401', { status: 401 }],
    ['the server answers 403', { status: 403 }],
    ['the server answers 421', { status: 421 }],
    ['the server answers 500', { status: 500 }],
    ['the server answers 503', { status: 503, headers: { 'Retry-After': '7' } }],
    [
      'it breaks off',
      { headers: { 'content-length': '5000', connection: 'close' }, body: '<p>Half' },
    ],
    ['it is larger than 4 MiB', 'x'.repeat(5_000_000)],
    ['its text is made by a script, which is not run', SHELL],
    ['its text is made by a script, which is not run', NEEDS_SCRIPTS],
    ['it says that it does not exist', pageOf('Page not found', 'Sorry.')],
  ])('is named with its reason and ends no listing: %s', async (problem, page) => {
    const found = await read({ '/a': TEXT, '/x': page, '/z': pageOf('Z', 'Z.') });
    expect(pathsOf(found)).toEqual(['/a', '/z', 'unreadable']);
    expect(found).toContainEqual({ unreadableId: 'x', problem });
  });
  it('is read where scripts only add to its text', async () => {
    const more =
      '<script src="a.js"></script><noscript>Turn on JavaScript to search.</noscript><div id="root"></div>';
    const page = pageOf(
      'A',
      'Hold the button for five seconds, until the lamp turns green. '.repeat(4),
      more,
    );
    expect(pathsOf(await read({ '/a': page }))).toEqual(['/a']);
  });
  it('ends the listing when it is the third in a row that fails, or asks to come later', async () => {
    await expect(
      read({ '/a': { status: 503 }, '/b': { status: 500 }, '/c': { status: 502 } }),
    ).rejects.toThrow('502');
    await expect(read({ '/a': TEXT, '/x': { status: 429 } })).rejects.toThrow('status is 429');
  });
  it('that is turned away keeps its article, however many follow it', async () => {
    const pages = Object.fromEntries(
      ['/a', '/b', '/c', '/d'].map((path) => [path, { status: 403 }]),
    );
    expect(await read(pages)).toHaveLength(4);
    site.pages.clear();
    serve({ '/': pageOf('Home', link('/x')), '/x': { status: 403 } });
    expect(await readAll(sourceOf())).toMatchObject([{ title: 'Home' }, { unreadableId: 'x' }]);
    serve({ '/': { status: 403 } });
    await expect(readAll(sourceOf())).rejects.toThrow('status is 403');
  });
  it('without a sitemap ends the listing when it is the first, and lets nothing count as deleted when it is another', async () => {
    site.pages.set('/', { status: 500 });
    await expect(readAll(sourceOf())).rejects.toThrow('status is 500');
    serve({ '/': pageOf('Home', link('/x', '/y')), '/x': { status: 500 }, '/y': TEXT });
    expect(await readAll(sourceOf())).toMatchObject([
      { id: expect.stringContaining('index') },
      { unreadableId: 'x', problem: 'the server answers 500' },
      { unreadableId: undefined },
      { id: 'y' },
    ]);
  });
  it('is read under its own address where every page names the first one as canonical', async () => {
    const home = '<link rel="canonical" href="/">';
    const pages = {
      '/': pageOf('Home', 'Hi.', home),
      '/a': pageOf('A', 'A.', home),
      '/b': pageOf('B', 'B.', home),
    };
    expect(pathsOf(await read(pages))).toEqual(['/', '/a', '/b']);
  });
  it('has the language under which it lists itself, whatever its template says', async () => {
    const alternates = ['en', 'de', 'pt-BR', 'x-default']
      .map(
        (tag) =>
          `<link rel="alternate" hreflang="${tag}" href="${site.origin}/${tag === 'x-default' ? 'en' : tag}/a/">`,
      )
      .join('');
    const found = await read({
      '/en/a/': pageOf('A', 'One.', alternates),
      '/de/a/': pageOf('A', 'Eins.', alternates),
      '/pt-BR/a/': pageOf('A', 'Um.', alternates),
    });
    const languages = found.map((each) => ('locale' in each ? [each.id, each.locale] : []));
    expect(languages.toSorted()).toEqual(
      [
        ['de/a/', 'de'],
        ['en/a/', 'en'],
        ['pt-BR/a/', 'pt-BR'],
      ].map(([path, tag]) => [expect.stringMatching(path?.replaceAll('/', '.') ?? ''), tag]),
    );
    const keys = found.map((each) => ('translationKey' in each ? each.translationKey : undefined));
    expect(keys).toEqual(Array(3).fill(`${site.origin}/de/a`));
  });
  it('is decoded from its charset', async () => {
    const body = new Uint8Array(Buffer.from(pageOf('Lüfter', 'Größe'), 'latin1'));
    const found = await read({
      '/de': { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body },
    });
    expect(found).toMatchObject([{ title: 'Lüfter', body: '# Lüfter\n\nGröße' }]);
  });
});

describe('robots.txt and settings', () => {
  const three = () => serve({ '/a': TEXT, '/private/b': TEXT, '/c': TEXT }, {});
  it('exclude paths, and set the pause between requests', async () => {
    three();
    const own = 'User-agent: constellation-sources\nDisallow: /private\nCrawl-delay: 3\n';
    serve({ '/robots.txt': `User-agent: *\nDisallow: /c\n\n${own}` });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a', '/c']);
    expect(slept.every((ms) => ms > 2000 && ms <= 3000)).toBe(true);
    expect(slept).toHaveLength(1);
    expect(pathsOf(await readAll(sourceOf({ exclude: ['/a'] })))).toEqual(['/c']);
    expect(site.requests).not.toContain('/private/b');
  });
  it('fail a site with more pages than maxPages, with advice', async () => {
    three();
    const advice = /has 3 pages or more, and maxPages is 2: raise it, or exclude paths/;
    await expect(readAll(sourceOf({ maxPages: 2 }))).rejects.toThrow(advice);
  });
  it.each([
    [
      'entities without end',
      `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}"><!ENTITY c "${'&a;'.repeat(1000)}">]><urlset><url><loc>&c;</loc></url></urlset>`,
    ],
    ['no XML', '<<<>>>'],
    [
      'no addresses',
      '<urlset><url><loc>javascript:alert(1)</loc></url><url/><url><loc></loc></url></urlset>',
    ],
    ['nested without end', '<urlset>'.repeat(20_000)],
  ])('a hostile sitemap has no pages, and links are followed: %s', async (_, body) => {
    serve({ '/': TEXT, '/sitemap.xml': xml(body) });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/']);
  });
  it('a sitemap that names itself ends', async () => {
    serve({
      '/sitemap.xml': `<sitemapindex><sitemap><loc>${site.origin}/sitemap.xml</loc></sitemap></sitemapindex>`,
    });
    await expect(readAll(sourceOf())).rejects.toThrow(/more than 50 sitemaps/);
  });
});
