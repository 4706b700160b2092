import { type HttpRoute, UNCHANGED } from './http-route.ts';

export const OPERATIONS_ROUTES = {
  'POST /webhooks/{helpdesk}/{workspace}': {
    tag: 'Support',
    summary: 'Receive a delivery of a helpdesk, signed as the helpdesk does it',
    access: 'signed',
    body: 'PostWebhooksHelpdeskWorkspaceRequest',
    reply: 'PostWebhooksHelpdeskWorkspaceReply',
  },
  'GET /v1/audit': {
    tag: 'Operations',
    summary: 'List acts of administration, newest first',
    function: 'memory',
    capability: 'audit:read',
    grants: 'audit:read',
    query: 'AuditQuery',
    reply: 'AuditPage',
  },
  'GET /metrics': {
    tag: 'Operations',
    summary: 'Show metrics for Prometheus',
    capability: 'metrics:read',
    reply: 'text/plain',
  },
  'GET /healthz': {
    tag: 'Operations',
    summary: 'Show liveness and the adapters in use',
    access: 'public',
    reply: 'Healthz',
    client: 'health()',
  },
  'GET /v1/sign-in': {
    tag: 'Operations',
    summary: 'Name the identity providers at which a browser can sign in',
    access: 'public',
    reply: 'SignInOptions',
  },
  'POST /v1/sign-in': {
    tag: 'Operations',
    summary: 'Redeem the code of an identity provider for a token',
    access: 'public',
    body: 'SignInRequest',
    reply: 'SignedIn',
    errors: ['NOT_FOUND', 'UNAUTHORIZED', 'SERVICE_UNAVAILABLE'],
  },
  'GET /.well-known/oauth-protected-resource': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted',
    access: 'public',
    reply: 'ProtectedResource',
    errors: ['NOT_FOUND'],
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted, for clients of MCP',
    access: 'public',
    reply: 'ProtectedResource',
    errors: ['NOT_FOUND'],
  },
  'GET /openapi.json': {
    tag: 'Operations',
    summary: 'Show this description',
    access: 'public',
    reply: 'GetOpenapiJsonReply',
    also: UNCHANGED,
  },
} as const satisfies Record<string, HttpRoute>;
