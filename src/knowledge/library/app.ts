import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { KnowledgeFile } from '../../contract/core/knowledge-file.ts';
import { ARTICLE_ROUTES } from '../../contract/routes/articles.ts';
import { EDITION_ROUTES } from '../../contract/routes/editions.ts';
import { MAX_ARTICLE_BYTES } from '../../contract/routes/http-route.ts';
import { KnowledgeChecksPreview } from '../../contract/wire/checks.ts';
import { EditionActivation, EditionChangesQuery } from '../../contract/wire/editions.ts';
import {
  type ArticleListing,
  ArticleListingQuery,
  ArticlePut,
  type ArticleText,
  type ArticleWritten,
  type HostArticle,
  LISTING_DEFAULT_LIMIT,
} from '../../contract/wire/host-article.ts';
import { type Inventory, InventoryQuery } from '../../contract/wire/moving.ts';
import { SyncRequest } from '../../contract/wire/sync.ts';
import { openPlaceholder } from '../../documents/markdown/article-outline.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  refuse,
} from '../../platform/context/context-guard.ts';
import { isExternal, type KeyDirectory } from '../../platform/context/key-directory.ts';
import type { ReplayStore } from '../../platform/context/verify-context.ts';
import { readJson } from '../../platform/http/json-http.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import type { StoredArticle } from './article-store.ts';
import type { RemoteLibrary } from './library.ts';

interface LibraryAppOptions {
  guard: Omit<GuardOptions, 'self' | 'access' | 'replay'>;
  libraryOf: (workspace: string) => RemoteLibrary;
}

const SELF = 'library';
const INFO = {
  id: SELF,
  name: 'Library',
  description:
    'Keeps the knowledge base of a workspace: its articles, its sync with a host, its editions.',
  capabilities: ['kb:read'],
  access: 'signed',
};

type LibraryContext = Context<GuardedEnv>;

/**
 * The library's routes. The workspace comes from the verified context alone; reading needs `kb:read`,
 * changing `kb:write`.
 */
