import { ASKED, type HttpRoute, type RouteDescription, UNCHANGED } from './http-route.ts';

export const PROTOCOL_ROUTES = {
  'POST /v1/chat/completions': {
    streams: true,
    body: 'ChatCompletionRequest',
  },
  'POST /v1/responses': {
    streams: true,
    body: 'ResponsesRequest',
  },
  'POST /mcp': {
    // Revisions with a handshake know several messages in one request.
    body: 'PostMcpRequest',
  },
  'POST /a2a': {
    // The header A2A-Version names the version of the protocol.
    body: 'JsonRpcMessage',
  },
  'DELETE /v1/a2a/tasks': {
    capability: 'memory:write',
    isAudited: true,
    query: 'TaskErasureQuery',
  },
  'GET /.well-known/agent-card.json': {
    access: 'public',
  },
  'GET /.well-known/jwks.json': {
    access: 'public',
  },
  'GET /v1/models': {},
  'GET /v1/models/{id}': {},
} as const satisfies Record<string, HttpRoute>;

export const PROTOCOL_DESCRIPTIONS = {
  'POST /v1/chat/completions': {
    tag: 'OpenAI',
    summary: 'Ask as with the chat completions of OpenAI',
    reply: 'ChatCompletion',
    events: 'ChatCompletionChunk',
    error: 'ChatError',
    errors: ASKED,
  },
  'POST /v1/responses': {
    tag: 'OpenAI',
    summary: 'Ask as with the responses of OpenAI',
    reply: 'ResponsesReply',
    events: 'ResponsesEvent',
    error: 'ChatError',
    errors: ASKED,
  },
  'POST /mcp': {
    tag: 'MCP',
    summary: 'Call tools and read articles as a client of MCP',
    error: 'JsonRpcMessage',
    reply: 'PostMcpReply',
    refusals: {
      403: 'A web page of an origin that is not configured.',
      404: 'An unknown method.',
      413: 'The body is too long.',
    },
    media: { 'text/event-stream': 'JsonRpcMessage' },
    also: { 202: { description: 'A notification.' } },
  },
  'POST /a2a': {
    tag: 'A2A',
    summary: 'Send messages and follow tasks as an agent that speaks A2A',
    reply: 'JsonRpcMessage',
    media: { 'text/event-stream': 'JsonRpcMessage' },
    error: 'JsonRpcMessage',
    errors: ['NOT_FOUND'],
    also: { 202: { description: 'A notification.' } },
  },
  'DELETE /v1/a2a/tasks': {
    tag: 'A2A',
    summary: 'Erase the tasks of a conversation or a person',
    reply: 'DeleteAnswersReply',
  },
  'GET /.well-known/agent-card.json': {
    tag: 'A2A',
    summary: 'Show the signed agent card',
    reply: 'AgentCard',
    errors: ['NOT_FOUND'],
    also: UNCHANGED,
  },
  'GET /.well-known/jwks.json': {
    tag: 'A2A',
    summary: 'Show the keys that sign the agent card',
    reply: 'GatewayKeys',
    also: UNCHANGED,
  },
  'GET /v1/models': {
    tag: 'OpenAI',
    summary: 'List the librarians as models',
    reply: 'ChatModels',
    error: 'ChatError',
  },
  'GET /v1/models/{id}': {
    tag: 'OpenAI',
    summary: 'Describe a librarian as a model',
    reply: 'ChatModel',
    error: 'ChatError',
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<keyof typeof PROTOCOL_ROUTES, RouteDescription>;
