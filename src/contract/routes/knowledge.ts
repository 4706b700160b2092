import { type HttpRoute, MAX_RECORD_BYTES, type RouteDescription } from './http-route.ts';

export const KNOWLEDGE_ROUTES = {
  'POST /v1/knowledge/search': {
    function: 'semantic',
    capability: 'kb:read',
    isForMcp: true,
    isPublishable: true,
    body: 'KnowledgeSearchRequest',
  },
  'POST /v1/knowledge/retrieve': {
    function: 'support',
    capability: 'kb:read',
    maxBytes: MAX_RECORD_BYTES,
    body: 'RetrievalRequest',
  },
  'GET /v1/knowledge/health': {
    function: 'semantic',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/stats': {
    capability: 'kb:read',
  },
} as const satisfies Record<string, HttpRoute>;

export const KNOWLEDGE_DESCRIPTIONS = {
  'POST /v1/knowledge/search': {
    tag: 'Knowledge',
    summary: 'Search passages of the articles',
    reply: 'KnowledgeSearchResponse',
    client: 'search({body})',
    tool: 'search',
  },
  'POST /v1/knowledge/retrieve': {
    tag: 'Knowledge',
    summary: 'Retrieve up to three articles for a ticket',
    reply: 'WeakKnowledgeRetrieval',
  },
  'GET /v1/knowledge/health': {
    tag: 'Knowledge',
    summary: 'List what writers should look at: contradictions, copies, dead links',
    reply: 'KnowledgeHealth',
    client: 'articles.health()',
  },
  'GET /v1/knowledge/stats': {
    tag: 'Knowledge',
    summary: 'Show how embeddings are cached',
    reply: 'KnowledgeStats',
  },
} as const satisfies Record<keyof typeof KNOWLEDGE_ROUTES, RouteDescription>;
