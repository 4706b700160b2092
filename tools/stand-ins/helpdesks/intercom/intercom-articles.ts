import type { LocalArticle } from '../desk/local-articles.ts';
import { numberIn } from '../desk/read-request.ts';
import type { Routes } from '../desk/route.ts';
import type { DeskParts } from '../desk/stand-in.ts';

const PAGE = 25;
const MAX_PAGE = 250;

/** Articles by page, the newest first; internal ones are a list of their own. */
export function articleRoutes({ articles, apiUrl }: DeskParts): Routes {
  const list = (query: URLSearchParams, audience: LocalArticle['audience'], path: string) => {
    const size = numberIn(query, 'per_page', { otherwise: PAGE, most: MAX_PAGE });
    const page = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
    const wanted = articles
      .all()
      .filter((one) => one.audience === audience && one.state !== 'archived')
      .toSorted(
        (one, other) => other.updatedAt - one.updatedAt || Number(other.id) - Number(one.id),
      );
    const total_pages = Math.ceil(wanted.length / size);
    const next =
      page < total_pages ? { next: `${apiUrl()}${path}?page=${page + 1}&per_page=${size}` } : {};
    const body = {
      type: 'list',
      pages: { type: 'pages', page, per_page: size, total_pages, ...next },
      total_count: wanted.length,
      data: wanted.slice((page - 1) * size, page * size).map((one) => articleShape(one, apiUrl())),
    };
    return { status: 200, body };
  };
  return {
    'GET /articles': ({ query }) => list(query, 'public', '/articles'),
    'GET /internal_articles': ({ query }) => list(query, 'private', '/internal_articles'),
    'GET /articles/:id': (_, [id]) => {
      const article = articles
        .all()
        .find((one) => one.id === id && one.audience === 'public' && one.state !== 'archived');
      if (article !== undefined) return { status: 200, body: articleShape(article, apiUrl()) };
      const errors = [{ code: 'not_found', message: 'Resource Not Found' }];
      return { status: 404, body: { type: 'error.list', request_id: 'local', errors } };
    },
  };
}

const articleShape = (
  { id, title, body, state, locale, createdAt, updatedAt }: LocalArticle,
  apiUrl: string,
) => ({
  id,
  type: 'article',
  workspace_id: 'ws_local',
  title,
  description: '',
  body,
  author_id: 991_267_715,
  state,
  created_at: Math.floor(createdAt / 1000),
  updated_at: Math.floor(updatedAt / 1000),
  has_unpublished_changes: false,
  draft_updated_at: null,
  url: state === 'published' ? `${apiUrl}/help/${locale}/articles/${id}` : null,
  parent_ids: [18],
  default_locale: locale,
});
