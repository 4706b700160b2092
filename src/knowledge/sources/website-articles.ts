import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { XMLParser } from 'fast-xml-parser';
import robotsModule from 'robots-parser';
import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { readWebPage, type WebPage } from '../../documents/read-web-page.ts';
import { decodeText } from '../../language/decode-text.ts';
import { decodeUri } from '../../language/decode-uri.ts';
import { HttpFailure, readBytes, send } from '../../platform/http/fetch-json.ts';
import { discard } from '../../platform/http/read-body.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { sleep } from '../../platform/retry.ts';
import {
  type ArticleSource,
  isSince,
  positionIn,
  readArticleInTime,
  type SourceArticle,
  SourceFailed,
  sourceFailedBy,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource, Url } from './define-source.ts';

/** What the library gives; its own types describe its export as a module. */
interface Robots {
  isAllowed(address: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}
const robotsParser = robotsModule as unknown as (address: string, text: string) => Robots;

interface Website {
  /** Page where reading begins. Only pages of this host below this path are read. */
  url: string;
  /** The sitemap; absent: those of robots.txt, or `/sitemap.xml`. Without any, links are followed. */
  sitemap?: string | undefined;
  /** Paths that are left out, with all below them. */
  exclude: readonly string[];
  /** Most pages. A site with more cannot be read. */
  maxPages: number;
  /** Pause between two pages, in milliseconds; longer where robots.txt asks for it. */
  pauseMs: number;
}

interface WebTools {
  fetch: typeof fetch;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
}

/** The name that robots.txt knows this reader by. */
const AGENT = 'constellation-sources';
/** Most time for robots.txt or a sitemap, its body included. */
const FILE_MS = 6000;
/** Most time for all of them, so that there is some for pages. */
const FILES_MS = 12_000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_SITEMAP_BYTES = 16 * 1024 * 1024;
const MAX_SITEMAPS = 50;
const MAX_ROBOTS_BYTES = 512 * 1024;
/** Longest pause that robots.txt may ask for; a site that wants more is read more slowly than it wants. */
const MAX_PAUSE_MS = 10_000;
/** So many pages one after the other that fail are a server that fails. */
const MAX_FAILED_IN_ROW = 3;
/** Pages of one listing page; each is a request of its own. */
const MAX_PAGES_AT_ONCE = 25;
/** The page does not exist (any more); after any other status but success it may (RFC 9110, section 15.5). */
const GONE: ReadonlySet<number> = new Set([404, 410]);
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403, 407]);
/** Share of the time for a listing page that reading further pages of the site may take. */
const WORK_MS = 15_000;

/** What is known of a site in this isolate. */
interface SiteState {
  robots: Robots;
  /** From the sitemap, by id; undefined when links are followed. */
  listed: Map<string, ListedPage> | undefined;
  /** Addresses in the order in which their links were found, and how many of them have been read for links. */
  found: string[];
  read: number;
  /** Keys of the addresses that were found. */
  known: Set<string>;
  /** Keys of the pages of the sitemap. */
  keys?: ReadonlySet<string>;
  /** Which page leads to an address that no other names, by the key of that address. */
  final: Map<string, string>;
}

interface ListedPage {
  address: string;
  modifiedAtMs: number | undefined;
}

/** What a page was when it was last read: for requests that ask only for changes (RFC 9110, section 13). */
interface Seen {
  etag: string | undefined;
  modified: string | undefined;
  links: readonly string[];
}

const Position = z.union([
  /** Id of the last page of the sitemap that was read. */
  z.object({ after: z.string().max(300) }),
  /** Number of pages read, and a hash of their addresses. */
  z.object({ crawled: z.int().min(1).max(100_000), of: z.string().max(64) }),
]);

type Read =
  | { kind: 'page'; page: WebPage; address: string; modifiedAtMs: number | undefined }
  | { kind: 'elsewhere'; address: string }
  | { kind: 'unchanged'; links: readonly string[] }
  | { kind: 'none' }
  | { kind: 'unreadable'; problem: string; failure?: SourceFailed };

