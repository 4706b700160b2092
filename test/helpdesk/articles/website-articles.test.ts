import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleSource, SourceArticle, UnreadableArticle } from '../../../src/helpdesk/articles/article-source.ts';
import { type Website, websiteArticles } from '../../../src/helpdesk/articles/website-articles.ts';
import { type LocalSite, pageOf, startSite } from './local-site.ts';

let site: LocalSite;
let slept: number[];
beforeEach(async () => {
  site = await startSite();
  slept = [];
});
afterEach(() => site.stop());

const sourceOf = (changes: Partial<Website> = {}): ArticleSource =>
  websiteArticles(
    { url: `${site.origin}/`, exclude: [], maxPages: 500, pauseMs: 0, ...changes },
    { fetch, now: Date.now, sleep: async (ms) => void slept.push(ms) },
  );

const readAll = async (
  source: ArticleSource,
  {
    limit = 100,
    since,
    from = () => source,
  }: { limit?: number; since?: number; from?: (page: number) => ArticleSource } = {},
): Promise<(SourceArticle | UnreadableArticle)[]> => {
  const all: (SourceArticle | UnreadableArticle)[] = [];
  let position: unknown;
  for (let page = 0; page < 100; page += 1) {
    const signal = AbortSignal.timeout(20_000);
    const read = await from(page).readPage({ limit, updatedSinceMs: since, position, signal });
    all.push(...read.articles);
    if (read.next === undefined) return all;
    position = JSON.parse(JSON.stringify(read.next));
  }
  throw new Error('The listing has no end');
};
const pathsOf = (articles: readonly (SourceArticle | UnreadableArticle)[]) =>
  articles.map((each) => ('url' in each ? (each.url ?? '').slice(site.origin.length) : 'unreadable')).toSorted();
const failure = (source: ArticleSource) => readAll(source).catch((error: Error) => error.message);

const link = (...paths: string[]) => paths.map((path) => `<a href="${path}">x</a>`).join(' ');

describe('a site with a sitemap', () => {
  it('gives the main content of its pages', async () => {
    site.pages.set('/help/reset.html', pageOf('Reset the password', 'Hold <b>R</b> for 5 s. <a href="fan">Fan</a>'));
    site.sitemap({ '/help/reset.html': '2026-03-01' });
    const [article] = await readAll(sourceOf());
    expect(article).toEqual({
      id: 'help/reset.html',
      title: 'Reset the password',
      url: `${site.origin}/help/reset.html`,
      body: `# Reset the password\n\nHold **R** for 5 s. [Fan](${site.origin}/help/fan)`,
      format: 'markdown',
      updatedAtMs: Date.parse('2026-03-01'),
      labels: [],
      locale: 'en',
    });
  });

  it('is read in parts, also when another isolate continues', async () => {
    for (let number = 0; number < 57; number += 1) site.pages.set(`/p/${number}`, pageOf(`Page ${number}`, 'Text.'));
    site.sitemap();
    expect(new Set(pathsOf(await readAll(sourceOf(), { limit: 10 }))).size).toBe(57);
    expect(new Set(pathsOf(await readAll(sourceOf(), { limit: 10, from: () => sourceOf() }))).size).toBe(57);
  });

  it('may be compressed, an index, and named by robots.txt; other hosts are not read', async () => {
    site.pages.set('/a', pageOf('A', 'Text.'));
    site.pages.set(
      '/robots.txt',
      `User-agent: *\nSitemap: ${site.origin}/index.xml\nSitemap: https://evil.example.com/s.xml\n`,
    );
    site.pages.set(
      '/index.xml',
      `<sitemapindex><sitemap><loc>${site.origin}/part.xml.gz</loc></sitemap></sitemapindex>`,
    );
    const part = `<urlset><url><loc>${site.origin}/a</loc></url><url><loc>https://evil.example.com/b</loc></url></urlset>`;
    site.pages.set('/part.xml.gz', { headers: { 'content-type': 'application/gzip' }, body: gzipSync(part) });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a']);
  });

  it('gives only changes, by the times of the sitemap and by ETags', async () => {
    site.pages.set('/old', pageOf('Old', 'Text.'));
    site.pages.set('/new', pageOf('New', 'Text.'));
    site.pages.set('/same', { headers: { ETag: '"1"' }, body: pageOf('Same', 'Text.') });
    site.sitemap({ '/old': '2026-01-01', '/new': '2026-03-01' });
    const source = sourceOf();
    expect(await readAll(source)).toHaveLength(3);
    site.requests.length = 0;
    expect(pathsOf(await readAll(source, { since: Date.parse('2026-02-01') }))).toEqual(['/new']);
    expect(site.requests.toSorted()).toEqual(['/new', '/robots.txt', '/same (unchanged)', '/sitemap.xml']);
  });
});

