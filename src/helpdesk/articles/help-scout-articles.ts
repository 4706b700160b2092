import * as z from 'zod';
import { readAs } from '../../contract/read-as.ts';
import { mapBounded } from '../../runtime/map-bounded.ts';
import type { ArticleSource, SourceArticle, UnreadableArticle } from './article-source.ts';
import { CountedPage, FIRST_PAGE, nextPage } from './counted-pages.ts';
import {
  Address,
  ArticleBody,
  ArticleId,
  ArticleTitle,
  isSince,
  Labels,
  List,
  Moment,
  positionIn,
} from './read-articles.ts';
import { type ArticleApi, readTool, readToolIfThere } from './read-tool.ts';
import { SourceFailed } from './source-failed.ts';

const listing = <Schema extends z.ZodType>(items: Schema) =>
  z.object({ pages: z.int().min(0), count: z.int().min(0), items });

const Collections = z.object({
  collections: listing(z.array(z.object({ id: ArticleId, visibility: z.string() })).max(1000)),
});

const References = z.object({ articles: listing(List) });

const Reference = z.object({ id: ArticleId, status: z.string(), updatedAt: Moment });

const Article = z.object({
  article: z.object({
    id: ArticleId,
    status: z.string(),
    name: ArticleTitle,
    text: ArticleBody,
    publicUrl: Address,
    tags: Labels,
    updatedAt: Moment,
  }),
});

const Position = CountedPage.extend({ collection: ArticleId });

/** An article is a call of its own. */
const MAX_PAGE = 25;
const MAX_COLLECTION_PAGES = 10;

/**
 * Help Scout Docs: the published articles of public collections. Lists have no texts, so each article is read by itself. Articles
 * in every state are listed, so that one which is withdrawn shifts nothing. A whole pass goes by when they were made, which no
 * edit changes, from the newest back: one that comes then and one that leaves shift the others in opposite ways, which
 * `nextPage` notices or needs not. A pass for what has changed goes from the newest edit back, until one is older.
 */
export const helpScoutArticles = (api: ArticleApi): ArticleSource => ({
  readPage: async ({ updatedSinceMs, limit, position, signal }) => {
    const collections = await publicCollections(api, signal);
    const [first] = collections;
    const at =
      positionIn(position, Position) ?? (first === undefined ? undefined : { ...FIRST_PAGE, collection: first });
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
    const { items, count } = (await readTool(api, { path, reply: References, signal })).articles;
    const references = items.map((item) => readAs(Reference, item));
    const isOlder = references.some((one) => one.ok && !isSince(one.value.updatedAt, updatedSinceMs));
    const articles = await mapBounded(references, async (reference): Promise<(SourceArticle | UnreadableArticle)[]> => {
      if (!reference.ok) return [{ unreadableId: undefined }];
      const { id, status, updatedAt } = reference.value;
      return status === 'published' && isSince(updatedAt, updatedSinceMs) ? readArticle(api, id, signal) : [];
    });
    const isWhole = updatedSinceMs === undefined;
    const further = isOlder ? undefined : nextPage(at, { members: items, total: count, pageSize, isWhole });
    const nextCollection = collections[collections.indexOf(at.collection) + 1];
    const atNext = nextCollection === undefined ? undefined : { ...FIRST_PAGE, collection: nextCollection };
    return { articles: articles.flat(), next: further ? { ...further, collection: at.collection } : atNext };
  },
});

/** By their ids, whatever order they come in. */
const publicCollections = async (api: ArticleApi, signal: AbortSignal): Promise<string[]> => {
  const found: string[] = [];
  for (let page = 1; page <= MAX_COLLECTION_PAGES; page += 1) {
    const path = `/v1/collections?page=${page}`;
    const { collections } = await readTool(api, { path, reply: Collections, signal });
    found.push(...collections.items.filter(({ visibility }) => visibility === 'public').map(({ id }) => id));
    if (page >= collections.pages) return found.sort();
  }
  throw new SourceFailed('DATA_SOURCE_ERROR', 'there are too many collections');
};

const readArticle = async (api: ArticleApi, id: string, signal: AbortSignal): Promise<SourceArticle[]> => {
  const reply = await readToolIfThere(api, { path: `/v1/articles/${id}`, reply: Article, signal });
  // Gone, or withdrawn, since the list was made.
  if (reply === undefined || reply.article.status !== 'published') return [];
  const { name: title, text: body, publicUrl: url, tags: labels, updatedAt: updatedAtMs } = reply.article;
  return [{ id, title, body, url, labels, updatedAtMs, format: 'html', locale: undefined }];
};
