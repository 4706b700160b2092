import * as z from 'zod';
import { readAs } from '../../contract/read-as.ts';
import type { ArticleSource, SourceArticle } from './article-source.ts';
import { CountedPage, FIRST_PAGE, nextPage } from './counted-pages.ts';
import {
  Address,
  ArticleBody,
  ArticleId,
  ArticleTitle,
  isSince,
  List,
  Locale,
  positionIn,
  readEach,
  Seconds,
} from './read-articles.ts';
import { type ArticleApi, readTool } from './read-tool.ts';

/** An article, or one of its translations. */
const Version = z.object({
  title: ArticleTitle,
  body: ArticleBody,
  /** `null` when it is not public. */
  url: Address,
  state: z.string(),
  updated_at: Seconds,
});
type Version = z.infer<typeof Version>;

const Article = Version.extend({
  id: ArticleId,
  default_locale: Locale.nullish().catch(undefined),
  /** By locale; some members are not translations. */
  translated_content: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  tags: z
    .object({ tags: z.array(z.object({ name: z.string() })).max(100) })
    .transform(({ tags }) => tags.map(({ name }) => name))
    .nullish()
    .catch(undefined),
});
type Article = z.infer<typeof Article>;

const Listing = z.object({ data: List, total_count: z.int().min(0).nullish() });

const MAX_PAGE = 100;

/**
 * Intercom's public articles by page, the newest change first, so that a pass for what has changed ends with the first that is
 * older. Drafts, articles without a public address and the separate list of internal ones are left out; a translation that is
 * published comes as an article of its own.
 */
export const intercomArticles = (api: ArticleApi): ArticleSource => ({
  readPage: async ({ updatedSinceMs, limit, position, signal }) => {
    const at = positionIn(position, CountedPage) ?? FIRST_PAGE;
    const pageSize = Math.min(limit, MAX_PAGE);
    const path = `/articles?page=${at.page}&per_page=${pageSize}`;
    const { data, total_count: total } = await readTool(api, { path, reply: Listing, signal });
    let isOlder = false;
    const articles = readEach(data, Article, (article) => {
      isOlder ||= !isSince(article.updated_at, updatedSinceMs);
      return versionsOf(article).filter(({ updatedAtMs }) =>
        isSince(updatedAtMs ?? article.updated_at, updatedSinceMs),
      );
    });
    const isWhole = updatedSinceMs === undefined;
    const next = isOlder ? undefined : nextPage(at, { members: data, total: total ?? undefined, pageSize, isWhole });
    return { articles, next };
  },
});

const versionsOf = (article: Article): SourceArticle[] => {
  const { id, default_locale: main, translated_content: translations } = article;
  const labels = article.tags ?? [];
  const others = Object.entries(translations ?? {}).flatMap(([locale, content]) => {
    const version = readAs(Version, content);
    if (locale === main || !Locale.safeParse(locale).success || !version.ok) return [];
    return versionOf(version.value, { id: `${id}-${locale}`, locale, labels });
  });
  return [...versionOf(article, { id, locale: main ?? undefined, labels }), ...others];
};

const versionOf = (
  { title, body, url, state, updated_at: updatedAtMs }: Version,
  known: Pick<SourceArticle, 'id' | 'locale' | 'labels'>,
): SourceArticle[] =>
  state === 'published' && url !== undefined ? [{ ...known, title, body, url, updatedAtMs, format: 'html' }] : [];