export function createApp({ guard, libraryOf }: LibraryAppOptions) {
  const settings = {
    ...guard,
    self: SELF,
    access: 'signed' as const,
    maxBodyBytes: MAX_ARTICLE_BYTES,
  };
  const library = (c: LibraryContext): RemoteLibrary => libraryOf(c.get('context').workspace);
  const held = (c: LibraryContext): readonly string[] => c.get('context').audiences;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ ...guard, self: SELF }));
  app.notFound((c) => {
    c.set('outcome', 'NOT_FOUND');
    return refusal('NOT_FOUND', { librarian: SELF });
  });
  app.get('/librarians/library', (c) =>
    c.json({ ...INFO, keys: guard.directory.librarian(SELF)?.keys ?? [] }),
  );

  const read = mountRoutes(app, ROUTES, settings);
  // Rejects replays, since these routes write.
  const write = mountRoutes(app, ROUTES, { ...settings, replay: replayStoreOf(libraryOf) });
  read(
    'GET /api/kb/articles',
    { query: ArticleListingQuery, purpose: 'list articles' },
    (c, { query }) => listArticles(c, library(c), query),
  );
  read(
    'GET /api/kb/inventory',
    { query: InventoryQuery, purpose: 'list articles' },
    async (c, { query }) =>
      c.json((await library(c).inventory(query, held(c))) satisfies Inventory),
  );
  read('GET /api/kb/articles/{id}', {}, async (c, { path: { id } }) => {
    const article = await library(c).readArticle(id, held(c));
    return article ? c.json(hostArticle(article)) : noArticle(c);
  });
  write('PUT /api/kb/articles/{id}', {}, (c, { path: { id } }) => putArticle(c, library(c), id));
  write('DELETE /api/kb/articles/{id}', {}, async (c, { path: { id } }) =>
    (await library(c).deleteArticle(id, held(c))) ? c.body(null, 204) : noArticle(c),
  );
  read('GET /api/kb/text/{id}', {}, async (c, { path: { id } }) => {
    const text = await library(c).readText(id, held(c));
    return text === undefined ? noArticle(c) : c.json(text satisfies ArticleText);
  });

  read('GET /v1/sync', {}, async (c) => c.json(await library(c).status(held(c))));
  write('POST /v1/sync', { body: SyncRequest, whenEmpty: {} }, async (c, { body }) =>
    c.json(await library(c).startSync(body, held(c)), 202),
  );

  read('GET /v1/knowledge/editions', {}, async (c) => {
    const list = await library(c).editions(held(c));
    return list === 'hidden' ? refused(c, 'UNAUTHORIZED', HIDDEN) : c.json(list);
  });
  read(
    'GET /v1/knowledge/editions/{id}/changes',
    { query: EditionChangesQuery, purpose: 'compare editions' },
    async (c, { query, path: { id } }) => {
      const changes = await library(c).editionChanges(id, query, held(c));
      if (changes === 'hidden') return refused(c, 'UNAUTHORIZED', HIDDEN);
      return changes === undefined ? refused(c, 'NOT_FOUND', UNKNOWN_EDITION) : c.json(changes);
    },
  );
  write(
    'POST /v1/knowledge/editions/{id}/activate',
    { body: EditionActivation, whenEmpty: {} },
    async (c, { path: { id } }) => {
      const activated = await library(c).activateEdition(id, held(c));
      return typeof activated === 'string'
        ? refused(c, ...NOT_ACTIVATED[activated])
        : c.json(activated);
    },
  );

  // An edition has the texts of every article: whoever reads it chooses what its caller may read.
  const own = mountRoutes(app, OWN_ROUTES, settings, oursOnly(guard.directory));
  own('GET /editions/current', {}, async (c) => {
    const within = /^\d{1,5}$/.exec(c.req.query('fresh_within_ms') ?? '')?.[0];
    const manifest = await (within === undefined
      ? library(c).currentEdition()
      : library(c).freshEdition(Number(within)));
    return manifest
      ? c.json(manifest)
      : refused(c, 'NOT_FOUND', 'Cannot read an edition: none was published yet');
  });
  own('POST /editions/drafts', { body: KnowledgeChecksPreview }, async (c, { body }) => {
    const draft = await library(c).draftEdition(body.id, body.article, held(c));
    if ('refused' in draft) return refused(c, 'INVALID_QUERY', draft.refused);
    return c.body(draft, 200, { 'Content-Type': 'application/octet-stream' });
  });
  own('GET /editions/{id}', {}, async (c, { path: { id } }) => {
    const manifest = await library(c).storedEdition(id);
    return manifest
      ? c.json(manifest)
      : refused(c, 'NOT_FOUND', 'Cannot read this edition: it is not stored any more');
  });
  own('GET /editions/{id}/parts/{part}', {}, async (c, { path: { id, part } }) => {
    const bytes = /^\d{1,5}$/.test(part) && (await library(c).editionPart(id, Number(part)));
    if (!bytes) return refused(c, 'NOT_FOUND', 'Cannot find this part of an edition');
    return c.body(bytes, 200, { 'Content-Type': 'application/octet-stream' });
  });
  return app;
}

const ROUTES = { ...ARTICLE_ROUTES, ...EDITION_ROUTES };

/** For our own functions alone. */
const OWN_ROUTES = {
  'GET /editions/current': { capability: 'kb:read' },
  'POST /editions/drafts': { capability: 'kb:read', body: 'KnowledgeChecksPreview' },
  'GET /editions/{id}': { capability: 'kb:read' },
  'GET /editions/{id}/parts/{part}': { capability: 'kb:read' },
} as const;

/** Runs after the guard. */
const oursOnly =
  (directory: KeyDirectory) =>
  async (c: LibraryContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const { caller } = c.get('context');
    if (caller !== undefined && isExternal(directory, caller)) return refuse(c, 'UNAUTHORIZED');
    await next();
    return undefined;
  };

/** Noted in the library of the call's workspace: one place for all isolates. */
const replayStoreOf = (libraryOf: LibraryAppOptions['libraryOf']): ReplayStore => ({
  isFirst: (linkHash, { workspace, ...options }) =>
    libraryOf(workspace).isFirstCall(linkHash, options),
});

const HIDDEN =
  'Cannot show earlier editions: they may have articles that a key may not read. Use a key that holds all audiences (*)';
const UNKNOWN_EDITION =
  'Cannot find this edition: it is not kept any more. GET /v1/knowledge/editions lists those that are (EDITION_HISTORY)';
type Refused = 'NOT_FOUND' | 'INVALID_QUERY' | 'UNAUTHORIZED' | 'SERVICE_UNAVAILABLE';
const NOT_ACTIVATED: Record<
  'hidden' | 'unknown' | 'syncing' | 'too many',
  [code: Refused, message: string]
