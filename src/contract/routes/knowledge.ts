import { type HttpRoute, MAX_RECORD_BYTES } from './http-route.ts';

export const KNOWLEDGE_ROUTES = {
  'POST /v1/knowledge/search': {
    tag: 'Knowledge',
    summary: 'Search passages of the articles',
    function: 'semantic',
    capability: 'kb:read',
    isForMcp: true,
    isPublishable: true,
    body: 'KnowledgeSearchRequest',
    reply: 'KnowledgeSearchResponse',
    client: 'search({body})',
    tool: 'search',
  },
  'POST /v1/knowledge/retrieve': {
    tag: 'Knowledge',
    summary: 'Retrieve up to three articles for a ticket',
    function: 'support',
    capability: 'kb:read',
    maxBytes: MAX_RECORD_BYTES,
    body: 'RetrievalRequest',
    reply: 'WeakKnowledgeRetrieval',
  },
  'GET /v1/knowledge/health': {
    tag: 'Knowledge',
    summary: 'List what writers should look at: contradictions, copies, dead links',
    function: 'semantic',
    capability: 'kb:read',
    reply: 'KnowledgeHealth',
    client: 'articles.health()',
  },
  'GET /v1/knowledge/stats': {
    tag: 'Knowledge',
    summary: 'Show how embeddings are cached',
    capability: 'kb:read',
    reply: 'KnowledgeStats',
  },
} as const satisfies Record<string, HttpRoute>;
