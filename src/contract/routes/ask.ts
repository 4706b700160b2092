import { ASKED, type HttpRoute, type RouteDescription } from './http-route.ts';

const AGENT = { query: 'AgentQuery', body: 'AgentRequest' } as const;
const AGENT_MEDIA = { 'text/markdown': 'text', 'text/plain': 'text' } as const;

export const ASK_ROUTES = {
  'POST /v1/ask': {
    streams: true,
    isPublishable: true,
    body: 'AskRequest',
  },
  'POST /v1/navigate': {
    function: 'navigator',
    capability: 'kb:read',
    streams: true,
    body: 'NavigateRequest',
  },
  'POST /v1/agents/analytics': {
    function: 'analytics',
    capability: 'sql:read',
    streams: true,
    ...AGENT,
  },
  'POST /v1/agents/semantic': {
    function: 'semantic',
    capability: 'kb:read',
    streams: true,
    ...AGENT,
  },
  'POST /v1/agents/web_search': {
    function: 'web-search',
    capability: 'web:search',
    streams: true,
    ...AGENT,
  },
  'POST /v1/agents/hybrid': {
    function: 'hybrid',
    streams: true,
    ...AGENT,
  },
} as const satisfies Record<string, HttpRoute>;

// Without a spread, so that bundlers omit it where it is unused.
export const ASK_DESCRIPTIONS = {
  'POST /v1/ask': {
    tag: 'Ask',
    summary: 'Ask a question and get an answer with its sources',
    reply: 'LibrarianResponse',
    events: 'ProgressEvent',
    errors: ASKED,
    client: 'ask({body})',
    clientStream: 'askStream({body})',
    tool: 'ask',
  },
  'POST /v1/navigate': {
    tag: 'Ask',
    summary: 'Answer from the knowledge base, with exact quotes and their offsets',
    reply: 'NavigatorResponse',
    events: 'ProgressEvent',
    errors: ASKED,
    client: 'navigate({query})',
  },
  'POST /v1/agents/analytics': {
    tag: 'Ask',
    summary: 'Answer with figures of a database',
    reply: 'AgentReply',
    media: AGENT_MEDIA,
    error: 'AgentError',
    events: 'ProgressEvent',
    errors: ASKED,
    client: "agent('analytics', {body})",
  },
  'POST /v1/agents/semantic': {
    tag: 'Ask',
    summary: 'Find documents by meaning, with a summary',
    reply: 'AgentReply',
    media: AGENT_MEDIA,
    error: 'AgentError',
    events: 'ProgressEvent',
    errors: ASKED,
    client: "agent('semantic', {body})",
  },
  'POST /v1/agents/web_search': {
    tag: 'Ask',
    summary: 'Search the web and compare prices with our own',
    reply: 'AgentReply',
    media: AGENT_MEDIA,
    error: 'AgentError',
    events: 'ProgressEvent',
    errors: ASKED,
    client: "agent('web_search', {body})",
  },
  'POST /v1/agents/hybrid': {
    tag: 'Ask',
    summary: 'Ask several agents at once and join their answers',
    reply: 'AgentReply',
    media: AGENT_MEDIA,
    error: 'AgentError',
    events: 'ProgressEvent',
    errors: ASKED,
    client: "agent('hybrid', {body})",
  },
} as const satisfies Record<keyof typeof ASK_ROUTES, RouteDescription>;
