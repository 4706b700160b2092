import { type HttpRoute, MAX_RECORD_BYTES, type RouteDescription } from './http-route.ts';

export const GAP_ROUTES = {
  'GET /v1/knowledge/gaps': {
    function: 'support',
    capability: 'support:analyze',
    isForMcp: true,
    query: 'KnowledgeGapsRequest',
  },
  'POST /v1/knowledge/gaps': {
    function: 'support',
    capability: 'support:analyze',
    body: 'KnowledgeGapReport',
  },
  'DELETE /v1/knowledge/gaps': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:gaps:write',
    isAudited: true,
    query: 'GapsErasureQuery',
  },
  'GET /v1/knowledge/gaps/{id}': {
    function: 'support',
    capability: 'support:analyze',
  },
  'DELETE /v1/knowledge/gaps/{id}': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:gaps:write',
    isAudited: true,
  },
  'GET /v1/knowledge/gaps/records': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:gaps:write',
    query: 'GapRecordsQuery',
  },
  'PUT /v1/knowledge/gaps/records': {
    function: 'support',
    capability: 'kb:write',
    grants: 'support:gaps:write',
    isAudited: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'GapsRestore',
  },
} as const satisfies Record<string, HttpRoute>;

export const GAP_DESCRIPTIONS = {
  'GET /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'List the questions that no article answers',
    reply: 'KnowledgeGapsResponse',
    client: 'gaps.list({parameters})',
    tool: 'list_gaps',
  },
  'POST /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'Report a question that the articles should answer',
    reply: 'KnowledgeGapReported',
  },
  'DELETE /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'Erase what a person asked from the gaps',
    reply: 'DeleteAnswersReply',
  },
  'GET /v1/knowledge/gaps/{id}': {
    tag: 'Knowledge',
    summary: 'Show a question that no article answers',
    reply: 'KnowledgeGap',
    errors: ['NOT_FOUND'],
  },
  'DELETE /v1/knowledge/gaps/{id}': {
    tag: 'Knowledge',
    summary: 'Delete a gap',
    errors: ['NOT_FOUND'],
    client: 'gaps.delete({id})',
  },
  'GET /v1/knowledge/gaps/records': {
    tag: 'Operations',
    summary: 'Export gaps with their examples',
    reply: 'GapRecordPage',
  },
  'PUT /v1/knowledge/gaps/records': {
    tag: 'Operations',
    summary: 'Restore exported gaps',
    reply: 'Restored',
  },
} as const satisfies Record<keyof typeof GAP_ROUTES, RouteDescription>;
