import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { optionalSeconds } from '../../platform/http/read-fields.ts';
import {
  Address,
  type ArticleApi,
  ArticleBody,
  ArticleId,
  type ArticleSource,
  ArticleTitle,
  callApi,
  FIRST_PAGE,
  isSince,
  List,
  Locale,
  NumberedPage,
  nextPage,
  positionIn,
  readEach,
  type SourceArticle,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource } from './define-source.ts';

/** An article, or one of its translations. */
const Version = z.object({
  title: ArticleTitle,
  body: ArticleBody,
  /** `null` when it is not public. */
  url: Address,
  state: z.string(),
  updated_at: optionalSeconds,
});
type Version = z.infer<typeof Version>;

const Translated = z.object({
  /** By locale; not every member is a translation. */
  translated_content: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});

const Article = Version.extend({
  ...Translated.shape,
  id: ArticleId,
  default_locale: Locale.nullish().catch(undefined),
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
 * Intercom's public articles, the latest change first, so that a listing of changes ends with the first article that is older. Drafts,
 * articles without a public URL and the separate list of internal articles are omitted; a published translation is an article of its
 * own.
 */
const intercomArticles = (api: ArticleApi): ArticleSource => ({
  readPage: async ({ updatedSinceMs, limit, position, signal }) => {
    const at = positionIn(position, NumberedPage) ?? FIRST_PAGE;
    const pageSize = Math.min(limit, MAX_PAGE);
    const path = `/articles?page=${at.page}&per_page=${pageSize}`;
    const { data, total_count: total } = await callApi(api, { path, reply: Listing, signal });
    let isOlder = false;
    const articles = readEach(data, Article, {
      take: (article) => {
        isOlder ||= !isSince(article.updated_at, updatedSinceMs);
        return versionsOf(article).filter(
          (version) =>
            'unreadableId' in version ||
            isSince(version.updatedAtMs ?? article.updated_at, updatedSinceMs),
        );
      },
      idsOf: (id, member) => {
        const read = readAs(Translated, member);
        const locales = Object.keys((read.ok && read.value.translated_content) || {}).filter(
          isLocale,
        );
        return [id, ...locales.map((locale) => `${id}-${locale}`)];
      },
    });
    const isWhole = updatedSinceMs === undefined;
    const next = isOlder
      ? undefined
      : nextPage(at, { members: data, total: total ?? undefined, pageSize, isWhole });
    return { articles, next };
  },
});

const isLocale = (name: string): boolean => Locale.safeParse(name).success;

const versionsOf = (article: Article): (SourceArticle | UnreadableArticle)[] => {
  const { id, default_locale: main, translated_content: translations } = article;
  const labels = article.tags ?? [];
  const others = Object.entries(translations ?? {}).flatMap(
    ([locale, content]): (SourceArticle | UnreadableArticle)[] => {
      if (locale === main || !isLocale(locale) || typeof content !== 'object' || content === null)
        return [];
      const version = readAs(Version, content);
      const known = { id: `${id}-${locale}`, locale, labels };
      return version.ok ? versionOf(version.value, known) : [{ unreadableId: known.id }];
    },
  );
  return [...versionOf(article, { id, locale: main ?? undefined, labels }), ...others];
};

const versionOf = (
  { title, body, url, state, updated_at: updatedAtMs }: Version,
  known: Pick<SourceArticle, 'id' | 'locale' | 'labels'>,
): SourceArticle[] =>
  state === 'published' && url !== undefined
    ? [{ ...known, title, body, url, updatedAtMs, format: 'html' }]
    : [];

export const intercom = defineSource({
  tool: 'intercom',
  apiUrl: 'https://api.intercom.io',
  options: {},
  headers: (token) => ({ Authorization: `Bearer ${token}`, 'Intercom-Version': '2.16' }),
  open: intercomArticles,
});
