import type { Post } from '../desk/desk-state.ts';
import { numberIn } from '../desk/read-request.ts';
import { commentShape } from './zendesk-shapes.ts';

const MAX_PAGE = 100;

/** A page of comments: by cursor with `page[size]`, by number without; the oldest first unless the query says otherwise. */
export function commentPage(
  posts: readonly Post[],
  { query, url }: { query: URLSearchParams; url: string },
) {
  const isNewestFirst = query.get('sort_order') === 'desc' || query.get('sort') === '-created_at';
  const ordered = isNewestFirst ? posts.toReversed() : posts;
  if (query.has('page[size]')) {
    const { items, ...rest } = cursorPage(ordered, { query, url, isNewestFirst });
    return { comments: items.map(commentShape), ...rest };
  }
  const size = numberIn(query, 'per_page', { otherwise: MAX_PAGE, most: MAX_PAGE });
  const page = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
  const at = (number: number) => {
    const next = new URLSearchParams(query);
    next.set('page', String(number));
    return `${url}?${next}`;
  };
  return {
    comments: ordered.slice((page - 1) * size, page * size).map(commentShape),
    next_page: page * size < posts.length ? at(page + 1) : null,
    previous_page: page > 1 ? at(page - 1) : null,
    count: posts.length,
  };
}

/**
 * What `page[size]` and `page[after]` ask for. A cursor names the last item of the page before by its id, which grow: what comes or
 * goes meanwhile shifts nothing.
 */
export function cursorPage<T extends { id: string }>(
  items: readonly T[],
  {
    query,
    url,
    usual = MAX_PAGE,
    isNewestFirst = false,
  }: { query: URLSearchParams; url: string; usual?: number; isNewestFirst?: boolean },
) {
  const size = numberIn(query, 'page[size]', { otherwise: usual, most: MAX_PAGE });
  const last = Number(
    Buffer.from(query.get('page[after]') ?? '', 'base64url')
      .toString()
      .slice(1),
  );
  const isBehind = ({ id }: T) => (isNewestFirst ? Number(id) < last : Number(id) > last);
  const found = last > 0 ? items.findIndex(isBehind) : 0;
  const from = found < 0 ? items.length : found;
  const page = items.slice(from, from + size);
  const cursorAt = (item: T | undefined) => Buffer.from(`c${item?.id}`).toString('base64url');
  const isMore = from + size < items.length;
  const next = new URLSearchParams(query);
  next.set('page[after]', cursorAt(page.at(-1)));
  return {
    items: page,
    meta: {
      has_more: isMore,
      after_cursor: isMore ? cursorAt(page.at(-1)) : null,
      before_cursor: from > 0 ? cursorAt(page[0]) : null,
    },
    links: { next: isMore ? `${url}?${next}` : null, prev: null },
  };
}
