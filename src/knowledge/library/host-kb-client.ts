import * as z from 'zod';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
import {
  ARTICLE_CONTENT_MAX_LENGTH,
  ArticleListingReply,
  HostArticleReply,
  UnreadableArticleReply,
} from '../../contract/wire/host-article.ts';
import type { SkippedArticle } from '../../contract/wire/sync.ts';
import { withRetries } from '../../platform/retry.ts';
import { type AllowedHosts, fetchHostListing, HostKbError } from './fetch-host-listing.ts';

/** Address and settings of a host knowledge base. */
interface HostKb {
  /** Address of `GET /api/kb/articles`. */
  url: string;
  /** Sent as `Authorization: Bearer`. */
  token?: string | undefined;
}

/** Everything but time, randomness and network has a default. */
interface HostKbOptions {
  fetch: typeof fetch;
  allowed: AllowedHosts;
  now: () => number;
  /** 0 to 1. */
  random: () => number;
  sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Limit of one request, its body included; 30 s. */
  timeoutMs?: number;
  /**
   * Limit of one page; 16 MiB, which may take twice that in memory, since a text outside Latin-1 has two bytes a character there. A larger page
   * is asked for again with fewer articles.
   */
  maxBytes?: number;
  /** Articles on a page, 1 to 500; 100. */
  limit?: number;
}

interface HostFilters {
  intent?: string | undefined;
  device?: string | undefined;
  /** ISO 8601. */
  updatedSince?: string | undefined;
}

export interface HostPage {
  articles: HostArticleReply[];
  /** Articles of this page that cannot be taken in. */
  skipped: SkippedArticle[];
  /** Articles on the page, whatever became of them. */
  received: number;
  /** All that match, as the host says. */
  total: number | undefined;
  /** Absent on the last page. */
  next: HostCursor | undefined;
}

export interface HostKbClient {
  /** One page of the listing, retried while that may help. Throws `HostKbError`. */
  readPage(filters: HostFilters, cursor?: HostCursor): Promise<HostPage>;
}

const MAX_ATTEMPTS = 4;
const BASE_DELAY_MS = 500;
/** A host that asks for a longer pause is left alone until the next sync. */
const MAX_PAUSE_MS = 60_000;

/** Reads the article list of a host: filters, paging, retries with back-off, bounds on size and time. */
export function hostKbClient(host: HostKb, options: HostKbOptions): HostKbClient {
  const { limit: most = 100, timeoutMs = 30_000, maxBytes = 16 * 1024 * 1024 } = options;
  if (!URL.canParse(host.url)) throw new HostKbError('its address is not a URL');
  const base = new URL(host.url);
  const token = host.token ? { origin: base.origin, value: host.token } : undefined;

  const readOnce = async (
    filters: HostFilters,
    { cursor, limit }: PagePlace,
  ): Promise<HostPage> => {
    const address = addressOf(base, { filters, cursor, limit });
    const { page, take } = pageReader();
    const fetched = { ...options, token, timeoutMs, maxBytes, onArticle: take };
    const { members, url, headers } = await fetchHostListing(address, fetched);
    const listing = readAs(ArticleListingReply, members);
    if (!listing.ok)
      throw new HostKbError(`the answer is no listing: ${describeIssues(listing.issues)}`);
    const { total, next_cursor } = listing.value;
    const end = {
      received: page.received,
      total,
      nextCursor: next_cursor,
      headers,
      url,
      base,
      limit,
      most,
    };
    return { ...page, total: total ?? undefined, next: nextCursorOf(end, cursor) };
  };

  return {
    readPage: async (filters, cursor) => {
      let place = { cursor, limit: (cursor?.kind === 'count' ? cursor.limit : undefined) ?? most };
      let failures = 0;
      return withRetries(() => readOnce(filters, place), {
        // The pauses end it.
        attempts: Number.POSITIVE_INFINITY,
        sleep: options.sleep,
        pauseMs: ({ error }) => {
          if (error === undefined) return undefined;
          const smaller =
            error instanceof HostKbError && error.isTooLarge ? withFewer(place) : undefined;
          place = smaller ?? place;
          failures = smaller === undefined ? failures + 1 : 0;
          return smaller === undefined
            ? pauseBefore(error, { attempt: failures, random: options.random })
            : 0;
        },
      });
    },
  };
}

interface PagePlace {
  cursor: HostCursor | undefined;
  /** Articles on the page. */
  limit: number;
}

const FEWER = 10;

/**
 * The same place with a tenth of the articles on the page, to the whole number; `undefined` when there is none: a link has the host's own
 * size of pages, and pages can be renumbered only where those before had the size that was asked for.
 */
const withFewer = ({ cursor, limit }: PagePlace): PagePlace | undefined => {
  const fewer = Math.ceil(limit / FEWER);
  if (fewer === limit || cursor?.kind === 'link') return undefined;
  if (cursor?.kind !== 'count') return { cursor, limit: fewer };
  if (cursor.offset !== (cursor.page - 1) * limit || cursor.offset % fewer !== 0) return undefined;
  return { cursor: { ...cursor, page: cursor.offset / fewer + 1, limit: fewer }, limit: fewer };
};

/** Half to all of 0.5 s, 1 s, 2 s, so that many libraries do not come back at once, or what the host asks for. */
const pauseBefore = (
  error: unknown,
  { attempt, random }: { attempt: number; random: () => number },
) => {
  if (!(error instanceof HostKbError) || !error.isPassing || attempt >= MAX_ATTEMPTS)
    return undefined;
  const backOffMs = BASE_DELAY_MS * 2 ** (attempt - 1) * (0.5 + random() / 2);
  const pauseMs = Math.max(backOffMs, error.retryAfterMs ?? 0);
  return pauseMs > MAX_PAUSE_MS ? undefined : Math.round(pauseMs);
};

