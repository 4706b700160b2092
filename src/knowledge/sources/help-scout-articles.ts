import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { mapBounded } from '../../platform/concurrency.ts';
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
  callApiIfFound,
  FIRST_PAGE,
  isSince,
  Labels,
  List,
  NumberedPage,
  nextPage,
  positionIn,
  readArticleInTime,
  type SourceArticle,
  SourceFailed,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource } from './define-source.ts';

const listing = <Schema extends z.ZodType>(items: Schema) =>
  z.object({ pages: z.int().min(0), count: z.int().min(0), items });

const Collections = z.object({
  collections: listing(z.array(z.object({ id: ArticleId, visibility: z.string() })).max(1000)),
});

const References = z.object({ articles: listing(List) });

const Reference = z.object({ id: ArticleId, status: z.string(), updatedAt: optionalTime });

const Article = z.object({
  article: z.object({
    id: ArticleId,
    status: z.string(),
    name: ArticleTitle,
    text: ArticleBody,
    publicUrl: Address,
    tags: Labels,
    updatedAt: optionalTime,
  }),
});

const Position = NumberedPage.extend({ collection: ArticleId });

/** Each article is a call of its own. */
const MAX_PAGE = 25;
const MAX_COLLECTION_PAGES = 10;

/**
 * Help Scout Docs: the published articles of public collections. Lists contain no texts, so each article is read on its own. Articles
 * in every state are listed, so that unpublishing one shifts no page. A full listing is sorted by creation, which edits do not change,
 * newest first: `nextPage` detects the shifts that matter. A listing of changes goes back from the latest edit to the first that is
 * older than requested.
 */
const helpScoutArticles = (api: ArticleApi): ArticleSource => ({
  readPage: async ({ updatedSinceMs, limit, position, signal }) => {
    const collections = await publicCollections(api, signal);
    const [first] = collections;
    const at =
      positionIn(position, Position) ??
      (first === undefined ? undefined : { ...FIRST_PAGE, collection: first });
    if (at === undefined) return { articles: [], next: undefined };
    if (!collections.includes(at.collection))
      throw new SourceFailed('DATA_SOURCE_ERROR', 'a collection went away while it was read');
    const pageSize = Math.min(limit, MAX_PAGE);
    const query = new URLSearchParams({
      page: String(at.page),
      pageSize: String(pageSize),
      sort: updatedSinceMs === undefined ? 'createdAt' : 'updatedAt',
      order: 'desc',
    });
    const path = `/v1/collections/${at.collection}/articles?${query}`;
    const { items, count } = (await callApi(api, { path, reply: References, signal })).articles;
    const references = items.map((item) => readAs(Reference, item));
    const isOlder = references.some(
      (one) => one.ok && !isSince(one.value.updatedAt, updatedSinceMs),
    );
    const articles = await mapBounded(
      references,
      async (reference): Promise<(SourceArticle | UnreadableArticle)[]> => {
        if (!reference.ok) return [{ unreadableId: undefined }];
        const { id, status, updatedAt } = reference.value;
        if (status !== 'published' || !isSince(updatedAt, updatedSinceMs)) return [];
        return readArticleInTime<(SourceArticle | UnreadableArticle)[]>(
          (inTime) => readArticle(api, id, inTime),
          {
            signal,
            late: [{ unreadableId: id }],
          },
        );
      },
    );
    const isWhole = updatedSinceMs === undefined;
    const further = isOlder
      ? undefined
      : nextPage(at, { members: items, total: count, pageSize, isWhole });
    const nextCollection = collections[collections.indexOf(at.collection) + 1];
    const atNext =
      nextCollection === undefined ? undefined : { ...FIRST_PAGE, collection: nextCollection };
    return {
      articles: articles.flat(),
      next: further ? { ...further, collection: at.collection } : atNext,
    };
  },
});

/** Ids, sorted. */
const publicCollections = async (api: ArticleApi, signal: AbortSignal): Promise<string[]> => {
  const found: string[] = [];
  for (let page = 1; page <= MAX_COLLECTION_PAGES; page += 1) {
    const path = `/v1/collections?page=${page}`;
    const { collections } = await callApi(api, { path, reply: Collections, signal });
    found.push(
      ...collections.items.filter(({ visibility }) => visibility === 'public').map(({ id }) => id),
    );
    if (page >= collections.pages) return found.sort();
  }
  throw new SourceFailed('DATA_SOURCE_ERROR', 'there are too many collections');
};

const readArticle = async (
  api: ArticleApi,
  id: string,
  signal: AbortSignal,
): Promise<SourceArticle[]> => {
  const reply = await callApiIfFound(api, { path: `/v1/articles/${id}`, reply: Article, signal });
  // Deleted or unpublished since the list was read.
  if (reply === undefined || reply.article.status !== 'published') return [];
  const {
    name: title,
    text: body,
    publicUrl: url,
    tags: labels,
    updatedAt: updatedAtMs,
  } = reply.article;
  return [{ id, title, body, url, labels, updatedAtMs, format: 'html', locale: undefined }];
};

export const helpScout = defineSource({
  tool: 'help-scout',
  apiUrl: 'https://docsapi.helpscout.net',
  options: {},
  headers: (token) => ({ Authorization: basicAuth(token, 'X') }),
  open: helpScoutArticles,
});
