import type { LocalArticle } from '../desk/local-articles.ts';
import type { Routes } from '../desk/route.ts';
import type { DeskParts } from '../desk/stand-in.ts';
import { cursorPage } from './zendesk-pages.ts';
import { stampOf } from './zendesk-shapes.ts';

const PAGE = 30;
/** Page size of the incremental feed. */
const FEED_PAGE = 1000;

/** The Help Center: lists by cursor, and the feed of what has changed; archived articles are in neither. */
export function articleRoutes({ articles, apiUrl }: DeskParts): Routes {
  const shown = (locale?: string) =>
    articles
      .all()
      .filter((one) => one.state !== 'archived' && (locale === undefined || one.locale === locale));
  const list = (query: URLSearchParams, { locale, path }: { locale?: string; path: string }) => {
    const url = `${apiUrl()}${path}`;
    const { items, ...rest } = cursorPage(shown(locale), { query, url, usual: PAGE });
    const link = rest.links.next === null ? {} : { link: `<${rest.links.next}>; rel="next"` };
    return {
      status: 200,
      body: { articles: items.map((one) => articleShape(one, apiUrl())), ...rest },
      headers: link,
    };
  };
  return {
    'GET /api/v2/help_center/articles': ({ query }) =>
      list(query, { path: '/api/v2/help_center/articles.json' }),
    'GET /api/v2/help_center/incremental/articles': ({ query }) => {
      const start = Number(query.get('start_time'));
      const changed = shown()
        .filter(({ updatedAt }) => secondsOf(updatedAt) >= start)
        .toSorted((one, other) => one.updatedAt - other.updatedAt);
      const page = changed.slice(0, FEED_PAGE);
      const end_time = secondsOf(page.at(-1)?.updatedAt ?? start * 1000);
      const next_page = `${apiUrl()}/api/v2/help_center/incremental/articles.json?start_time=${end_time}`;
      const body = {
        articles: page.map((one) => articleShape(one, apiUrl())),
        count: page.length,
        end_time,
        next_page,
      };
      return { status: 200, body };
    },
    'GET /api/v2/help_center/articles/:id': (_, [id]) => {
      const article = shown().find((one) => one.id === id);
      if (article === undefined)
        return { status: 404, body: { error: 'RecordNotFound', description: 'Not found' } };
      return { status: 200, body: { article: articleShape(article, apiUrl()) } };
    },
    'GET /api/v2/help_center/:locale/articles': ({ query }, [locale = '']) =>
      list(query, { locale, path: `/api/v2/help_center/${locale}/articles.json` }),
  };
}

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

const articleShape = ({ id, title, body, locale, ...article }: LocalArticle, apiUrl: string) => ({
  id: Number(id),
  url: `${apiUrl}/api/v2/help_center/${locale}/articles/${id}.json`,
  html_url: `${apiUrl}/hc/${locale}/articles/${id}-${title.replace(/[^\p{L}\p{N}]+/gu, '-')}`,
  author_id: 31_000_000_111,
  title,
  name: title,
  body,
  locale,
  source_locale: locale,
  draft: article.state === 'draft',
  promoted: false,
  section_id: 360_011,
  user_segment_id: article.audience === 'private' ? 360_500 : null,
  permission_group_id: 360_099,
  label_names: article.labels,
  created_at: stampOf(article.createdAt),
  updated_at: stampOf(article.updatedAt),
  edited_at: stampOf(article.updatedAt),
});
