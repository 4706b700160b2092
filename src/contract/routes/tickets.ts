import { type HttpRoute, MAX_RECORD_BYTES, type RouteDescription } from './http-route.ts';

export const TICKET_ROUTES = {
  'GET /v1/support/tickets': {
    function: 'webhooks',
    capability: 'helpdesk:write',
    query: 'TicketsRequest',
  },
  'PUT /v1/support/tickets': {
    function: 'webhooks',
    capability: 'helpdesk:write',
    isAudited: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'TicketsRestore',
  },
  'GET /v1/support/tickets/outcomes': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
  },
  'GET /v1/support/tickets/case': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
    query: 'TicketPlaceRequest',
  },
  'GET /v1/support/tickets/lessons': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
    query: 'LessonsQuery',
  },
  'GET /v1/support/tickets/draft': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
    query: 'TicketPlaceRequest',
  },
  'DELETE /v1/support/tickets/draft': {
    function: 'webhooks',
    capability: 'helpdesk:write',
    isAudited: true,
    query: 'TicketPlaceRequest',
  },
  'POST /v1/support/tickets/feedback': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
    body: 'TicketFeedbackRequest',
  },
  'POST /v1/support/tickets/replay': {
    function: 'webhooks',
    capability: 'helpdesk:write',
    isAudited: true,
    body: 'ReplayRequest',
  },
  'POST /v1/support/requests': {
    function: 'webhooks',
    grants: 'helpdesk:requests:write',
    isPublishable: true,
    maxBytes: MAX_RECORD_BYTES,
    body: 'HandoverRequest',
  },
  'GET /v1/support/requests': {
    function: 'webhooks',
    capability: 'helpdesk:read',
    grants: 'helpdesk:read',
    query: 'HandoversRequest',
  },
  'DELETE /v1/support/requests': {
    function: 'webhooks',
    capability: 'helpdesk:write',
    isAudited: true,
    query: 'HandoverErasureQuery',
  },
} as const satisfies Record<string, HttpRoute>;

export const TICKET_DESCRIPTIONS = {
  'GET /v1/support/tickets': {
    tag: 'Support',
    summary: 'List tickets by state, helpdesk or id',
    reply: 'TicketsResponse',
    client: 'tickets.list({parameters})',
  },
  'PUT /v1/support/tickets': {
    tag: 'Operations',
    summary: 'Restore the history of exported tickets',
    reply: 'Restored',
  },
  'GET /v1/support/tickets/outcomes': {
    tag: 'Support',
    summary: 'Count by intent and by article what agents made of drafts',
    reply: 'TicketOutcomes',
  },
  'GET /v1/support/tickets/case': {
    tag: 'Support',
    summary: 'Show the newest message of a ticket with its draft, and what was sent',
    reply: 'TicketOnDesk',
    errors: ['NOT_FOUND'],
  },
  'GET /v1/support/tickets/lessons': {
    tag: 'Support',
    summary: 'Compare drafts with what agents sent instead',
    reply: 'LessonsResponse',
  },
  'GET /v1/support/tickets/draft': {
    tag: 'Support',
    summary: 'Show the draft of a ticket with the evidence of each sentence',
    reply: 'TicketDraft',
    errors: ['NOT_FOUND'],
    client: 'tickets.draft({parameters})',
  },
  'DELETE /v1/support/tickets/draft': {
    tag: 'Support',
    summary: 'Erase the drafts of a ticket and what was noted about them',
  },
  'POST /v1/support/tickets/feedback': {
    tag: 'Support',
    summary: 'Say whether the draft of a ticket helped',
    errors: ['NOT_FOUND'],
    client: 'tickets.feedback({body})',
  },
  'POST /v1/support/tickets/replay': {
    tag: 'Support',
    summary: 'Retry tickets that failed',
    reply: 'ReplayResponse',
    client: 'tickets.replay({body})',
  },
  'POST /v1/support/requests': {
    tag: 'Support',
    summary: 'Hand a visitor of a web page over to a person',
    reply: 'HandoverAccepted',
    status: 202,
    errors: ['NOT_FOUND'],
  },
  'GET /v1/support/requests': {
    tag: 'Support',
    summary: 'List the visitors who asked for a person',
    reply: 'HandoversPage',
  },
  'DELETE /v1/support/requests': {
    tag: 'Support',
    summary: 'Erase a request of a visitor, or all of an address',
    reply: 'DeleteAnswersReply',
  },
} as const satisfies Record<keyof typeof TICKET_ROUTES, RouteDescription>;