const addressOf = (
  base: URL,
  {
    filters,
    cursor,
    limit,
  }: { filters: HostFilters; cursor: HostCursor | undefined; limit: number },
): URL => {
  if (cursor?.kind === 'link') return new URL(cursor.value);
  const url = new URL(base);
  const set = (name: string, value: string | undefined) =>
    value !== undefined && url.searchParams.set(name, value);
  set('intent', filters.intent);
  set('device', filters.device);
  set('updated_since', filters.updatedSince);
  set('limit', String(limit));
  if (cursor?.kind === 'cursor') set('cursor', cursor.value);
  // The contract names no parameter for this; hosts that count know one of these two.
  if (cursor?.kind === 'count') set('page', String(cursor.page));
  if (cursor?.kind === 'count') set('offset', String(cursor.offset));
  return url;
};

/** Takes the articles of a page one by one. */
const pageReader = () => {
  const page: Pick<HostPage, 'articles' | 'skipped' | 'received'> = {
    articles: [],
    skipped: [],
    received: 0,
  };
  const skip = (id: string, problem: string) =>
    page.skipped.push({ id, reason: `Cannot take in the article: ${problem}`.slice(0, 500) });
  const take = (reply: unknown): void => {
    if (page.received === MAX_ON_PAGE)
      throw new HostKbError(`a page has more than ${MAX_ON_PAGE} articles`);
    page.received += 1;
    const unreadable = readAs(UnreadableArticleReply, reply);
    const article = readAs(HostArticleReply, reply);
    if (unreadable.ok) skip(unreadable.value.id, unreadable.value.problem);
    else if (!article.ok) skip(idOf(reply, page.received), describeIssues(article.issues));
    else if (article.value.content.length > ARTICLE_CONTENT_MAX_LENGTH)
      skip(article.value.id, `content is longer than ${ARTICLE_CONTENT_MAX_LENGTH} characters`);
    else page.articles.push(article.value);
  };
  return { page, take };
};

const MAX_ON_PAGE = 10_000;

const idOf = (reply: unknown, place: number): string => {
  const id = typeof reply === 'object' && reply !== null && 'id' in reply ? reply.id : undefined;
  return typeof id === 'string' || typeof id === 'number'
    ? String(id).slice(0, 300)
    : `(number ${place} on its page)`;
};

/** The host knowledge base of a workspace. */
export interface LibrarySource {
  /** Its address: when it changes, the next sync lists everything. */
  url: string;
  client: HostKbClient;
}

/** Cursor of a page of a host's listing after the first, as stored between two steps of a sync. */
export const HostCursor = z.discriminatedUnion('kind', [
  /** The host's `next_cursor`. */
  z.object({ kind: z.literal('cursor'), value: z.string().min(1).max(4096) }),
  /** The address that the host's `Link` header gives for `next`. */
  z.object({ kind: z.literal('link'), value: z.url().max(4096) }),
  /** Pages counted from 1, articles before the page. */
  z.object({
    kind: z.literal('count'),
    page: z.int().min(2),
    offset: z.int().min(1),
    /** Articles on a page, when it is not the usual number. */
    limit: z.int().min(1).optional(),
  }),
]);
export type HostCursor = z.infer<typeof HostCursor>;

interface PageEnd {
  received: number;
  total: number | null | undefined;
  nextCursor: string | null | undefined;
  headers: Headers;
  /** Address of the page, after redirects. */
  url: URL;
  /** As configured: a link may not lead to another host. */
  base: URL;
  limit: number;
  /** The usual number of articles on a page. */
  most: number;
}

/**
 * What leads on from a page: `next_cursor`, else `Link: rel="next"`, else the number of the next page until `total`
 * articles came. A host that says neither ends with its first page that is not full.
 *
 * @throws {HostKbError} When the link leads to another host.
 */
const nextCursorOf = (page: PageEnd, current: HostCursor | undefined): HostCursor | undefined => {
  if (page.nextCursor) return { kind: 'cursor', value: page.nextCursor };
  const link = nextLinkOf(page.headers.get('link') ?? '');
  if (link !== undefined) return { kind: 'link', value: checkedLink(link, page) };
  if (page.received === 0 || (current !== undefined && current.kind !== 'count')) return undefined;
  const offset = (current?.offset ?? 0) + page.received;
  const isLast = typeof page.total === 'number' ? offset >= page.total : page.received < page.limit;
  const size = page.limit === page.most ? {} : { limit: page.limit };
  return isLast ? undefined : { kind: 'count', page: (current?.page ?? 1) + 1, offset, ...size };
};

/** The target of `rel="next"` in a Link header (RFC 8288, section 3). */
const nextLinkOf = (header: string): string | undefined => {
  for (const match of header
    .slice(0, 16_384)
    .matchAll(/<([^<>]*)>((?:\s*;\s*[\w*!#$&+.^|~-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]+))?)*)/g)) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(match[2] ?? '');
    const kinds = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
    if (kinds.includes('next')) return match[1];
  }
  return undefined;
};

const checkedLink = (link: string, { url, base }: PageEnd): string => {
  const next = URL.canParse(link, url) ? new URL(link, url) : undefined;
  if (next?.host !== base.host || next.href.length > 4096)
    throw new HostKbError('the link to the next page leads elsewhere');
  return next.href;
};