/**
 * The pages of a web site: those of its sitemap, or all that links lead to from its first page. Respects robots.txt (RFC 9309), `noindex`
 * and canonical addresses; only public pages of the host are read, one after the other.
 *
 * A page that does not exist (404, 410) or asks not to be indexed is no article. One that fails otherwise is named and keeps its article; a
 * server that fails makes the whole listing fail, so that nothing counts as deleted.
 */
export function websiteArticles(site: Website, tools: WebTools): ArticleSource {
  const start = new URL(site.url);
  const folder = folderOf(start.pathname);
  const { fetch, now } = tools;
  let state: SiteState | undefined;
  const seen = lruCache<string, Seen>({ max: site.maxPages });
  let lastReadAtMs = 0;
  let failedInRow = 0;

  const get = async (
    address: string,
    { signal, headers = {} }: { signal: AbortSignal; headers?: Record<string, string> },
  ) => {
    try {
      return await send(address, {
        fetch,
        signal,
        headers: { 'User-Agent': `${AGENT} (knowledge base sync)`, ...headers },
      });
    } catch (error) {
      throw error instanceof HttpFailure ? sourceFailedBy(error, now()) : error;
    }
  };
  const getPage: typeof get = async (address, options) => {
    try {
      return await get(address, options);
    } catch (error) {
      if (error instanceof SourceFailed && !options.signal.aborted)
        throw new PageFailed('its server does not answer', error);
      throw error;
    }
  };
  /** A file beside the pages; undefined when there is none. */
  const getFile = async (
    address: string,
    { signal: whole, maxBytes }: { signal: AbortSignal; maxBytes: number },
  ) => {
    const signal = AbortSignal.any([whole, AbortSignal.timeout(FILE_MS)]);
    const response = await get(address, { signal });
    if (!response.ok) {
      discard(response.body);
      if (response.status >= 500 || response.status === 429) throw failedBy(response, now());
      return undefined;
    }
    const isPacked =
      /\.gz$/i.test(new URL(address).pathname) && response.headers.get('Content-Encoding') === null;
    const body = isPacked
      ? new Response(response.body?.pipeThrough(new DecompressionStream('gzip')))
      : response;
    const bytes = await readBytes(body, { maxBytes, signal }).catch((error: unknown) => {
      if (error instanceof HttpFailure && error.kind === 'timeout')
        throw new SourceFailed(
          'SERVICE_UNAVAILABLE',
          'robots.txt or a sitemap does not end in time',
          { cause: error },
        );
      throw new SourceFailed(
        'DATA_SOURCE_ERROR',
        'robots.txt or a sitemap is too long or cut off',
        { cause: error },
      );
    });
    return new TextDecoder().decode(bytes);
  };

  const isInSite = (address: string): boolean => {
    const { origin, pathname, username } = new URL(address);
    const isExcluded = site.exclude.some(
      (path) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    );
    return (
      origin === start.origin && username === '' && `${pathname}/`.startsWith(folder) && !isExcluded
    );
  };
  const mayRead = (address: string): boolean =>
    isInSite(address) && state?.robots.isAllowed(address, AGENT) !== false;

  const openSite = async (whole: AbortSignal): Promise<SiteState> => {
    const signal = AbortSignal.any([whole, AbortSignal.timeout(FILES_MS)]);
    const robotsAddress = new URL('/robots.txt', start).href;
    const text = (await getFile(robotsAddress, { signal, maxBytes: MAX_ROBOTS_BYTES })) ?? '';
    const robots = robotsParser(robotsAddress, text);
    const named = site.sitemap === undefined ? robots.getSitemaps() : [site.sitemap];
    const own = named.filter((each) => URL.canParse(each) && new URL(each).origin === start.origin);
    const first = own.length > 0 ? own : [new URL('/sitemap.xml', start).href];
    const found = [plain(start.href)];
    const known = new Set(found.map(keyOf));
    state = { robots, listed: undefined, found, read: 0, known, final: new Map() };
    const pages = await readSitemaps(first, signal);
    if (pages.length > site.maxPages) throw tooMany(pages.length, site.maxPages);
    if (pages.length > 0) state.listed = new Map(pages.map((page) => [pageId(page.address), page]));
    state.keys = new Set(pages.map(({ address }) => keyOf(address)));
    return state;
  };

  const readSitemaps = async (
    first: readonly string[],
    signal: AbortSignal,
  ): Promise<ListedPage[]> => {
    const waiting = [...first];
    const pages = new Map<string, ListedPage>();
    for (let count = 0; waiting.length > 0; count += 1) {
      if (count === MAX_SITEMAPS)
        throw new SourceFailed('DATA_SOURCE_ERROR', `there are more than ${MAX_SITEMAPS} sitemaps`);
      const text = await getFile(waiting.shift() ?? '', { signal, maxBytes: MAX_SITEMAP_BYTES });
      const { sitemaps, urls } =
        text === undefined ? { sitemaps: [], urls: [] } : parseSitemap(text);
      waiting.push(...sitemaps.filter((each) => new URL(each).origin === start.origin));
      for (const { address, modifiedAtMs } of urls) {
        const page = { address: plain(address), modifiedAtMs };
        const key = keyOf(page.address);
        if (mayRead(page.address) && !pages.has(key)) pages.set(key, page);
      }
    }
    return [...pages.values()];
  };

  /** Waits as long as the site wants between two pages. */
  const pause = async (): Promise<void> => {
    const wantedMs = Math.min((state?.robots.getCrawlDelay(AGENT) ?? 0) * 1000, MAX_PAUSE_MS);
    const waitMs = lastReadAtMs + Math.max(site.pauseMs, wantedMs) - now();
    if (waitMs > 0) await tools.sleep(waitMs);
    lastReadAtMs = now();
  };

  /** A page that fails or does not end in time is named, like one that is too long: the others are read. */
  const readPageAt = async (
    address: string,
    { signal, since }: { signal: AbortSignal; since: number | undefined },
  ): Promise<Read> => {
    await pause();
    const late: Read = { kind: 'unreadable', problem: 'it does not end in 8 s', failure: LATE };
    const read = await readArticleInTime(
      (inTime) => readPageWithin(address, { signal: inTime, since }),
      {
        signal,
        late,
      },
    ).catch((error: unknown): Read => {
      if (signal.aborted || !(error instanceof PageFailed)) throw error;
      return { kind: 'unreadable', problem: error.problem, failure: error.failure };
    });
    const failure = read.kind === 'unreadable' ? read.failure : undefined;
    failedInRow = failure === undefined ? 0 : failedInRow + 1;
    if (failure !== undefined && (failedInRow >= MAX_FAILED_IN_ROW || isOnlyWay(address)))
      throw failure;
    return read;
  };
  /** Without a sitemap, nothing is known of a site whose first page fails. */
  const isOnlyWay = (address: string): boolean =>
    state?.listed === undefined && keyOf(address) === keyOf(plain(start.href));

  /** Follows a page to where it leads, unless another page of the listing is read there. */
  const readFinal = async (
    asked: string,
    { signal, since }: { signal: AbortSignal; since: number | undefined },
  ): Promise<Read> => {
    let read = await readPageAt(asked, { signal, since });
    for (let step = 0; read.kind === 'elsewhere' && step < MAX_REDIRECTS; step += 1) {
      const { address } = read;
      const key = keyOf(address);
      const isOther = key !== keyOf(asked);
      const isRead = state?.listed === undefined ? state?.known.has(key) : state.keys?.has(key);
      if (!mayRead(address) || (isOther && (isRead || (state?.final.get(key) ?? asked) !== asked)))
        return read;
      // Without a sitemap, other addresses are read in their turn.
      if (isOther && state?.listed === undefined) return read;
      state?.final.set(key, asked);
      read = await readPageAt(address, { signal, since });
    }
    return read;
  };

  const readPageWithin = async (
    address: string,
    { signal, since }: { signal: AbortSignal; since: number | undefined },
  ): Promise<Read> => {
    const before = since === undefined ? undefined : seen.get(address);
    const response = await getPage(address, {
      signal,
      headers: {
        Accept: 'text/html',
        ...(before?.etag === undefined ? {} : { 'If-None-Match': before.etag }),
        ...(before?.modified === undefined ? {} : { 'If-Modified-Since': before.modified }),
      },
    });
    if (!response.ok) {
      discard(response.body);
      if (response.status === 304) return { kind: 'unchanged', links: before?.links ?? [] };
      const location = response.headers.get('Location');
      if (response.status < 400 && location !== null && URL.canParse(location, address))
        return { kind: 'elsewhere', address: plain(new URL(location, address).href) };
      if (GONE.has(response.status)) return { kind: 'none' };
      if (response.status === 429) throw failedBy(response, now());
      const problem = `the server answers ${response.status}`;
      // Its readers sign in, or the server turns this one away: the page still exists, and the server works.
      if (FORBIDDEN.has(response.status) && !isOnlyWay(address))
        return { kind: 'unreadable', problem };
      throw new PageFailed(problem, failedBy(response, now()));
    }
    const type = response.headers.get('Content-Type') ?? '';
    if (
      !/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type) ||
      isHiddenBy(response.headers.get('X-Robots-Tag') ?? '')
    ) {
      discard(response.body);
      return { kind: 'none' };
    }
    const bytes = await readBytes(response, { maxBytes: MAX_PAGE_BYTES, signal }).catch(
      (cause: unknown) => {
        if (cause instanceof HttpFailure && cause.kind === 'too-large') return undefined;
        if (signal.aborted) throw cause;
        throw new PageFailed(
          'it breaks off',
          new SourceFailed('SERVICE_UNAVAILABLE', 'a page broke off', { cause }),
        );
      },
    );
    if (bytes === undefined) return { kind: 'unreadable', problem: 'it is larger than 4 MiB' };
    const label = /charset\s*=\s*["']?([\w-]+)/i.exec(type)?.[1];
    const html = decodeText(bytes, label);
    if (html === undefined)
      return { kind: 'unreadable', problem: 'it is no text, or its encoding is in doubt' };
    const page = readWebPage(html, address);
    if (page === undefined)
      return {
        kind: 'unreadable',
        problem: 'it has more than 10,000 tags, or is nested more than 100 levels deep',
      };
    const modified = response.headers.get('Last-Modified') ?? undefined;
    const links = page.links.map(plain);
    if (page.refresh !== undefined && plain(page.refresh) !== address)
      return { kind: 'elsewhere', address: plain(page.refresh) };
    if (page.isNotFound) return { kind: 'unreadable', problem: 'it says that it does not exist' };
    if (page.isScripted)
      return { kind: 'unreadable', problem: 'its text is made by a script, which is not run' };
    seen.set(address, { etag: response.headers.get('ETag') ?? undefined, modified, links });
    if (page.isHidden) return { kind: 'unchanged', links };
    const canonical = page.canonical === undefined ? address : plain(page.canonical);
    // Templates that name the first page as the canonical address of every page are wrong.
    const isHome =
      new URL(canonical).pathname === '/' || keyOf(canonical) === keyOf(plain(start.href));
    if (keyOf(canonical) !== keyOf(address) && !isHome && isKnown(canonical))
      return { kind: 'elsewhere', address: canonical };
    const time = Date.parse(modified ?? '');
    return {
      kind: 'page',
      page,
      address,
      modifiedAtMs: page.modifiedAtMs ?? (Number.isNaN(time) ? undefined : time),
    };
  };

  /** Whether a page that another one names as its canonical address is read itself. */
  const isKnown = (address: string): boolean =>
    mayRead(address) && (state?.listed === undefined || state.keys?.has(keyOf(address)) === true);

  const articleOf = (
    asked: string,
    read: Read,
    modifiedAtMs?: number,
  ): (SourceArticle | UnreadableArticle)[] => {
    if (read.kind === 'unreadable') {
      const named = { unreadableId: pageId(asked), problem: read.problem };
      // Pages that only a failed page links to are not found: none may count as deleted.
      return read.failure !== undefined && state?.listed === undefined
        ? [named, { unreadableId: undefined }]
        : [named];
    }
    if (read.kind !== 'page' || read.page.text === '') return [];
    const { address } = read;
    const { title, text, language, translations, omitted } = read.page;
    return [
      {
        id: pageId(address),
        title,
        url: address,
        body: text,
        format: 'commonmark',
        labels: [],
        leftOut: omitted,
        updatedAtMs: modifiedAtMs ?? read.modifiedAtMs,
        locale:
          language !== undefined && /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(language)
            ? language
            : undefined,
        // Each names all of them, itself included.
        translationKey: translations.length > 1 ? translations.toSorted()[0] : undefined,
      },
    ];
  };

  const readListed = async (
    listed: ReadonlyMap<string, ListedPage>,
    { after, limit, since, signal }: Reading & { after: string },
  ) => {
    const ids = [...listed.keys()].filter((id) => id > after).sort();
    const wanted = ids.filter((id) => isSince(listed.get(id)?.modifiedAtMs, since));
    const articles: (SourceArticle | UnreadableArticle)[] = [];
    const untilMs = now() + WORK_MS;
    let last: string | undefined;
    for (const id of wanted.slice(0, Math.min(limit, MAX_PAGES_AT_ONCE))) {
      if (last !== undefined && now() > untilMs) break;
      const { address, modifiedAtMs } = listed.get(id) ?? { address: '', modifiedAtMs: undefined };
      articles.push(
        ...articleOf(address, await readFinal(address, { signal, since }), modifiedAtMs),
      );
      last = id;
    }
    return {
      articles,
      next: last === undefined || last === wanted.at(-1) ? undefined : { after: last },
    };
  };

  const follow = (current: SiteState, index: number, read: Read): void => {
    if (index < current.read) return;
    current.read = index + 1;
    const links =
      read.kind === 'page'
        ? read.page.links.map(plain)
        : 'links' in read
          ? read.links
          : 'address' in read
            ? [read.address]
            : [];
    for (const link of links) {
      // A page that answers to any query would be read without end.
      if (current.known.has(keyOf(link)) || new URL(link).search !== '' || !mayRead(link)) continue;
      if (current.found.length >= site.maxPages)
        throw tooMany(current.found.length + 1, site.maxPages);
      current.known.add(keyOf(link));
      current.found.push(link);
    }
  };

  const readFound = async (
    current: SiteState,
    { crawled, of, limit, since, signal }: Reading & { crawled: number; of: string },
  ) => {
    const untilMs = now() + WORK_MS;
    // Another isolate may have read the pages before: their links are found again.
    for (let index = current.read; index < crawled; index += 1) {
      if (now() > untilMs || current.found[index] === undefined) throw interrupted();
      follow(
        current,
        index,
        await readFinal(current.found[index] ?? '', { signal, since: undefined }),
      );
    }
    if (crawled > 0 && hashOf(current.found.slice(0, crawled)) !== of) throw interrupted();
    const articles: (SourceArticle | UnreadableArticle)[] = [];
    let index = crawled;
    for (
      ;
      index < current.found.length && index - crawled < Math.min(limit, MAX_PAGES_AT_ONCE);
      index += 1
    ) {
      if (index > crawled && now() > untilMs) break;
      const address = current.found[index] ?? '';
      const read = await readFinal(address, { signal, since });
      follow(current, index, read);
      articles.push(
        ...articleOf(address, read).filter(
          (each) => !('updatedAtMs' in each) || isSince(each.updatedAtMs, since),
        ),
      );
    }
    const next =
      index < current.found.length
        ? { crawled: index, of: hashOf(current.found.slice(0, index)) }
        : undefined;
    return { articles, next };
  };

  return {
    readPage: async ({ updatedSinceMs: since, limit, position, signal }) => {
      const at = positionIn(position, Position);
      const current = at === undefined || state === undefined ? await openSite(signal) : state;
      const reading = { limit, since, signal };
      if (current.listed !== undefined)
        return readListed(current.listed, {
          ...reading,
          after: at !== undefined && 'after' in at ? at.after : '',
        });
      const { crawled, of } = at !== undefined && 'crawled' in at ? at : { crawled: 0, of: '' };
      const page = await readFound(current, { ...reading, crawled, of });
      if (
        since === undefined &&
        page.next === undefined &&
        current.found.length === 1 &&
        page.articles.length === 0
      )
        throw new SourceFailed(
          'NOT_FOUND',
          'the first page has no text and no links: check its address, and robots.txt',
        );
      return page;
    },
  };
}

