import { type HttpRoute, MAX_ARTICLE_BYTES, type RouteDescription } from './http-route.ts';

export const ARTICLE_ROUTES = {
  'GET /v1/sync': {
    function: 'library',
    capability: 'kb:read',
  },
  'POST /v1/sync': {
    function: 'library',
    capability: 'kb:write',
    isAudited: true,
    body: 'SyncRequest',
  },
  'GET /api/kb/articles': {
    function: 'library',
    capability: 'kb:read',
    isForMcp: true,
    query: 'ArticleListingQuery',
  },
  'GET /api/kb/inventory': {
    function: 'library',
    capability: 'kb:read',
    query: 'InventoryQuery',
  },
  'GET /api/kb/articles/{id}': {
    function: 'library',
    capability: 'kb:read',
    hasSlashes: true,
    isForMcp: true,
  },
  'PUT /api/kb/articles/{id}': {
    function: 'library',
    capability: 'kb:write',
    hasSlashes: true,
    isAudited: true,
    maxBytes: MAX_ARTICLE_BYTES,
    body: 'ArticlePut',
  },
  'DELETE /api/kb/articles/{id}': {
    function: 'library',
    capability: 'kb:write',
    hasSlashes: true,
    isAudited: true,
  },
  'GET /api/kb/text/{id}': {
    function: 'library',
    capability: 'kb:read',
    hasSlashes: true,
    isForMcp: true,
  },
} as const satisfies Record<string, HttpRoute>;

export const ARTICLE_DESCRIPTIONS = {
  'GET /v1/sync': {
    tag: 'Sync',
    summary: 'Show the state and the last report of the sync',
    reply: 'SyncStatus',
    client: 'sync.status()',
  },
  'POST /v1/sync': {
    tag: 'Sync',
    summary: 'Start a sync',
    reply: 'SyncAccepted',
    status: 202,
    client: 'sync.start({body})',
  },
  'GET /api/kb/articles': {
    tag: 'Articles',
    summary: 'List articles',
    reply: 'ArticleListing',
    error: 'HostErrorBody',
    client: 'articles.list({parameters})',
  },
  'GET /api/kb/inventory': {
    tag: 'Articles',
    summary: 'List ids, hashes and owners of articles',
    reply: 'Inventory',
    error: 'HostErrorBody',
  },
  'GET /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Read an article',
    reply: 'HostArticle',
    error: 'HostErrorBody',
    errors: ['NOT_FOUND'],
    client: 'articles.get({id})',
  },
  'PUT /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Create or replace an article',
    reply: 'ArticleWritten',
    error: 'HostErrorBody',
    also: { 201: { description: 'The article is new.', hasReply: true } },
    client: 'articles.put({id}, {body})',
  },
  'DELETE /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Delete an article',
    error: 'HostErrorBody',
    errors: ['NOT_FOUND'],
    client: 'articles.delete({id})',
  },
  'GET /api/kb/text/{id}': {
    tag: 'Articles',
    summary: 'Read the text that quotes and offsets refer to, and what was left out of it',
    reply: 'ArticleText',
    error: 'HostErrorBody',
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<keyof typeof ARTICLE_ROUTES, RouteDescription>;
