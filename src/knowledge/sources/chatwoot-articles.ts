import * as z from 'zod';
import { optionalSeconds } from '../../platform/http/read-fields.ts';
import {
  type ArticleApi,
  ArticleBody,
  ArticleId,
  type ArticleSource,
  ArticleTitle,
  callApi,
  FIRST_PAGE,
  isSince,
  Labels,
  List,
  Locale,
  NumberedPage,
  nextPage,
  positionIn,
  readEach,
  SourceFailed,
} from './article-source.ts';
import { defineSource, type Opened, publicUrlOf, Text, Url } from './define-source.ts';

const Article = z.object({
  id: ArticleId,
  slug: z.string().max(500).nullish().catch(undefined),
  title: ArticleTitle,
  /** Markdown. */
  content: ArticleBody,
  status: z.string(),
  updated_at: optionalSeconds,
  category: z.object({ slug: z.string().nullish() }).nullish().catch(undefined),
  meta: z.object({ tags: Labels }).nullish().catch(undefined),
});

const Listing = z.object({
  payload: List,
  meta: z.object({ articles_count: z.int().min(0).nullish() }).nullish(),
});

const Position = NumberedPage.extend({ locale: z.int().min(0).max(50) });

/** Fixed by the tool. */
const PAGE = 25;

const OPTIONS = {
  accountId: Text,
  /** The portal's slug. */
  portal: Text,
  /** Rows of a list do not contain their locale, so each locale is a list of its own. */
  locales: z.array(Locale).min(1).max(20).default(['en']),
  /** Public URL of the portal; that of the API when absent. */
  publicUrl: Url.optional(),
};

/**
 * A portal of Chatwoot's help center: published articles of each locale, 25 a page, the latest change first. The category counts as
 * a label. Articles in every state are requested, since the tool's total always counts them all.
 */
const chatwootArticles = (
  api: ArticleApi,
  { accountId, portal, locales, ...addresses }: Opened<typeof OPTIONS>,
): ArticleSource => ({
  readPage: async ({ updatedSinceMs, position, signal }) => {
    const at = positionIn(position, Position) ?? { ...FIRST_PAGE, locale: 0 };
    const locale = locales[at.locale];
    if (locale === undefined)
      throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
    const query = new URLSearchParams({ page: String(at.page), locale });
    const place = `/api/v1/accounts/${encodeURIComponent(accountId)}/portals/${encodeURIComponent(portal)}`;
    const { payload, meta } = await callApi(api, {
      path: `${place}/articles?${query}`,
      reply: Listing,
      signal,
    });
    const isWhole = updatedSinceMs === undefined;
    let isOlder = false;
    const articles = readEach(payload, Article, {
      take: ({ id, slug, title, content, status, updated_at, category, meta: more }) => {
        isOlder ||= !isSince(updated_at, updatedSinceMs);
        if (status !== 'published' || !isSince(updated_at, updatedSinceMs)) return [];
        const url = slug
          ? `${publicUrlOf(addresses)}/hc/${encodeURIComponent(portal)}/articles/${encodeURIComponent(slug)}`
          : undefined;
        const labels = [...(category?.slug ? [category.slug] : []), ...(more?.tags ?? [])];
        return [
          {
            id,
            title,
            url,
            body: content,
            format: 'markdown',
            updatedAtMs: updated_at,
            labels,
            locale,
          },
        ];
      },
    });
    const total = meta?.articles_count ?? undefined;
    const further = isOlder
      ? undefined
      : nextPage(at, { members: payload, total, pageSize: PAGE, isWhole });
    if (further) return { articles, next: { ...further, locale: at.locale } };
    const isLast = at.locale + 1 >= locales.length;
    return { articles, next: isLast ? undefined : { ...FIRST_PAGE, locale: at.locale + 1 } };
  },
});

export const chatwoot = defineSource({
  tool: 'chatwoot',
  options: OPTIONS,
  headers: (token) => ({ api_access_token: token }),
  open: chatwootArticles,
});
