import { type HttpRoute, MAX_ARTICLE_BYTES, type RouteDescription } from './http-route.ts';

export const CHECK_ROUTES = {
  'GET /v1/knowledge/checks': {
    function: 'navigator',
    capability: 'kb:read',
    query: 'KnowledgeChecksQuery',
  },
  'PUT /v1/knowledge/checks': {
    function: 'navigator',
    capability: 'kb:write',
    grants: 'kb:checks:write',
    isAudited: true,
    maxBytes: MAX_ARTICLE_BYTES,
    body: 'KnowledgeChecksPut',
  },
  'DELETE /v1/knowledge/checks/{id}': {
    function: 'navigator',
    capability: 'kb:write',
    grants: 'kb:checks:write',
    isAudited: true,
  },
  'POST /v1/knowledge/checks/run': {
    function: 'navigator',
    capability: 'kb:write',
    grants: 'kb:checks:write',
    body: 'KnowledgeChecksRun',
  },
  'POST /v1/knowledge/checks/try': {
    function: 'navigator',
    capability: 'kb:read',
    body: 'KnowledgeCheckInput',
  },
  'POST /v1/knowledge/checks/preview': {
    function: 'navigator',
    capability: 'kb:write',
    alsoNeeds: 'kb:read',
    grants: 'kb:checks:write',
    maxBytes: MAX_ARTICLE_BYTES,
    body: 'KnowledgeChecksPreview',
  },
} as const satisfies Record<string, HttpRoute>;

export const CHECK_DESCRIPTIONS = {
  'GET /v1/knowledge/checks': {
    tag: 'Knowledge',
    summary: 'List the questions that must be answered or declined, and how each ended',
    reply: 'KnowledgeChecks',
  },
  'PUT /v1/knowledge/checks': {
    tag: 'Knowledge',
    summary: 'Store checks',
    reply: 'KnowledgeChecksWritten',
    errors: ['NOT_FOUND'],
  },
  'DELETE /v1/knowledge/checks/{id}': {
    tag: 'Knowledge',
    summary: 'Delete a check',
    errors: ['NOT_FOUND'],
  },
  'POST /v1/knowledge/checks/run': {
    tag: 'Knowledge',
    summary: 'Run all checks again',
    reply: 'KnowledgeChecksStarted',
    status: 202,
  },
  'POST /v1/knowledge/checks/try': {
    tag: 'Knowledge',
    summary: 'Run a check at once without storing it',
    reply: 'KnowledgeCheckTried',
  },
  'POST /v1/knowledge/checks/preview': {
    tag: 'Knowledge',
    summary: 'Show which checks an article would turn',
    reply: 'KnowledgeChecksPreviewed',
  },
} as const satisfies Record<keyof typeof CHECK_ROUTES, RouteDescription>;
