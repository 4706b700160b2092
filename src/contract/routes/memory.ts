import { type HttpRoute, MAX_RECORD_BYTES, type RouteDescription } from './http-route.ts';

export const MEMORY_ROUTES = {
  'GET /v1/workspaces/{workspace_id}/memories': {
    function: 'memory',
    capability: 'memory:read',
    query: 'MemoryListingQuery',
  },
  'POST /v1/workspaces/{workspace_id}/memories': {
    function: 'memory',
    capability: 'memory:write',
    isForMcp: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'MemoryInput',
  },
  'PUT /v1/workspaces/{workspace_id}/memories': {
    function: 'memory',
    capability: 'memory:restore',
    grants: 'memory:restore:write',
    isAudited: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'MemoriesRestore',
  },
  'DELETE /v1/workspaces/{workspace_id}/memories': {
    function: 'memory',
    capability: 'memory:write',
    isAudited: true,
    query: 'MemoryErasureQuery',
  },
  'GET /v1/workspaces/{workspace_id}/memories/stats': {
    function: 'memory',
    capability: 'memory:read',
  },
  'GET /v1/workspaces/{workspace_id}/memories/{id}': {
    function: 'memory',
    capability: 'memory:read',
  },
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': {
    function: 'memory',
    capability: 'memory:write',
    isAudited: true,
  },
  'POST /v1/workspaces/{workspace_id}/memories/search': {
    function: 'memory',
    capability: 'memory:read',
    isForMcp: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'MemorySearchRequest',
  },
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': {
    function: 'memory',
    capability: 'memory:read',
    maxBytes: MAX_RECORD_BYTES,
    body: 'MemoryBatchRequest',
  },
  'GET /v1/workspaces/{workspace_id}/context-templates': {
    function: 'memory',
    capability: 'memory:read',
  },
  'PUT /v1/workspaces/{workspace_id}/context-templates/{name}': {
    function: 'memory',
    capability: 'memory:write',
    body: 'ContextTemplatePut',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-templates/{name}': {
    function: 'memory',
    capability: 'memory:write',
  },
  'GET /v1/workspaces/{workspace_id}/context-rankers': {
    function: 'memory',
    capability: 'memory:read',
  },
  'PUT /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    function: 'memory',
    capability: 'memory:write',
    body: 'ContextRankerPut',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    function: 'memory',
    capability: 'memory:write',
  },
  'POST /v1/workspaces/{workspace_id}/memories/context': {
    function: 'memory',
    capability: 'memory:read',
    maxBytes: MAX_RECORD_BYTES,
    body: 'ContextRequest',
  },
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': {
    function: 'memory',
    capability: 'memory:read',
    maxBytes: MAX_RECORD_BYTES,
    body: 'ContextRequest',
  },
} as const satisfies Record<string, HttpRoute>;

export const MEMORY_DESCRIPTIONS = {
  'GET /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'List memories of a conversation or a person',
    reply: 'MemoryPage',
  },
  'POST /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'Store a memory',
    reply: 'MemoryStored',
    status: 201,
    errors: ['RATE_LIMITED'],
  },
  'PUT /v1/workspaces/{workspace_id}/memories': {
    tag: 'Operations',
    summary: 'Restore exported memories',
    reply: 'Restored',
  },
  'DELETE /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'Erase the memories of a conversation or a person',
    reply: 'MemoryErasure',
  },
  'GET /v1/workspaces/{workspace_id}/memories/stats': {
    tag: 'Memory',
    summary: 'Show quotas and searches',
    reply: 'MemoryStats',
  },
  'GET /v1/workspaces/{workspace_id}/memories/{id}': {
    tag: 'Memory',
    summary: 'Read a memory',
    reply: 'Memory',
    errors: ['NOT_FOUND'],
  },
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': {
    tag: 'Memory',
    summary: 'Delete a memory',
    errors: ['NOT_FOUND'],
  },
  'POST /v1/workspaces/{workspace_id}/memories/search': {
    tag: 'Memory',
    summary: 'Search memories by text or vector',
    reply: 'MemorySearchResponse',
  },
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': {
    tag: 'Memory',
    summary: 'Search memories for up to 20 queries at once',
    reply: 'MemoryBatchResponse',
  },
  'GET /v1/workspaces/{workspace_id}/context-templates': {
    tag: 'Memory',
    summary: 'List the templates for contexts, built-in ones too',
    reply: 'ContextTemplates',
  },
  'PUT /v1/workspaces/{workspace_id}/context-templates/{name}': {
    tag: 'Memory',
    summary: 'Store or replace a template',
    reply: 'ContextTemplate',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-templates/{name}': {
    tag: 'Memory',
    summary: 'Delete a template',
    errors: ['NOT_FOUND'],
  },
  'GET /v1/workspaces/{workspace_id}/context-rankers': {
    tag: 'Memory',
    summary: 'List the rankers for contexts, built-in ones too',
    reply: 'ContextRankers',
  },
  'PUT /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    tag: 'Memory',
    summary: 'Store or replace a ranker',
    reply: 'RankerWeights',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    tag: 'Memory',
    summary: 'Delete a ranker',
    errors: ['NOT_FOUND'],
  },
  'POST /v1/workspaces/{workspace_id}/memories/context': {
    tag: 'Memory',
    summary: 'Build a text for a prompt from memories, within a token budget',
    reply: 'ContextResult',
  },
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': {
    tag: 'Memory',
    summary: 'Show which memories a context would hold, and why',
    reply: 'ContextPreview',
  },
} as const satisfies Record<keyof typeof MEMORY_ROUTES, RouteDescription>;
