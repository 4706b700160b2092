import * as z from 'zod';
import { optionalTime } from '../../platform/http/read-fields.ts';
import {
  Address,
  type ArticleApi,
  ArticleId,
  type ArticleSource,
  callApi,
  callApiIfFound,
  List,
  positionIn,
  readArticleInTime,
  readEach,
  type SourceArticle,
  type UnreadableArticle,
} from './article-source.ts';
import { defineSource } from './define-source.ts';

const RichText = z.array(z.object({ plain_text: z.string().max(2000) })).max(100);
const Page = z.object({
  object: z.literal('page'),
  id: ArticleId,
  /** Address for readers without an account; null for a page that is not published. */
  public_url: Address,
  url: Address,
  in_trash: z.boolean().default(false),
  last_edited_time: optionalTime,
  properties: z.record(z.string(), z.unknown()),
});
type Page = z.infer<typeof Page>;
const Title = z.object({ type: z.literal('title'), title: RichText });
const Found = z.object({
  results: List,
  has_more: z.boolean(),
  next_cursor: z.string().max(200).nullable(),
});
const Markdown = z.object({
  markdown: z.string(),
  truncated: z.boolean(),
  unknown_block_ids: z.array(ArticleId).max(1000).default([]),
});

const Position = z.object({ cursor: z.string().max(200) });

/** Each page is a call of its own; Notion allows about three calls a second. */
const MAX_PAGES_AT_ONCE = 20;
/** Parts of a page that come in calls of their own. */
const MAX_PARTS = 20;

/**
 * Pages that are shared with an integration of Notion, newest first, as Markdown (API version 2025-09-03). A listing of changes ends at the
 * first page that is older.
 *
 * @param onlyPublished Whether pages without a public address are omitted.
 */
const notionArticles = (
  api: ArticleApi,
  { onlyPublished }: { onlyPublished: boolean },
): ArticleSource => {
  const search = (
    cursor: string | undefined,
    { limit, signal }: { limit: number; signal: AbortSignal },
  ) =>
    callApi(api, {
      method: 'POST',
      path: '/v1/search',
      reply: Found,
      signal,
      body: {
        filter: { property: 'object', value: 'page' },
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
        page_size: Math.min(limit, MAX_PAGES_AT_ONCE),
        ...(cursor === undefined ? {} : { start_cursor: cursor }),
      },
    });

  /** Parts that Notion leaves out of a long page are fetched one by one; undefined when too many are missing. */
  const textOf = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
    const parts: string[] = [];
    const waiting = [id];
    for (let count = 0; waiting.length > 0; count += 1) {
      if (count > MAX_PARTS) return undefined;
      const next = waiting.shift() ?? '';
      const part = await callApiIfFound(api, {
        path: `/v1/pages/${next}/markdown`,
        reply: Markdown,
        signal,
      });
      if (part === undefined) return undefined;
      parts.push(part.markdown);
      waiting.push(...part.unknown_block_ids);
    }
    return parts.join('\n\n').replaceAll(/<unknown[^>]*\/?>/g, '');
  };

  const read = async (
    page: Page,
    signal: AbortSignal,
  ): Promise<(SourceArticle | UnreadableArticle)[]> => {
    if (page.in_trash || (onlyPublished && page.public_url === undefined)) return [];
    const body = await readArticleInTime((inTime) => textOf(page.id, inTime), {
      signal,
      late: undefined,
    });
    if (body === undefined) return [{ unreadableId: page.id }];
    if (body.trim() === '') return [];
    const url = page.public_url ?? page.url;
    return [
      {
        id: page.id,
        title: titleOf(page),
        url,
        body,
        updatedAtMs: page.last_edited_time,
        labels: [],
        locale: undefined,
        format: 'commonmark',
      },
    ];
  };

  return {
    readPage: async ({ updatedSinceMs, limit, position, signal }) => {
      const at = positionIn(position, Position);
      const { results, has_more, next_cursor } = await search(at?.cursor, { limit, signal });
      const pages: Page[] = [];
      // Entries of databases are pages too; what is neither keeps its id.
      const unreadable = readEach(results, Page, {
        take: (page) => {
          pages.push(page);
          return [];
        },
      });
      const isOld = (page: Page) =>
        updatedSinceMs !== undefined &&
        page.last_edited_time !== undefined &&
        page.last_edited_time < updatedSinceMs;
      const articles: (SourceArticle | UnreadableArticle)[] = [...unreadable];
      for (const page of pages) if (!isOld(page)) articles.push(...(await read(page, signal)));
      const isEnd = !has_more || next_cursor === null || (pages.length > 0 && pages.every(isOld));
      return { articles, next: isEnd ? undefined : { cursor: next_cursor } };
    },
  };
};

const titleOf = ({ properties }: Page): string => {
  for (const property of Object.values(properties)) {
    const title = Title.safeParse(property);
    if (title.success) return title.data.title.map(({ plain_text }) => plain_text).join('');
  }
  return '';
};

export const notion = defineSource({
  tool: 'notion',
  apiUrl: 'https://api.notion.com',
  options: {
    /** Whether pages without a public address are omitted. */
    onlyPublished: z.boolean().default(false),
  },
  headers: (token) => ({ Authorization: `Bearer ${token}`, 'Notion-Version': '2025-09-03' }),
  open: notionArticles,
});