/** One page fails, while its server may answer for others. */
class PageFailed extends Error {
  override name = 'PageFailed';
  readonly problem: string;
  /** What it means if the server fails for all. */
  readonly failure: SourceFailed;

  constructor(problem: string, failure: SourceFailed) {
    super(problem, { cause: failure });
    this.problem = problem;
    this.failure = failure;
  }
}

const LATE = new SourceFailed(
  'SERVICE_UNAVAILABLE',
  `${MAX_FAILED_IN_ROW} pages one after the other did not end in time`,
);

interface Reading {
  limit: number;
  since: number | undefined;
  signal: AbortSignal;
}

const interrupted = (): SourceFailed =>
  new SourceFailed(
    'SERVICE_UNAVAILABLE',
    'following the links of the site was interrupted; a sitemap makes it certain',
  );

const tooMany = (count: number, maxPages: number): SourceFailed =>
  new SourceFailed(
    'DATA_SOURCE_ERROR',
    `the site has ${count} pages or more, and maxPages is ${maxPages}: raise it, or exclude paths`,
  );

const failedBy = (response: Response, now: number): SourceFailed =>
  sourceFailedBy(new HttpFailure('status', `status is ${response.status}`, { response }), now);

/** Most steps from a page to where it leads. */
const MAX_REDIRECTS = 4;

