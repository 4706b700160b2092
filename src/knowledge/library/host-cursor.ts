import * as z from 'zod';
import { HostKbError } from './fetch-host-json.ts';

/** What leads to a page of a host's listing after the first, as it is kept between two steps of a sync. */
export const HostCursor = z.discriminatedUnion('kind', [
  /** The host's `next_cursor`. */
  z.object({ kind: z.literal('cursor'), value: z.string().min(1).max(4096) }),
  /** The address that the host's `Link` header gives for `next`. */
  z.object({ kind: z.literal('link'), value: z.url().max(4096) }),
  /** Pages counted from 1, articles before the page. */
  z.object({ kind: z.literal('count'), page: z.int().min(2), offset: z.int().min(1) }),
]);
export type HostCursor = z.infer<typeof HostCursor>;

export interface PageEnd {
  received: number;
  total: number | null | undefined;
  nextCursor: string | null | undefined;
  headers: Headers;
  /** Of the page, after redirects. */
  url: URL;
  /** As configured: a link may not lead to another host. */
  base: URL;
  limit: number;
}

/**
 * What leads on from a page: `next_cursor`, else `Link: rel="next"`, else the number of the next page until `total`
 * articles came (design 7.7). A host that says neither ends with its first page that is not full.
 *
 * @throws {HostKbError} When the link leads to another host.
 */
export const nextCursorOf = (page: PageEnd, current: HostCursor | undefined): HostCursor | undefined => {
  if (page.nextCursor) return { kind: 'cursor', value: page.nextCursor };
  const link = nextLinkOf(page.headers.get('link') ?? '');
  if (link !== undefined) return { kind: 'link', value: checkedLink(link, page) };
  if (page.received === 0 || (current !== undefined && current.kind !== 'count')) return undefined;
  const offset = (current?.offset ?? 0) + page.received;
  const isLast = typeof page.total === 'number' ? offset >= page.total : page.received < page.limit;
  return isLast ? undefined : { kind: 'count', page: (current?.page ?? 1) + 1, offset };
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
