import * as z from 'zod';
import { Audience } from '../../contract/core/names.ts';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import { optionalTime } from '../../platform/http/read-fields.ts';
import {
  Address,
  type ArticleApi,
  ArticleBody,
  ArticleId,
  type ArticleSource,
  ArticleTitle,
  callApi,
  isSince,
  Labels,
  List,
  Locale,
  positionIn,
  readEach,
  type SourceArticle,
  SourceFailed,
} from './article-source.ts';
import { defineSource, Text } from './define-source.ts';

const Article = z.object({
  id: ArticleId,
  title: ArticleTitle,
  body: ArticleBody,
  html_url: Address,
  locale: Locale,
  source_locale: z.string().nullish(),
  draft: z.boolean(),
  /** `null`: everyone. */
  user_segment_id: z.union([z.number(), z.string()]).nullable(),
  user_segment_ids: z
    .array(z.union([z.number(), z.string()]))
    .max(1000)
    .nullish(),
  label_names: Labels,
  updated_at: optionalTime,
});
type Article = z.infer<typeof Article>;

const Listing = z.object({
  articles: List,
  meta: z.object({ has_more: z.boolean(), after_cursor: z.string().nullish() }),
});

const Feed = z.object({
  articles: List,
  count: z.int().min(0),
  end_time: z.int().min(0).nullish(),
});

const Position = z.union([
  z.object({
    /** Index in `locales`. */
    locale: z.int().min(0).max(50),
    after: z
      .string()
      .regex(/^[\w+/=.-]{1,300}$/)
      .optional(),
  }),
  z.object({
    /** optionalSeconds since 1970. */
    start: z.int().min(0),
    /** Articles of this second that were sent already. */
    sent: z.array(z.string().max(40)).max(8),
  }),
]);

type Position = z.infer<typeof Position>;

const MAX_PAGE = 100;
/** A page of the feed; it cannot get past so many articles with the same time. */
const FEED_PAGE = 1000;
const MAX_SENT = 8;

/**
 * Zendesk's Help Center. Changes come from the incremental feed; full listings, which show deletions, use cursors, which do not shift
 * when an article is deleted. Drafts are omitted, and so are articles for user segments that
 * `segments` does not name; a listing of changes shows the latter to no one, as they may have been for everybody before.
 *
 * @param options.segments Audiences by user segment.
 * @param options.locales Each is listed with its translations. When empty, every article is listed in its source language.
 */
const zendeskArticles = (
  api: ArticleApi,
  { locales, segments }: { locales: readonly string[]; segments: Readonly<Record<string, string>> },
): ArticleSource => {
  const list = async (
    { locale, after }: { locale: number; after?: string | undefined },
    {
      limit,
      updatedSinceMs,
      signal,
    }: { limit: number; updatedSinceMs: number | undefined; signal: AbortSignal },
  ) => {
    const name = locales[locale];
    if (name === undefined && (locales.length > 0 || locale > 0))
      throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
    const query = new URLSearchParams({ 'page[size]': String(Math.min(limit, MAX_PAGE)) });
    if (after !== undefined) query.set('page[after]', after);
    const path = `/api/v2/help_center${name === undefined ? '' : `/${name}`}/articles.json?${query}`;
    const { articles, meta } = await callApi(api, { path, reply: Listing, signal });
    if (meta.has_more && !meta.after_cursor)
      throw new SourceFailed('DATA_SOURCE_ERROR', 'a page has no cursor to the next');
    const next = meta.has_more ? { locale, after: meta.after_cursor } : { locale: locale + 1 };
    return {
      articles: readEach(articles, Article, {
        take: readableOnly(({ updated_at }) => isSince(updated_at, updatedSinceMs), {
          segments,
          isWhole: updatedSinceMs === undefined,
        }),
        // It may be a translation.
        idsOf: (id) => (name === undefined ? [id] : [id, `${id}-${name}`]),
      }),
      next: meta.has_more || locale + 1 < locales.length ? next : undefined,
    };
  };

  const feed = async (
    { start, sent }: { start: number; sent: readonly string[] },
    signal: AbortSignal,
  ) => {
    const path = `/api/v2/help_center/incremental/articles.json?start_time=${start}`;
    const { articles, count, end_time } = await callApi(api, { path, reply: Feed, signal });
    const end = end_time ?? start;
    // The end is the time of the last article, with which the next page begins again.
    const atEnd: string[] = [];
    const found = readEach(articles, Article, {
      take: readableOnly(
        (article) => {
          const isNew = !(secondOf(article) === start && sent.includes(article.id));
          if (secondOf(article) === end) atEnd.push(article.id);
          return isNew;
        },
        { segments, isWhole: false },
      ),
    });
    const isStuck = end <= start;
    if (isStuck && count >= FEED_PAGE) return { articles: found, next: { locale: 0 } };
    return {
      articles: found,
      next: count === 0 || isStuck ? undefined : { start: end, sent: atEnd.slice(-MAX_SENT) },
    };
  };

  return {
    readPage: async ({ updatedSinceMs, limit, position, signal }) => {
      // The feed has no translations.
      const hasFeed = updatedSinceMs !== undefined && locales.length === 0;
      const first: Position = hasFeed
        ? { start: Math.floor(updatedSinceMs / 1000), sent: [] }
        : { locale: 0 };
      const at = positionIn(position, Position) ?? first;
      return 'start' in at ? feed(at, signal) : list(at, { limit, updatedSinceMs, signal });
    },
  };
};

const secondOf = ({ updated_at }: Article): number | undefined =>
  updated_at === undefined ? undefined : Math.floor(updated_at / 1000);

const readableOnly =
  (
    isWanted: (article: Article) => boolean,
    { segments, isWhole }: { segments: Readonly<Record<string, string>>; isWhole: boolean },
  ) =>
  (article: Article): SourceArticle[] => {
    const {
      id,
      title,
      body,
      html_url: url,
      locale,
      source_locale: source,
      updated_at: updatedAtMs,
    } = article;
    const named = [article.user_segment_id ?? [], article.user_segment_ids ?? []]
      .flat()
      .map(String);
    const audience =
      named.length === 0
        ? undefined
        : named.flatMap((segment) =>
            Object.hasOwn(segments, segment) ? (segments[segment] ?? []) : [],
          );
    const isLeftOut = article.draft || (isWhole && audience?.length === 0);
    // `isWanted` runs for every article: the feed counts them.
    if (!isWanted(article) || isLeftOut) return [];
    const isTranslation = source !== undefined && source !== null && source !== locale;
    return [
      {
        id: isTranslation ? `${id}-${locale}` : id,
        title,
        url,
        body,
        updatedAtMs,
        locale,
        format: 'html',
        labels: article.label_names,
        audience,
      },
    ];
  };

export const zendesk = defineSource({
  tool: 'zendesk',
  options: {
    /** Owner of the API token; without it the token is an OAuth token. */
    email: Text.optional(),
    locales: z.array(Locale).max(20).default([]),
    /** Audiences by user segment: `{"360001": "staff"}`. Articles for other segments are left out. */
    segments: z.record(z.string().regex(/^\d{1,30}$/), Audience).default({}),
  },
  headers: (token, { email }) => ({
    Authorization: email === undefined ? `Bearer ${token}` : basicAuth(`${email}/token`, token),
  }),
  open: zendeskArticles,
});