/** `/help` and `/help/` bound what is read to that path, `/help/start.html` to `/help/`. */
const folderOf = (pathname: string): string =>
  /\.\w{1,5}$/.test(pathname)
    ? pathname.slice(0, pathname.lastIndexOf('/') + 1)
    : `${pathname.replace(/\/+$/, '')}/`;

/** Parameters that only say where a reader comes from. */
const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|_gl|yclid|igshid)$/i;

/** Without the fragment, which is a place within a page, and without what only counts readers. */
const plain = (address: string): string => {
  const url = new URL(address);
  url.hash = '';
  for (const name of [...url.searchParams.keys()])
    if (TRACKING.test(name)) url.searchParams.delete(name);
  return url.href;
};

/** Equal for the addresses of one page: with or without a slash or `index.html` at its end. */
const keyOf = (address: string): string => {
  const { origin, pathname, search } = new URL(address);
  return origin + pathname.replace(/\/(?:index\.x?html?|index\.php)?$/i, '') + search;
};

/**
 * `/guides/reset.html` -> `guides/reset.html`, `/guides/` -> `guides/index`. An address that is more than a plain path gets a hash, so that
 * no two pages have the same id.
 */
const pageId = (address: string): string => {
  const { pathname, search } = new URL(address);
  const path = pathname.slice(1).replace(/(^|\/)$/, '$1index');
  const isPlain =
    search === '' &&
    path.length <= 200 &&
    PLAIN_PATH.test(path) &&
    !/(?:^|\/)index$/.test(pathname);
  if (isPlain) return path;
  const words = decodeUri(path)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 100);
  return `${words}-${hashText(pathname + search).slice(0, 8)}`;
};

