import * as z from 'zod';
import { basicAuth } from '../../platform/http/fetch-json.ts';
import { optionalTime } from '../../platform/http/read-fields.ts';
import {
  type ArticleApi,
  ArticleBody,
  ArticleId,
  type ArticleSource,
  ArticleTitle,
  callApi,
  isSince,
  List,
  positionIn,
  readEach,
  SourceFailed,
} from './article-source.ts';
import { defineSource, Text } from './define-source.ts';

const Page = z.object({
  id: ArticleId,
  status: z.string(),
  title: ArticleTitle,
  version: z.object({ createdAt: optionalTime }).optional(),
  body: z.object({ storage: z.object({ value: ArticleBody }) }),
  _links: z.object({ webui: z.string().max(2048).optional() }).optional(),
});
const Spaces = z.object({ results: z.array(z.object({ id: ArticleId })).max(250) });
const Pages = z.object({
  results: List,
  _links: z
    .object({ next: z.string().max(2048).optional(), base: z.string().max(2048).optional() })
    .default({}),
});

const Position = z.object({ space: ArticleId, cursor: z.string().max(300) });

const MAX_PAGE = 50;

/**
 * Current pages of a space of Confluence Cloud (REST API v2), without drafts and archived pages. A listing of changes is sorted by the time
 * of the last change, newest first, and ends at the first page that is older.
 *
 * @param space Key of the space: `DOCS`.
 */
const confluenceArticles = (api: ArticleApi, { space }: { space: string }): ArticleSource => {
  const spaceId = async (signal: AbortSignal): Promise<string> => {
    const path = `/wiki/api/v2/spaces?keys=${encodeURIComponent(space)}`;
    const [found] = (await callApi(api, { path, reply: Spaces, signal })).results;
    if (found === undefined)
      throw new SourceFailed('NOT_FOUND', 'there is no such space, or the token may not see it');
    return found.id;
  };
  return {
    readPage: async ({ updatedSinceMs, limit, position, signal }) => {
      const at = positionIn(position, Position);
      const id = at?.space ?? (await spaceId(signal));
      const query = new URLSearchParams({
        'body-format': 'storage',
        status: 'current',
        limit: String(Math.min(limit, MAX_PAGE)),
        ...(updatedSinceMs === undefined ? {} : { sort: '-modified-date' }),
        ...(at === undefined ? {} : { cursor: at.cursor }),
      });
      const { results, _links } = await callApi(api, {
        path: `/wiki/api/v2/spaces/${id}/pages?${query}`,
        reply: Pages,
        signal,
      });
      let isAllOld = results.length > 0 && updatedSinceMs !== undefined;
      const articles = readEach(results, Page, {
        take: ({ id: pageId, title, version, status, body, _links: links }) => {
          const updatedAtMs = version?.createdAt;
          const isWanted = isSince(updatedAtMs, updatedSinceMs);
          if (isWanted) isAllOld = false;
          if (!isWanted || status !== 'current' || body.storage.value.trim() === '') return [];
          const url =
            links?.webui === undefined
              ? undefined
              : `${_links.base ?? `${api.apiUrl}/wiki`}${links.webui}`;
          return [
            {
              id: pageId,
              title,
              url,
              body: readable(body.storage.value),
              updatedAtMs,
              labels: [],
              locale: undefined,
              format: 'html',
            },
          ];
        },
      });
      const cursor =
        _links.next === undefined
          ? undefined
          : new URL(_links.next, api.apiUrl).searchParams.get('cursor');
      if (_links.next !== undefined && cursor === null)
        throw new SourceFailed(
          'DATA_SOURCE_ERROR',
          'a page of the listing has no cursor to the next',
        );
      return { articles, next: isAllOld || !cursor ? undefined : { space: id, cursor } };
    },
  };
};

/**
 * The storage format is XHTML with macros (Confluence Storage Format): code keeps its text, in a `pre`; parameters of macros and names of
 * linked files are not text of the page.
 */
const readable = (storage: string): string =>
  storage
    .replaceAll(
      /<ac:plain-text-body>\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*<\/ac:plain-text-body>/g,
      (_, code: string) => `<pre><code>${escaped(code)}</code></pre>`,
    )
    .replaceAll(/<ac:(?:parameter|placeholder)\b[^>]*>[^<]*<\/ac:(?:parameter|placeholder)>/g, '')
    .replaceAll(
      /<ac:plain-text-link-body>\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*<\/ac:plain-text-link-body>/g,
      (_, text: string) => escaped(text),
    );

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const confluence = defineSource({
  tool: 'confluence',
  options: {
    /** Owner of the API token. */
    email: Text,
    space: z.string().regex(/^[\w~-]{1,255}$/, 'is not the key of a space'),
  },
  headers: (token, { email }) => ({ Authorization: basicAuth(email, token) }),
  open: confluenceArticles,
});
