import type { HttpRoute, RouteDescription } from './http-route.ts';

export const EDITION_ROUTES = {
  'GET /v1/knowledge/editions': {
    function: 'library',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/editions/{id}/changes': {
    function: 'library',
    capability: 'kb:read',
    query: 'EditionChangesQuery',
  },
  'POST /v1/knowledge/editions/{id}/activate': {
    function: 'library',
    capability: 'kb:write',
    isAudited: true,
    body: 'EditionActivation',
  },
} as const satisfies Record<string, HttpRoute>;

export const EDITION_DESCRIPTIONS = {
  'GET /v1/knowledge/editions': {
    tag: 'Knowledge',
    summary: 'List the editions that are kept',
    reply: 'EditionList',
    client: 'editions.list()',
  },
  'GET /v1/knowledge/editions/{id}/changes': {
    tag: 'Knowledge',
    summary: 'Compare an edition with another: articles added, changed, removed',
    reply: 'EditionChanges',
    errors: ['NOT_FOUND'],
    client: 'editions.changes({id}, {parameters})',
  },
  'POST /v1/knowledge/editions/{id}/activate': {
    tag: 'Knowledge',
    summary: 'Publish the articles of an earlier edition again, until the next sync',
    reply: 'EditionActivated',
    errors: ['NOT_FOUND'],
    client: 'editions.activate({id})',
  },
} as const satisfies Record<keyof typeof EDITION_ROUTES, RouteDescription>;
