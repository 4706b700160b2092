import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { describeIssues, issuesOf, readAs } from '../../contract/core/error-info.ts';
import { KnowledgeFile } from '../../contract/core/navigator-response.ts';
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
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../../platform/context/context-guard.ts';
import { isExternal, type KeyDirectory } from '../../platform/context/key-directory.ts';
import type { ReplayStore } from '../../platform/context/verify-context.ts';
import { readJson } from '../../platform/http/json-http.ts';
import { inAddress, suggestForm } from '../../platform/http/suggest-form.ts';
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
  const read = [contextGuard(settings), requireCapability('kb:read')] as const;
  // Rejects replays, since these routes write.
  const write = [
    contextGuard({ ...settings, replay: replayStoreOf(libraryOf) }),
    requireCapability('kb:write'),
  ] as const;
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler({ ...guard, self: SELF }));
  app.notFound((c) => refused(c, 'NOT_FOUND'));
  app.get('/librarians/library', (c) =>
    c.json({ ...INFO, keys: guard.directory.librarian(SELF)?.keys ?? [] }),
  );

  app.get('/api/kb/articles', ...read, (c) => listArticles(c, library(c)));
  app.get('/api/kb/inventory', ...read, async (c) => {
    const query = readAs(InventoryQuery, c.req.query());
    if (!query.ok)
      return refused(
        c,
        'INVALID_QUERY',
        `Cannot list articles: ${describeIssues(query.issues)}`,
        suggestForm(InventoryQuery, query.issues, inAddress),
      );
    return c.json((await library(c).inventory(query.value, held(c))) satisfies Inventory);
  });
  app.get('/api/kb/articles/:id{.+}', ...read, async (c) => {
    const article = await library(c).readArticle(c.req.param('id'), held(c));
    return article
      ? c.json(hostArticle(article))
      : refused(c, 'NOT_FOUND', 'Cannot find this article');
  });
  app.put('/api/kb/articles/:id{.+}', ...write, (c) =>
    putArticle(c, library(c), c.req.param('id')),
  );
  app.delete('/api/kb/articles/:id{.+}', ...write, async (c) => {
    const isKnown = await library(c).deleteArticle(c.req.param('id'), held(c));
    return isKnown ? c.body(null, 204) : refused(c, 'NOT_FOUND', 'Cannot find this article');
  });
  app.get('/api/kb/text/:id{.+}', ...read, async (c) => {
    const text = await library(c).readText(c.req.param('id'), held(c));
    return text === undefined
      ? refused(c, 'NOT_FOUND', 'Cannot find this article')
      : c.json(text satisfies ArticleText);
  });

  app.get('/v1/sync', ...read, async (c) => c.json(await library(c).status(held(c))));
  app.post('/v1/sync', ...write, async (c) => {
    const request = readJson(c.get('body'), SyncRequest, { whenEmpty: {} });
    if (!request.ok) return refused(c, 'INVALID_QUERY', request.problem, request.suggestion);
    return c.json(await library(c).startSync(request.value, held(c)), 202);
  });

  app.get('/v1/knowledge/editions', ...read, async (c) => {
    const list = await library(c).editions(held(c));
    return list === 'hidden' ? refused(c, 'UNAUTHORIZED', HIDDEN) : c.json(list);
  });
  app.get('/v1/knowledge/editions/:edition/changes', ...read, async (c) => {
    const query = readAs(EditionChangesQuery, c.req.query());
    if (!query.ok)
      return refused(
        c,
        'INVALID_QUERY',
        `Cannot compare editions: ${describeIssues(query.issues)}`,
        suggestForm(EditionChangesQuery, query.issues, inAddress),
      );
    const changes = await library(c).editionChanges(c.req.param('edition'), query.value, held(c));
    if (changes === 'hidden') return refused(c, 'UNAUTHORIZED', HIDDEN);
    return changes === undefined ? refused(c, 'NOT_FOUND', UNKNOWN_EDITION) : c.json(changes);
  });
  app.post('/v1/knowledge/editions/:edition/activate', ...write, async (c) => {
    const request = readJson(c.get('body'), EditionActivation, { whenEmpty: {} });
    if (!request.ok) return refused(c, 'INVALID_QUERY', request.problem, request.suggestion);
    const activated = await library(c).activateEdition(c.req.param('edition'), held(c));
    return typeof activated === 'string'
      ? refused(c, ...NOT_ACTIVATED[activated])
      : c.json(activated);
  });

  // An edition has the texts of every article: whoever reads it chooses what its caller may read.
  const own = [
    contextGuard(settings),
    requireCapability('kb:read'),
    oursOnly(guard.directory),
  ] as const;
  app.get('/editions/current', ...own, async (c) => {
    const within = /^\d{1,5}$/.exec(c.req.query('fresh_within_ms') ?? '')?.[0];
    const manifest = await (within === undefined
      ? library(c).currentEdition()
      : library(c).freshEdition(Number(within)));
    return manifest
      ? c.json(manifest)
      : refused(c, 'NOT_FOUND', 'Cannot read an edition: none was published yet');
  });
  app.post('/editions/drafts', ...own, async (c) => {
    const request = readJson(c.get('body'), KnowledgeChecksPreview);
    if (!request.ok) return refused(c, 'INVALID_QUERY', request.problem, request.suggestion);
    const { id, article } = request.value;
    const draft = await library(c).draftEdition(id, article, held(c));
    if ('refused' in draft) return refused(c, 'INVALID_QUERY', draft.refused);
    return c.body(draft, 200, { 'Content-Type': 'application/octet-stream' });
  });
  app.get('/editions/:edition', ...own, async (c) => {
    const manifest = await library(c).storedEdition(c.req.param('edition'));
    return manifest
      ? c.json(manifest)
      : refused(c, 'NOT_FOUND', 'Cannot read this edition: it is not stored any more');
  });
  app.get('/editions/:edition/parts/:part{[0-9]{1,5}}', ...own, async (c) => {
    const bytes = await library(c).editionPart(c.req.param('edition'), Number(c.req.param('part')));
    if (!bytes) return refused(c, 'NOT_FOUND', 'Cannot find this part of an edition');
    return c.body(bytes, 200, { 'Content-Type': 'application/octet-stream' });
  });
  return app;
}

/** Runs after the guard. */
const oursOnly =
  (directory: KeyDirectory) =>
  async (c: LibraryContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const { caller } = c.get('context');
    if (caller !== undefined && isExternal(directory, caller)) return refused(c, 'UNAUTHORIZED');
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
type Refused = Parameters<typeof refused>[1];
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
  code: 'NOT_FOUND' | 'INVALID_QUERY' | 'UNAUTHORIZED' | 'SERVICE_UNAVAILABLE',
  message?: string,
  suggestion?: string | undefined,
): Response => {
  c.set('outcome', code);
  return refusal(code, {
    librarian: SELF,
    suggestion,
    ...(message === undefined ? {} : { message }),
  });
};

const listArticles = async (c: LibraryContext, library: RemoteLibrary): Promise<Response> => {
  const parsed = ArticleListingQuery.safeParse(c.req.query());
  if (!parsed.success)
    return refused(
      c,
      'INVALID_QUERY',
      `Cannot list articles: ${describeIssues(issuesOf(parsed.error))}`,
      suggestForm(ArticleListingQuery, issuesOf(parsed.error), inAddress),
    );
  const { intent, device, updated_since, limit = LISTING_DEFAULT_LIMIT, cursor } = parsed.data;
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
