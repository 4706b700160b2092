import { type HttpRoute, type RouteDescription, UNCHANGED } from './http-route.ts';

export const OPERATIONS_ROUTES = {
  'POST /webhooks/{helpdesk}/{workspace}': {
    access: 'signed',
    body: 'PostWebhooksHelpdeskWorkspaceRequest',
  },
  'GET /v1/audit': {
    function: 'memory',
    capability: 'audit:read',
    grants: 'audit:read',
    query: 'AuditQuery',
  },
  'GET /metrics': {
    capability: 'metrics:read',
  },
  'GET /healthz': {
    access: 'public',
  },
  'GET /v1/sign-in': {
    access: 'public',
  },
  'POST /v1/sign-in': {
    access: 'public',
    body: 'SignInRequest',
  },
  'GET /.well-known/oauth-protected-resource': {
    access: 'public',
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    access: 'public',
  },
  'GET /openapi.json': {
    access: 'public',
  },
} as const satisfies Record<string, HttpRoute>;

export const OPERATIONS_DESCRIPTIONS = {
  'POST /webhooks/{helpdesk}/{workspace}': {
    tag: 'Support',
    summary: 'Receive a delivery of a helpdesk, signed as the helpdesk does it',
    reply: 'PostWebhooksHelpdeskWorkspaceReply',
  },
  'GET /v1/audit': {
    tag: 'Operations',
    summary: 'List acts of administration, newest first',
    reply: 'AuditPage',
  },
  'GET /metrics': {
    tag: 'Operations',
    summary: 'Show metrics for Prometheus',
    reply: 'text/plain',
  },
  'GET /healthz': {
    tag: 'Operations',
    summary: 'Show liveness and the adapters in use',
    reply: 'Healthz',
    client: 'health()',
  },
  'GET /v1/sign-in': {
    tag: 'Operations',
    summary: 'Name the identity providers at which a browser can sign in',
    reply: 'SignInOptions',
  },
  'POST /v1/sign-in': {
    tag: 'Operations',
    summary: 'Redeem the code of an identity provider for a token',
    reply: 'SignedIn',
    errors: ['NOT_FOUND', 'UNAUTHORIZED', 'SERVICE_UNAVAILABLE'],
  },
  'GET /.well-known/oauth-protected-resource': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted',
    reply: 'ProtectedResource',
    errors: ['NOT_FOUND'],
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted, for clients of MCP',
    reply: 'ProtectedResource',
    errors: ['NOT_FOUND'],
  },
  'GET /openapi.json': {
    tag: 'Operations',
    summary: 'Show this description',
    reply: 'GetOpenapiJsonReply',
    also: UNCHANGED,
  },
} as const satisfies Record<keyof typeof OPERATIONS_ROUTES, RouteDescription>;
