import type { LocalArticle } from '../desk/local-articles.ts';
import { numberIn } from '../desk/read-request.ts';
import type { Routes } from '../desk/route.ts';
import { type DeskParts, DeskRefusal } from '../desk/stand-in.ts';
import { ACCOUNT } from './chatwoot-shapes.ts';

const PORTAL = 'help';
const PAGE = 25;

/** The help center: by page with the token, whole without. What is private counts as a draft: Chatwoot knows nothing else. */
export function articleRoutes({ articles, apiUrl }: DeskParts): Routes {
  const portal = (slug: string | undefined): void => {
    if (slug !== PORTAL)
      throw new DeskRefusal({ status: 404, body: { error: 'Resource could not be found' } });
  };
  return {
    'GET /api/v1/accounts/:account/portals/:portal/articles': ({ query }, [account, slug]) => {
      if (account !== String(ACCOUNT.id))
        throw new DeskRefusal({
          status: 401,
          body: { error: 'You are not authorized to access this account' },
        });
      portal(slug);
      const inLocale = articles
        .all()
        .filter(({ locale }) => locale === (query.get('locale') ?? locale));
      const wanted = inLocale.filter(
        (article) => statusOf(article) === (query.get('status') ?? statusOf(article)),
      );
      const page = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
      const payload = newestFirst(wanted)
        .slice((page - 1) * PAGE, page * PAGE)
        .map(articleShape);
      return { status: 200, body: { payload, meta: metaOf(inLocale, page) } };
    },
    'GET /hc/:portal/:locale/articles.json': ({ query }, [slug, wantedLocale]) => {
      portal(slug);
      const published = articles
        .all()
        .filter((one) => statusOf(one) === 'published' && one.locale === wantedLocale);
      const size = numberIn(query, 'per_page', { otherwise: Number.MAX_SAFE_INTEGER, most: 100 });
      const page = numberIn(query, 'page', { otherwise: 1, most: 1_000_000 });
      const payload = newestFirst(published)
        .slice((page - 1) * size, page * size)
        .map((one) => ({
          id: Number(one.id),
          slug: slugOf(one),
          title: one.title,
          content: one.body,
          status: 'published',
          link: `${apiUrl()}/hc/${PORTAL}/articles/${slugOf(one)}`,
          last_updated_at: new Date(one.updatedAt).toISOString(),
        }));
      return { status: 200, body: { payload, meta: { articles_count: published.length } } };
    },
    'GET /hc/:portal/articles/:slug': (_, [slug, name]) => {
      portal(slug);
      const found = articles
        .all()
        .find((one) => `${slugOf(one)}.md` === name && statusOf(one) === 'published');
      if (found === undefined) return { status: 404, body: '' };
      return {
        status: 200,
        body: found.body,
        headers: { 'content-type': 'text/markdown; charset=utf-8' },
      };
    },
  };
}

const newestFirst = (articles: readonly LocalArticle[]): LocalArticle[] =>
  articles.toSorted(
    (one, other) => other.updatedAt - one.updatedAt || Number(other.id) - Number(one.id),
  );

const statusOf = ({ state, audience }: LocalArticle): string =>
  audience === 'private' ? 'draft' : state;

const slugOf = ({ title, createdAt }: LocalArticle): string =>
  `${Math.floor(createdAt / 1000)}-${title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')}`;

const articleShape = (article: LocalArticle) => ({
  id: Number(article.id),
  slug: slugOf(article),
  title: article.title,
  content: article.body,
  description: null,
  status: statusOf(article),
  position: 10,
  account_id: ACCOUNT.id,
  updated_at: Math.floor(article.updatedAt / 1000),
  meta: article.labels.length === 0 ? {} : { tags: article.labels },
  // An article without a category does not tell its locale.
  category: { id: null, name: null, slug: null, locale: null },
  views: 0,
  author: { id: 11, name: 'Ines Moreau' },
  associated_articles: [],
});

/** Counts articles in every state, whichever was asked for (`articles_controller.rb`, `set_article_count`). */
const metaOf = (articles: readonly LocalArticle[], page: number) => {
  const count = (status: string) =>
    articles.filter((article) => statusOf(article) === status).length;
  return {
    all_articles_count: articles.length,
    archived_articles_count: count('archived'),
    articles_count: articles.length,
    current_page: page,
    draft_articles_count: count('draft'),
    mine_articles_count: 0,
    published_count: count('published'),
  };
};