const PLAIN_PATH = /^\w[\w.~-]*(?:\/\w[\w.~-]*)*$/;

const hashOf = (addresses: readonly string[]): string => hashText(addresses.join('\n'));
const hashText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** `noindex` and `none` of the header X-Robots-Tag, unless they are for another reader alone (`otherbot: noindex`). */
const isHiddenBy = (header: string): boolean => {
  let isOurs = true;
  return header.split(',').some((each) => {
    const [, agent, rule = ''] = /^\s*(?:([\w-]{1,60})\s*:)?\s*(.*)$/.exec(each) ?? [];
    // What follows the name of a reader is for it, until another is named.
    if (agent !== undefined && !/^(?:unavailable_after|max-\w+-\w+)$/i.test(agent))
      isOurs = agent.toLowerCase() === AGENT;
    return isOurs && /^(?:noindex|none)$/i.test(rule.trim());
  });
};

const Alternate = z.object({ '@_hreflang': z.string(), '@_href': z.string().max(2048) });
const Entry = z.object({
  loc: z.string().max(2048),
  lastmod: z.string().max(40).optional().catch(undefined),
  /** Translations, which need no entries of their own. */
  link: z.array(z.unknown()).max(200).optional().catch(undefined),
});
const Sitemap = z.object({
  urlset: z
    .object({ url: z.array(z.unknown()).default([]) })
    .optional()
    .catch(undefined),
  sitemapindex: z
    .object({ sitemap: z.array(z.unknown()).default([]) })
    .optional()
    .catch(undefined),
});

