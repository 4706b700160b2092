import {
  type HttpRoute,
  MAX_ARTICLE_BYTES,
  MAX_RECORD_BYTES,
  type RouteDescription,
} from './http-route.ts';

export const SUPPORT_ROUTES = {
  'POST /v1/support/analyze': {
    function: 'support',
    capability: 'support:analyze',
    isForMcp: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'SupportRequest',
  },
  'GET /v1/support/taxonomy': {
    function: 'support',
    capability: 'support:analyze',
  },
  'GET /v1/support/taxonomy/accuracy': {
    function: 'support',
    capability: 'support:analyze',
  },
  'PUT /v1/support/taxonomy': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:taxonomy:write',
    isAudited: true,
    maxBytes: MAX_ARTICLE_BYTES,
    body: 'TaxonomyPut',
  },
  'DELETE /v1/support/taxonomy': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:taxonomy:write',
    isAudited: true,
  },
  'GET /v1/support/settings': {
    function: 'support',
    capability: 'support:analyze',
  },
  'PUT /v1/support/settings': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:taxonomy:write',
    isAudited: true,
    body: 'DeskSettings',
  },
} as const satisfies Record<string, HttpRoute>;

export const SUPPORT_DESCRIPTIONS = {
  'POST /v1/support/analyze': {
    tag: 'Support',
    summary: 'Classify a ticket and draft a reply grounded in articles',
    reply: 'SupportResponse',
    tool: 'analyze_ticket',
  },
  'GET /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Show the intents of the workspace',
    reply: 'TaxonomyStored',
    errors: ['NOT_FOUND'],
  },
  'GET /v1/support/taxonomy/accuracy': {
    tag: 'Support',
    summary: 'Measure how well each intent is recognised, by cross-validation',
    reply: 'TaxonomyAccuracy',
    errors: ['NOT_FOUND', 'INVALID_QUERY'],
  },
  'PUT /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Replace the intents of the workspace',
    reply: 'TaxonomyWritten',
  },
  'DELETE /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Remove the intents of the workspace',
    errors: ['NOT_FOUND'],
  },
  'GET /v1/support/settings': {
    tag: 'Support',
    summary: 'Show how the drafts of the workspace are written',
    reply: 'DeskSettings',
  },
  'PUT /v1/support/settings': {
    tag: 'Support',
    summary: 'Change how the drafts of the workspace are written',
    reply: 'DeskSettings',
  },
} as const satisfies Record<keyof typeof SUPPORT_ROUTES, RouteDescription>;
