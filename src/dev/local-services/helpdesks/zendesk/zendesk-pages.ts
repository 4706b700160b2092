import type { Post } from '../desk-state.ts';
import { numberIn } from '../read-request.ts';
import { commentShape } from './zendesk-shapes.ts';

const MAX_PAGE = 100;

/** A page of comments: by cursor with `page[size]`, by number without; the oldest first unless the query says otherwise. */
export const commentPage = (posts: readonly Post[], { query, url }: { query: URLSearchParams; url: string }) => {
  const isNewestFirst = query.get('sort_order') === 'desc' || query.get('sort') === '-created_at';
  const ordered = isNewestFirst ? posts.toReversed() : posts;
  if (query.has('page[size]')) {
    const { items, ...rest } = cursorPage(ordered, { query, url });
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
};

/** What `page[size]` and `page[after]` ask for. A cursor names the last item of the page before by its place. */
export const cursorPage = <T>(
  items: readonly T[],
  { query, url, usual = MAX_PAGE }: { query: URLSearchParams; url: string; usual?: number },
) => {
  const size = numberIn(query, 'page[size]', { otherwise: usual, most: MAX_PAGE });
  const from =
    Number(
      Buffer.from(query.get('page[after]') ?? '', 'base64url')
        .toString()
        .slice(1),
    ) || 0;
  const cursorAt = (place: number) => Buffer.from(`c${place}`).toString('base64url');
  const isMore = from + size < items.length;
  const next = new URLSearchParams(query);
  next.set('page[after]', cursorAt(from + size));
  return {
    items: items.slice(from, from + size),
    meta: {
      has_more: isMore,
      after_cursor: isMore ? cursorAt(from + size) : null,
      before_cursor: from > 0 ? cursorAt(from) : null,
    },
    links: { next: isMore ? `${url}?${next}` : null, prev: null },
  };
};
