import type { LocalArticle } from '../desk/local-articles.ts';
import { numberIn } from '../desk/read-request.ts';
import type { Routes } from '../desk/route.ts';
import type { DeskParts } from '../desk/stand-in.ts';

const COLLECTIONS = {
  public: '5214c83d45667acd25394b51',
  private: '5214c83d45667acd25394b52',
} as const;
const PAGE = 50;
const MAX_PAGE = 100;

/** Docs: one public collection and one private; lists have no texts. */
export function docsRoutes({ articles, apiUrl }: DeskParts): Routes {
  return {
    'GET /v1/collections': ({ query }) => {
      const wanted = query.get('visibility') ?? 'all';
      const items = Object.entries(COLLECTIONS)
        .filter(([visibility]) => wanted === 'all' || visibility === wanted)
        .map(([visibility, id], at) => ({
          id,
          siteId: '5214c83d45667acd25394b50',
          number: at + 1,
          visibility,
          name: visibility,
          slug: visibility,
        }));
      return { status: 200, body: { collections: pageOf(items, query) } };
    },
    'GET /v1/collections/:id/articles': ({ query }, [id]) => {
      const visibility = Object.entries(COLLECTIONS).find(
        ([, collection]) => collection === id,
      )?.[0];
      if (visibility === undefined) return NOT_FOUND;
      const status = query.get('status') ?? 'all';
      const sort = query.get('sort') === 'createdAt' ? 'createdAt' : 'updatedAt';
      const way = query.get('order') === 'desc' ? -1 : 1;
      const items = articles
        .all()
        .filter((one) => one.audience === visibility && one.state !== 'archived')
        .map((one) => referenceOf(one, apiUrl()))
        .filter((one) => status === 'all' || one.status === status)
        .toSorted((one, other) => way * (Date.parse(one[sort]) - Date.parse(other[sort])));
      return { status: 200, body: { articles: pageOf(items, query) } };
    },
    'GET /v1/articles/:id': (_, [id]) => {
      const article = articles.all().find((one) => one.id === id && one.state !== 'archived');
      if (article === undefined) return NOT_FOUND;
      const whole = {
        ...referenceOf(article, apiUrl()),
        text: article.body,
        categories: [],
        tags: article.labels,
        related: [],
      };
      return { status: 200, body: { article: whole } };
    },
  };
}

const NOT_FOUND = { status: 404, body: { code: 404, error: 'Not found' } };

const pageOf = <T>(items: readonly T[], query: URLSearchParams) => {
  const size = numberIn(query, 'pageSize', { otherwise: PAGE, most: MAX_PAGE });
  const page = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
  return {
    page,
    pages: Math.max(Math.ceil(items.length / size), 1),
    count: items.length,
    items: items.slice((page - 1) * size, page * size),
  };
};

const iso = (ms: number): string => new Date(ms).toISOString();

const slugOf = (title: string): string => title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');

const referenceOf = (
  { id, title, state, audience, createdAt, updatedAt }: LocalArticle,
  apiUrl: string,
) => ({
  id,
  number: Number.parseInt(id.slice(-6), 16),
  collectionId: COLLECTIONS[audience],
  slug: slugOf(title),
  status: state === 'published' ? 'published' : 'notpublished',
  hasDraft: false,
  name: title,
  publicUrl: `${apiUrl}/article/${id}-${slugOf(title)}`,
  popularity: 4.3,
  viewCount: 237,
  createdBy: 73_423,
  updatedBy: 73_423,
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
  lastPublishedAt: iso(updatedAt),
});
