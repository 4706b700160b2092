import * as z from 'zod';
import type { ArticleSource } from './article-source.ts';
import { CountedPage, FIRST_PAGE, nextPage } from './counted-pages.ts';
import {
  ArticleBody,
  ArticleId,
  ArticleTitle,
  isSince,
  Labels,
  List,
  positionIn,
  readEach,
  Seconds,
} from './read-articles.ts';
import { type ArticleApi, readTool } from './read-tool.ts';
import { SourceFailed } from './source-failed.ts';

const Article = z.object({
  id: ArticleId,
  slug: z.string().max(500).nullish().catch(undefined),
  title: ArticleTitle,
  /** Markdown. */
  content: ArticleBody,
  status: z.string(),
  updated_at: Seconds,
  category: z.object({ slug: z.string().nullish() }).nullish().catch(undefined),
  meta: z.object({ tags: Labels }).nullish().catch(undefined),
});

const Listing = z.object({
  payload: List,
  meta: z.object({ articles_count: z.int().min(0).nullish() }).nullish(),
});

const Position = CountedPage.extend({ locale: z.int().min(0).max(50) });

/** The tool's own; it takes no other. */
const PAGE = 25;

export interface ChatwootPortal {
  accountId: string;
  /** The portal's slug. */
  portal: string;
  /** The list does not print a row's locale, so each locale is a list of its own. */
  locales: readonly string[];
  /** Where customers read the portal, without a slash at its end. */
  publicUrl: string;
}

/**
 * A portal of Chatwoot's help center: published articles in each locale, by 25, the newest change first. Their category counts
 * as a label. Articles in every state are asked for, as the tool counts them all whatever state is asked for.
 */
export const chatwootArticles = (
  api: ArticleApi,
  { accountId, portal, locales, publicUrl }: ChatwootPortal,
): ArticleSource => ({
  readPage: async ({ updatedSinceMs, position, signal }) => {
    const at = positionIn(position, Position) ?? { ...FIRST_PAGE, locale: 0 };
    const locale = locales[at.locale];
    if (locale === undefined) throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
    const query = new URLSearchParams({ page: String(at.page), locale });
    const place = `/api/v1/accounts/${encodeURIComponent(accountId)}/portals/${encodeURIComponent(portal)}`;
    const { payload, meta } = await readTool(api, { path: `${place}/articles?${query}`, reply: Listing, signal });
    const isWhole = updatedSinceMs === undefined;
    let isOlder = false;
    const articles = readEach(payload, Article, {
      take: ({ id, slug, title, content, status, updated_at, category, meta: more }) => {
        isOlder ||= !isSince(updated_at, updatedSinceMs);
        if (status !== 'published' || !isSince(updated_at, updatedSinceMs)) return [];
        const url = slug
          ? `${publicUrl}/hc/${encodeURIComponent(portal)}/articles/${encodeURIComponent(slug)}`
          : undefined;
        const labels = [...(category?.slug ? [category.slug] : []), ...(more?.tags ?? [])];
        return [{ id, title, url, body: content, format: 'markdown', updatedAtMs: updated_at, labels, locale }];
      },
    });
    const total = meta?.articles_count ?? undefined;
    const further = isOlder ? undefined : nextPage(at, { members: payload, total, pageSize: PAGE, isWhole });
    if (further) return { articles, next: { ...further, locale: at.locale } };
    const isLast = at.locale + 1 >= locales.length;
    return { articles, next: isLast ? undefined : { ...FIRST_PAGE, locale: at.locale + 1 } };
  },
});