> = {
  hidden: ['UNAUTHORIZED', HIDDEN],
  unknown: ['NOT_FOUND', UNKNOWN_EDITION],
  syncing: [
    'SERVICE_UNAVAILABLE',
    'Cannot activate an edition while a sync runs. Retry when it has ended',
  ],
  'too many': [
    'INVALID_QUERY',
    'Cannot activate this edition: more than 1000 articles differ. Correct the sources and sync',
  ],
};

const refused = (
  c: LibraryContext,
  code: Refused,
  message: string,
  suggestion?: string | undefined,
): Response => refuse(c, code, { message, suggestion });

const noArticle = (c: LibraryContext): Response =>
  refused(c, 'NOT_FOUND', 'Cannot find this article');

const listArticles = async (
  c: LibraryContext,
  library: RemoteLibrary,
  { intent, device, updated_since, limit = LISTING_DEFAULT_LIMIT, cursor }: ArticleListingQuery,
): Promise<Response> => {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && after === undefined)
    return refused(c, 'INVALID_QUERY', 'Cannot list articles: cursor is not one of ours');
  const updatedSince =
    updated_since === undefined ? undefined : new Date(updated_since).toISOString();
  const page = await library.listArticles({
    intent,
    device,
    updatedSince,
    limit,
    after,
    audiences: c.get('context').audiences,
  });
  const listing: ArticleListing = {
    articles: page.articles.map(hostArticle),
    total: page.total,
    updated_at: page.updatedAt,
    ...(page.next === undefined ? {} : { next_cursor: `${CURSOR}${page.next}` }),
  };
  if (listing.next_cursor === undefined) return c.json(listing);
  const next = new URLSearchParams({ ...c.req.query(), cursor: listing.next_cursor });
  return c.json(listing, 200, { Link: `</api/kb/articles?${next}>; rel="next"` });
};

/** Before the id of the last article of the page before. */
const CURSOR = 'after:';

const readCursor = (cursor: string): string | undefined =>
  cursor.startsWith(CURSOR) ? KnowledgeFile.safeParse(cursor.slice(CURSOR.length)).data : undefined;

const putArticle = async (
  c: LibraryContext,
  library: RemoteLibrary,
  id: string,
): Promise<Response> => {
  const file = KnowledgeFile.safeParse(id);
  if (!file.success)
    return refused(
      c,
      'INVALID_QUERY',
      `Cannot write the article: id ${file.error.issues[0]?.message}`,
    );
  const request = readJson(c.get('body'), ArticlePut);
  if (!request.ok) return refused(c, 'INVALID_QUERY', request.problem, request.suggestion);
  if (request.value.id !== undefined && request.value.id !== id)
    return refused(c, 'INVALID_QUERY', 'Cannot write the article: id is not that of the path');
  const placeholder = openPlaceholder(request.value.content);
  if (placeholder !== undefined)
    return refused(
      c,
      'INVALID_QUERY',
      `Cannot write the article: its text still has “${placeholder}”`,
      "Write the article's own text in place of it, or leave the line out.",
    );
  const written = await library.writeArticle(id, request.value, c.get('context').audiences);
  if ('forbidden' in written)
    return refused(c, written.isMissing === true ? 'NOT_FOUND' : 'UNAUTHORIZED', written.forbidden);
  if ('refused' in written) return refused(c, 'INVALID_QUERY', written.refused);
  const { article, isNew, note } = written;
  const reply: ArticleWritten = {
    ...hostArticle(article),
    ...(note === undefined ? {} : { note }),
  };
  return c.json(reply, isNew ? 201 : 200);
};

const hostArticle = ({
  id,
  title,
  url,
  content,
  intents,
  devices,
  lastUpdated,
  author,
  audiences,
  language,
  translationKey,
  format,
}: StoredArticle): HostArticle => ({
  id,
  title,
  url,
  content,
  metadata: {
    intent: intents,
    device: devices,
    last_updated: lastUpdated,
    ...(author === undefined ? {} : { author }),
    ...(audiences === undefined ? {} : { audience: audiences }),
    ...(format === undefined ? {} : { format }),
    ...(language === undefined ? {} : { language }),
    ...(translationKey === undefined ? {} : { translation_key: translationKey }),
  },
});
