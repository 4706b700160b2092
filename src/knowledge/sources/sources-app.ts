import { Hono } from 'hono/tiny';
import * as z from 'zod';
import { describeIssues, HTTP_STATUS, issuesOf, readAs } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import { ARTICLE_ROUTES } from '../../contract/routes/articles.ts';
import { ArticleListingQuery, LISTING_DEFAULT_LIMIT } from '../../contract/wire/host-article.ts';
import {
  type GuardedEnv,
  type GuardOptions,
  refusal,
} from '../../platform/context/context-guard.ts';
import { errorInfoOf } from '../../platform/context/error-info-of.ts';
import { decodeBase64url, encodeBase64url, utf8 } from '../../platform/encoding.ts';
import { errorHeaders, jsonAnswer } from '../../platform/http/json-http.ts';
import { logLine } from '../../platform/log.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import { type ListedArticle, SourceFailed, toHostArticle } from './article-source.ts';
import type { ArticleSources } from './source-settings.ts';

interface SourcesAppOptions {
  guard: Omit<GuardOptions, 'self' | 'access'>;
  sources: ArticleSources;
  now: () => number;
}

const SELF = 'sources';
const INFO = {
  id: SELF,
  name: 'Sources',
  description: 'Gives the articles of helpdesk tools as a host knowledge base does.',
  capabilities: ['kb:read'],
  access: 'signed',
};

/** Time reserved for the reply, before the caller's deadline. */
const RESERVE_MS = 500;

/**
 * `GET /api/kb/articles` over the article API of a helpdesk tool. The workspace comes from the verified
 * context. Only the last page has `total`: until then the number of public articles is unknown.
 */
export function createApp({ guard, sources, now }: SourcesAppOptions) {
  const { log = logLine } = guard;
  for (const { problem } of sources.problems())
    log({
      event: 'fault',
      time: now(),
      librarian: SELF,
      where: 'ARTICLE_SOURCES',
      code: 'SERVICE_UNAVAILABLE',
      cause: problem,
    });
  const app = new Hono<GuardedEnv>();
  app.onError((error, c) => {
    const traceId = (c.get('context') as GuardedEnv['Variables']['context'] | undefined)?.traceId;
    const info = errorInfoOf(error, {
      librarian: SELF,
      where: 'articles',
      log,
      now: now(),
      traceId,
    });
    c.set('outcome', info.code);
    return jsonAnswer(
      { error: info },
      { status: HTTP_STATUS[info.code], headers: errorHeaders(info) },
    );
  });
  app.notFound(() => refusal('NOT_FOUND', { librarian: SELF }));
  app.get('/librarians/sources', (c) =>
    c.json({ ...INFO, keys: guard.directory.librarian(SELF)?.keys ?? [] }),
  );

  const read = mountRoutes(app, ARTICLE_ROUTES, {
    ...guard,
    self: SELF,
    access: 'signed',
    callers: ['library'],
  });
  read('GET /api/kb/articles', {}, async (c) => {
    const query = ArticleListingQuery.safeParse(c.req.query());
    if (!query.success)
      throw new SourceFailed('INVALID_QUERY', describeIssues(issuesOf(query.error)));
    const { intent, device, updated_since, limit = LISTING_DEFAULT_LIMIT, cursor } = query.data;
    const { workspace, deadlineMs } = c.get('context');
    const open = sources.find(workspace);
    if (open === undefined) throw new SourceFailed('NOT_FOUND', 'this workspace has no source');
    const { sent, at } = cursor === undefined ? { sent: 0, at: undefined } : readCursor(cursor);
    const page = await open.source.readPage({
      updatedSinceMs: updated_since === undefined ? undefined : Date.parse(updated_since),
      limit,
      position: at,
      signal: AbortSignal.timeout(Math.max(deadlineMs - now() - RESERVE_MS, 1)),
    });
    const articles = page.articles
      .map((article) => toHostArticle(article, open))
      .filter(
        (article) => isAbout(article, 'intent', intent) && isAbout(article, 'device', device),
      );
    const count = sent + articles.length;
    const end =
      page.next === undefined
        ? { total: count }
        : { next_cursor: writeCursor({ sent: count, at: page.next }) };
    return jsonAnswer({ articles, updated_at: new Date(now()).toISOString(), ...end });
  });
  return app;
}

/** An unreadable article matches every filter: it must not look deleted. */
const isAbout = (
  { metadata }: ListedArticle,
  kind: 'intent' | 'device',
  wanted: string | undefined,
): boolean => wanted === undefined || metadata === undefined || metadata[kind].includes(wanted);

/** Articles sent on the pages before, and the position in the source. */
const Cursor = z.object({ sent: z.int().min(0), at: z.unknown() });

const writeCursor = (cursor: z.infer<typeof Cursor>): string =>
  encodeBase64url(utf8(JSON.stringify(cursor)));

const readCursor = (text: string): z.infer<typeof Cursor> => {
  const read = readAs(Cursor, parseJson(new TextDecoder().decode(decodeBase64url(text))));
  if (!read.ok) throw new SourceFailed('INVALID_QUERY', 'the cursor is not one of ours');
  return read.value;
};