describe('a site without a sitemap', () => {
  it('is read by following links within its folder, once each, without queries', async () => {
    site.pages.set(
      '/docs/',
      pageOf('Docs', link('a', 'b#part', '/blog', 'c?page=2', 'https://evil.example.com/', 'mailto:x@y.zz')),
    );
    site.pages.set('/docs/a', pageOf('A', link('/docs/b', '/docs/')));
    site.pages.set('/docs/b', pageOf('B', link('deep/d')));
    site.pages.set('/docs/deep/d', pageOf('D', 'Text.'));
    site.pages.set('/blog', pageOf('Blog', 'Text.'));
    const source = sourceOf({ url: `${site.origin}/docs/` });
    expect(pathsOf(await readAll(source))).toEqual(['/docs/', '/docs/a', '/docs/b', '/docs/deep/d']);
    expect(site.requests.filter((path) => path === '/docs/b')).toHaveLength(1);
  });

  it('is continued by another isolate, and fails when it changed meanwhile', async () => {
    const paths = Array.from({ length: 12 }, (_, number) => `/p${number}`);
    site.pages.set('/', pageOf('Home', link(...paths)));
    for (const path of paths) site.pages.set(path, pageOf(path, 'Text.'));
    expect(pathsOf(await readAll(sourceOf(), { limit: 5, from: () => sourceOf() }))).toEqual(
      ['/', ...paths].toSorted(),
    );
    const changed = readAll(sourceOf(), {
      limit: 5,
      from: (page) => {
        if (page === 1) site.pages.set('/', pageOf('Home', link('/new', ...paths)));
        return sourceOf();
      },
    });
    await expect(changed).rejects.toThrow(/interrupted/);
  });

  it('fails with advice when there is nothing to read', async () => {
    site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /\n');
    site.pages.set('/', { status: 404 });
    expect(await failure(sourceOf())).toMatch(/has no text and no links: check its address, and robots.txt/);
  });
});

describe('a page', () => {
  const read = async (...pages: [string, Parameters<LocalSite['pages']['set']>[1]][]) => {
    for (const [path, page] of pages) site.pages.set(path, page);
    site.sitemap();
    return pathsOf(await readAll(sourceOf()));
  };

  it.each<[string, Parameters<LocalSite['pages']['set']>[1]]>([
    ['with a noindex tag', pageOf('X', 'Draft.', '<meta name="robots" content="noindex, follow">')],
    ['with a noindex header', { headers: { 'X-Robots-Tag': 'noindex' }, body: pageOf('X', 'Draft.') }],
    ['that is gone', { status: 410 }],
    ['that needs a sign-in', { status: 403 }],
    ['that is a PDF', { headers: { 'content-type': 'application/pdf' }, body: '%PDF' }],
    ['without text', '<html><body><nav>Menu</nav></body></html>'],
    ['that redirects to another host', { status: 302, headers: { Location: 'https://evil.example.com/' } }],
  ])('%s is omitted', async (_, page) => {
    expect(await read(['/x', page], ['/other', pageOf('Other', 'Text.')])).toEqual(['/other']);
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
    site.pages.set(pathname + search, pageOf('X', 'Text.'));
    site.sitemap();
    expect(await readAll(sourceOf())).toEqual([expect.objectContaining({ id: expect.stringMatching(id) })]);
  });

  it('is read under its canonical address', async () => {
    const twin = pageOf('Fan', 'Text.', '<link rel="canonical" href="/fan">');
    expect(
      await read(['/fan', twin], ['/fan/', twin], ['/moved', { status: 301, headers: { Location: '/fan' } }]),
    ).toEqual(['/fan']);
  });

  it('is listed even if it cannot be read, so that it does not look deleted', async () => {
    expect(await read(['/x', '<b>'.repeat(20_000)])).toEqual(['unreadable']);
  });

  it.each([500, 503, 429])('fails the listing when the server answers %i', async (status) => {
    site.pages.set('/a', pageOf('A', 'Text.'));
    site.pages.set('/x', { status, headers: { 'Retry-After': '7' } });
    site.sitemap();
    expect(await failure(sourceOf())).toMatch(new RegExp(`status is ${status}`));
  });

  it('is decoded from its charset', async () => {
    const body = new Uint8Array(Buffer.from(pageOf('Lüfter', 'Größe'), 'latin1'));
    site.pages.set('/de', { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body });
    site.sitemap();
    expect(await readAll(sourceOf())).toMatchObject([{ title: 'Lüfter', body: '# Lüfter\n\nGröße' }]);
  });
});

describe('robots.txt and settings', () => {
  const three = () => {
    for (const path of ['/a', '/private/b', '/c']) site.pages.set(path, pageOf(path, 'Text.'));
    site.sitemap();
  };

  it('exclude paths, and set the pause between requests', async () => {
    three();
    site.pages.set(
      '/robots.txt',
      'User-agent: *\nDisallow: /c\n\nUser-agent: constellation-sources\nDisallow: /private\nCrawl-delay: 3\n',
    );
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/a', '/c']);
    expect(slept.every((ms) => ms > 2000 && ms <= 3000)).toBe(true);
    expect(slept).toHaveLength(1);
    expect(pathsOf(await readAll(sourceOf({ exclude: ['/a'] })))).toEqual(['/c']);
    expect(site.requests).not.toContain('/private/b');
  });

  it('fail a site with more pages than maxPages, with advice', async () => {
    three();
    expect(await failure(sourceOf({ maxPages: 2 }))).toMatch(
      /has 3 pages or more, and maxPages is 2: raise it, or exclude paths/,
    );
  });

  it.each([
    [
      'entities without end',
      `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}"><!ENTITY c "${'&a;'.repeat(1000)}">]><urlset><url><loc>&c;</loc></url></urlset>`,
    ],
    ['no XML', '<<<>>>'],
    [
      'entries that are not addresses',
      '<urlset><url><loc>javascript:alert(1)</loc></url><url/><url><loc></loc></url></urlset>',
    ],
    ['nested without end', '<urlset>'.repeat(20_000)],
  ])('a hostile sitemap has no pages, and links are followed: %s', async (_, body) => {
    site.pages.set('/', pageOf('Home', 'Text.'));
    site.pages.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body });
    expect(pathsOf(await readAll(sourceOf()))).toEqual(['/']);
  });

  it('a sitemap that names itself ends', async () => {
    site.pages.set(
      '/sitemap.xml',
      `<sitemapindex><sitemap><loc>${site.origin}/sitemap.xml</loc></sitemap></sitemapindex>`,
    );
    expect(await failure(sourceOf())).toMatch(/more than 50 sitemaps/);
  });
});