/** Reads a sitemap, also one of plain lines, or an index of sitemaps (sitemaps.org, protocol 0.9). What is not one has no entries. */
const parseSitemap = (xml: string): { sitemaps: string[]; urls: ListedPage[] } => {
  if (/^\ufeff?\s*https?:\/\//i.test(xml)) {
    const lines = xml.replace(/^\ufeff/, '').split('\n');
    return { sitemaps: [], urls: lines.flatMap((line) => listedAt(line, undefined)) };
  }
  const parser = new XMLParser({
    isArray: (name) => name === 'url' || name === 'sitemap' || name === 'link',
    ignoreAttributes: false,
    parseTagValue: false,
    removeNSPrefix: true,
  });
  let parsed: unknown;
  try {
    parsed = parser.parse(xml);
  } catch {
    return { sitemaps: [], urls: [] };
  }
  const read = readAs(Sitemap, parsed);
  const { urlset, sitemapindex } = read.ok ? read.value : {};
  return {
    sitemaps: entriesIn(sitemapindex?.sitemap ?? []).map(({ address }) => address),
    urls: entriesIn(urlset?.url ?? []),
  };
};

const entriesIn = (members: readonly unknown[]): ListedPage[] =>
  members.flatMap((member) => {
    const entry = readAs(Entry, member);
    if (!entry.ok) return [];
    const { loc, lastmod, link = [] } = entry.value;
    const alternates = link.flatMap((each) => {
      const alternate = readAs(Alternate, each);
      return alternate.ok ? [alternate.value['@_href']] : [];
    });
    return [loc, ...alternates].flatMap((address) => listedAt(address, lastmod));
  });

const listedAt = (address: string, lastmod: string | undefined): ListedPage[] => {
  const modifiedAtMs = Date.parse(lastmod ?? '');
  return URL.canParse(address.trim())
    ? [
        {
          address: address.trim(),
          modifiedAtMs: Number.isNaN(modifiedAtMs) ? undefined : modifiedAtMs,
        },
      ]
    : [];
};

export const website = defineSource({
  tool: 'website',
  hasPathsAsIds: true,
  options: {
    url: Url,
    sitemap: Url.optional(),
    exclude: z.array(z.string().startsWith('/').max(500)).max(100).default([]),
    maxPages: z.int().min(1).max(10_000).default(2000),
    pauseMs: z.int().min(0).max(10_000).default(200),
  },
  open: ({ fetch, now }, options) => websiteArticles(options, { fetch, now, sleep }),
});
