import type { ProgressEvent } from '../core/ask.ts';
import type { LibrarianResponse } from '../core/response.ts';

/** A route of the gateway. Its schemas and examples are in `tools/build/openapi.ts`, which does not compile when one is missing. */
export interface HttpRoute {
  /** The group in which documentation shows it. */
  tag:
    | 'Ask'
    | 'Answers'
    | 'Knowledge'
    | 'Support'
    | 'Articles'
    | 'Sync'
    | 'Memory'
    | 'Librarians'
    | 'OpenAI'
    | 'MCP'
    | 'A2A'
    | 'Operations';
  /** One line, as a sentence without its full stop. */
  summary: string;
  /** The capability that the API key needs. Absent: any key will do. */
  capability?: string;
  /** A second capability that the API key needs, for what the reply quotes. */
  alsoNeeds?: string;
  /** Called without an API key: unauthenticated, or signed by the caller. */
  access?: 'public' | 'signed';
  /** Whether the last parameter of the path may hold slashes. */
  hasSlashes?: true;
  /** Whether it answers as server-sent events to callers that accept them. */
  streams?: true;
}

/**
 * All routes of the gateway, as method and path. The gateway takes its paths and capabilities from here; `GET /openapi.json` is made of it
 * (OpenAPI 3.1, section 4.8.8).
 */
export const ROUTES = {
  'POST /v1/ask': {
    tag: 'Ask',
    summary: 'Ask a question and get an answer with its sources',
    streams: true,
  },
  'POST /v1/navigate': {
    tag: 'Ask',
    summary: 'Answer from the knowledge base, with exact quotes and their offsets',
    capability: 'kb:read',
    streams: true,
  },
  'POST /v1/agents/analytics': {
    tag: 'Ask',
    summary: 'Answer with figures of a database',
    capability: 'sql:read',
    streams: true,
  },
  'POST /v1/agents/semantic': {
    tag: 'Ask',
    summary: 'Find documents by meaning, with a summary',
    capability: 'kb:read',
    streams: true,
  },
  'POST /v1/agents/web_search': {
    tag: 'Ask',
    summary: 'Search the web and compare prices with our own',
    capability: 'web:search',
    streams: true,
  },
  'POST /v1/agents/hybrid': {
    tag: 'Ask',
    summary: 'Ask several agents at once and join their answers',
    streams: true,
  },
  'GET /v1/answers': {
    tag: 'Answers',
    summary: 'List kept answers, or export them',
    capability: 'answers:read',
  },
  'DELETE /v1/answers': {
    tag: 'Answers',
    summary: 'Erase the answers to a person, of a conversation or before a moment',
    capability: 'answers:write',
  },
  'GET /v1/answers/{id}': {
    tag: 'Answers',
    summary: 'Show a kept answer with its evidence and its trace',
    capability: 'answers:read',
  },
  'DELETE /v1/answers/{id}': {
    tag: 'Answers',
    summary: 'Erase a kept answer',
    capability: 'answers:write',
  },
  'GET /v1/answers/statistics': {
    tag: 'Answers',
    summary:
      'Count kept answers by time, verdict, confidence and librarian, with their latencies and cost',
    capability: 'answers:read',
  },
  'GET /v1/overview': {
    tag: 'Answers',
    summary: 'Show what was asked in some days, what was not answered, and what to look at',
  },
  'POST /v1/answers/{id}/replay': {
    tag: 'Answers',
    summary: 'Ask a kept question again, and compare the answers',
    capability: 'answers:read',
  },
  'POST /v1/answers/{id}/feedback': { tag: 'Answers', summary: 'Say whether an answer helped' },
  'POST /v1/chat/completions': {
    tag: 'OpenAI',
    summary: 'Ask as with the chat completions of OpenAI',
    streams: true,
  },
  'POST /v1/responses': {
    tag: 'OpenAI',
    summary: 'Ask as with the responses of OpenAI',
    streams: true,
  },
  'POST /mcp': { tag: 'MCP', summary: 'Call tools and read articles as a client of MCP' },
  'POST /a2a': {
    tag: 'A2A',
    summary: 'Send messages and follow tasks as an agent that speaks A2A',
  },
  'DELETE /v1/a2a/tasks': {
    tag: 'A2A',
    summary: 'Erase the tasks of a conversation or a person',
    capability: 'memory:write',
  },
  'GET /.well-known/agent-card.json': {
    tag: 'A2A',
    summary: 'Show the signed agent card',
    access: 'public',
  },
  'GET /.well-known/jwks.json': {
    tag: 'A2A',
    summary: 'Show the keys that sign the agent card',
    access: 'public',
  },
  'GET /v1/models': { tag: 'OpenAI', summary: 'List the librarians as models' },
  'GET /v1/models/{id}': { tag: 'OpenAI', summary: 'Describe a librarian as a model' },
  'GET /v1/access': {
    tag: 'Operations',
    summary: 'Show what the key or token of the request may do',
  },
  'GET /v1/librarians': { tag: 'Librarians', summary: 'List the librarians with their health' },
  'GET /librarians/{id}': {
    tag: 'Librarians',
    summary: 'Describe a librarian and its keys',
    access: 'public',
  },
  'POST /librarians/{id}/ask': {
    tag: 'Librarians',
    summary: 'Ask a librarian as another librarian, in a signed context',
    access: 'signed',
  },
  'POST /v1/knowledge/search': {
    tag: 'Knowledge',
    summary: 'Search passages of the articles',
    capability: 'kb:read',
  },
  'POST /v1/knowledge/retrieve': {
    tag: 'Knowledge',
    summary: 'Retrieve up to three articles for a ticket',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/health': {
    tag: 'Knowledge',
    summary: 'List what writers should look at: contradictions, copies, dead links',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/stats': {
    tag: 'Knowledge',
    summary: 'Show how embeddings are cached',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'List the questions that no article answers',
    capability: 'support:analyze',
  },
  'POST /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'Report a question that the articles should answer',
    capability: 'support:analyze',
  },
  'DELETE /v1/knowledge/gaps': {
    tag: 'Knowledge',
    summary: 'Erase what a person asked from the gaps',
    capability: 'kb:write',
  },
  'GET /v1/knowledge/gaps/{id}': {
    tag: 'Knowledge',
    summary: 'Show a question that no article answers',
    capability: 'support:analyze',
  },
  'DELETE /v1/knowledge/gaps/{id}': {
    tag: 'Knowledge',
    summary: 'Delete a gap',
    capability: 'kb:write',
  },
  'GET /v1/knowledge/gaps/records': {
    tag: 'Operations',
    summary: 'Export gaps with their examples',
    capability: 'kb:write',
  },
  'PUT /v1/knowledge/gaps/records': {
    tag: 'Operations',
    summary: 'Restore exported gaps',
    capability: 'kb:write',
  },
  'GET /v1/knowledge/checks': {
    tag: 'Knowledge',
    summary: 'List the questions that must be answered or declined, and how each ended',
    capability: 'kb:read',
  },
  'PUT /v1/knowledge/checks': { tag: 'Knowledge', summary: 'Store checks', capability: 'kb:write' },
  'DELETE /v1/knowledge/checks/{id}': {
    tag: 'Knowledge',
    summary: 'Delete a check',
    capability: 'kb:write',
  },
  'POST /v1/knowledge/checks/run': {
    tag: 'Knowledge',
    summary: 'Run all checks again',
    capability: 'kb:write',
  },
  'POST /v1/knowledge/checks/try': {
    tag: 'Knowledge',
    summary: 'Run a check at once without storing it',
    capability: 'kb:read',
  },
  'POST /v1/knowledge/checks/preview': {
    tag: 'Knowledge',
    summary: 'Show which checks an article would turn',
    capability: 'kb:write',
    alsoNeeds: 'kb:read',
  },
  'GET /v1/knowledge/editions': {
    tag: 'Knowledge',
    summary: 'List the editions that are kept',
    capability: 'kb:read',
  },
  'GET /v1/knowledge/editions/{id}/changes': {
    tag: 'Knowledge',
    summary: 'Compare an edition with another: articles added, changed, removed',
    capability: 'kb:read',
  },
  'POST /v1/knowledge/editions/{id}/activate': {
    tag: 'Knowledge',
    summary: 'Publish the articles of an earlier edition again, until the next sync',
    capability: 'kb:write',
  },
  'POST /v1/support/analyze': {
    tag: 'Support',
    summary: 'Classify a ticket and draft a reply grounded in articles',
    capability: 'support:analyze',
  },
  'GET /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Show the intents of the workspace',
    capability: 'support:analyze',
  },
  'GET /v1/support/taxonomy/accuracy': {
    tag: 'Support',
    summary: 'Measure how well each intent is recognised, by cross-validation',
    capability: 'support:analyze',
  },
  'PUT /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Replace the intents of the workspace',
    capability: 'kb:write',
  },
  'DELETE /v1/support/taxonomy': {
    tag: 'Support',
    summary: 'Remove the intents of the workspace',
    capability: 'kb:write',
  },
  'GET /v1/support/tickets': {
    tag: 'Support',
    summary: 'List tickets by state, helpdesk or id',
    capability: 'helpdesk:write',
  },
  'PUT /v1/support/tickets': {
    tag: 'Operations',
    summary: 'Restore the history of exported tickets',
    capability: 'helpdesk:write',
  },
  'GET /v1/support/tickets/outcomes': {
    tag: 'Support',
    summary: 'Count by intent and by article what agents made of drafts',
    capability: 'helpdesk:read',
  },
  'GET /v1/support/tickets/case': {
    tag: 'Support',
    summary: 'Show the newest message of a ticket with its draft, and what was sent',
    capability: 'helpdesk:read',
  },
  'GET /v1/support/tickets/lessons': {
    tag: 'Support',
    summary: 'Compare drafts with what agents sent instead',
    capability: 'helpdesk:read',
  },
  'GET /v1/support/tickets/draft': {
    tag: 'Support',
    summary: 'Show the draft of a ticket with the evidence of each sentence',
    capability: 'helpdesk:read',
  },
  'DELETE /v1/support/tickets/draft': {
    tag: 'Support',
    summary: 'Erase the drafts of a ticket and what was noted about them',
    capability: 'helpdesk:write',
  },
  'POST /v1/support/tickets/feedback': {
    tag: 'Support',
    summary: 'Say whether the draft of a ticket helped',
    capability: 'helpdesk:read',
  },
  'POST /v1/support/tickets/replay': {
    tag: 'Support',
    summary: 'Retry tickets that failed',
    capability: 'helpdesk:write',
  },
  'POST /v1/support/requests': {
    tag: 'Support',
    summary: 'Hand a visitor of a web page over to a person',
  },
  'GET /v1/support/requests': {
    tag: 'Support',
    summary: 'List the visitors who asked for a person',
    capability: 'helpdesk:read',
  },
  'DELETE /v1/support/requests': {
    tag: 'Support',
    summary: 'Erase a request of a visitor, or all of an address',
    capability: 'helpdesk:write',
  },
  'GET /v1/sync': {
    tag: 'Sync',
    summary: 'Show the state and the last report of the sync',
    capability: 'kb:read',
  },
  'POST /v1/sync': { tag: 'Sync', summary: 'Start a sync', capability: 'kb:write' },
  'GET /api/kb/articles': { tag: 'Articles', summary: 'List articles', capability: 'kb:read' },
  'GET /api/kb/inventory': {
    tag: 'Articles',
    summary: 'List ids, hashes and owners of articles',
    capability: 'kb:read',
  },
  'GET /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Read an article',
    capability: 'kb:read',
    hasSlashes: true,
  },
  'PUT /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Create or replace an article',
    capability: 'kb:write',
    hasSlashes: true,
  },
  'DELETE /api/kb/articles/{id}': {
    tag: 'Articles',
    summary: 'Delete an article',
    capability: 'kb:write',
    hasSlashes: true,
  },
  'GET /api/kb/text/{id}': {
    tag: 'Articles',
    summary: 'Read the text that quotes and offsets refer to, and what was left out of it',
    capability: 'kb:read',
    hasSlashes: true,
  },
  'GET /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'List memories of a conversation or a person',
    capability: 'memory:read',
  },
  'POST /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'Store a memory',
    capability: 'memory:write',
  },
  'PUT /v1/workspaces/{workspace_id}/memories': {
    tag: 'Operations',
    summary: 'Restore exported memories',
    capability: 'memory:restore',
  },
  'DELETE /v1/workspaces/{workspace_id}/memories': {
    tag: 'Memory',
    summary: 'Erase the memories of a conversation or a person',
    capability: 'memory:write',
  },
  'GET /v1/workspaces/{workspace_id}/memories/stats': {
    tag: 'Memory',
    summary: 'Show quotas and searches',
    capability: 'memory:read',
  },
  'GET /v1/workspaces/{workspace_id}/memories/{id}': {
    tag: 'Memory',
    summary: 'Read a memory',
    capability: 'memory:read',
  },
  'DELETE /v1/workspaces/{workspace_id}/memories/{id}': {
    tag: 'Memory',
    summary: 'Delete a memory',
    capability: 'memory:write',
  },
  'POST /v1/workspaces/{workspace_id}/memories/search': {
    tag: 'Memory',
    summary: 'Search memories by text or vector',
    capability: 'memory:read',
  },
  'POST /v1/workspaces/{workspace_id}/memories/search/batch': {
    tag: 'Memory',
    summary: 'Search memories for up to 20 queries at once',
    capability: 'memory:read',
  },
  'GET /v1/workspaces/{workspace_id}/context-templates': {
    tag: 'Memory',
    summary: 'List the templates for contexts, built-in ones too',
    capability: 'memory:read',
  },
  'PUT /v1/workspaces/{workspace_id}/context-templates/{name}': {
    tag: 'Memory',
    summary: 'Store or replace a template',
    capability: 'memory:write',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-templates/{name}': {
    tag: 'Memory',
    summary: 'Delete a template',
    capability: 'memory:write',
  },
  'GET /v1/workspaces/{workspace_id}/context-rankers': {
    tag: 'Memory',
    summary: 'List the rankers for contexts, built-in ones too',
    capability: 'memory:read',
  },
  'PUT /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    tag: 'Memory',
    summary: 'Store or replace a ranker',
    capability: 'memory:write',
  },
  'DELETE /v1/workspaces/{workspace_id}/context-rankers/{name}': {
    tag: 'Memory',
    summary: 'Delete a ranker',
    capability: 'memory:write',
  },
  'POST /v1/workspaces/{workspace_id}/memories/context': {
    tag: 'Memory',
    summary: 'Build a text for a prompt from memories, within a token budget',
    capability: 'memory:read',
  },
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': {
    tag: 'Memory',
    summary: 'Show which memories a context would hold, and why',
    capability: 'memory:read',
  },
  'POST /webhooks/{helpdesk}/{workspace}': {
    tag: 'Support',
    summary: 'Receive a delivery of a helpdesk, signed as the helpdesk does it',
    access: 'signed',
  },
  'GET /v1/audit': {
    tag: 'Operations',
    summary: 'List acts of administration, newest first',
    capability: 'audit:read',
  },
  'GET /metrics': {
    tag: 'Operations',
    summary: 'Show metrics for Prometheus',
    capability: 'metrics:read',
  },
  'GET /healthz': {
    tag: 'Operations',
    summary: 'Show liveness and the adapters in use',
    access: 'public',
  },
  'GET /v1/sign-in': {
    tag: 'Operations',
    summary: 'Name the identity providers at which a browser can sign in',
    access: 'public',
  },
  'POST /v1/sign-in': {
    tag: 'Operations',
    summary: 'Redeem the code of an identity provider for a token',
    access: 'public',
  },
  'GET /.well-known/oauth-protected-resource': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted',
    access: 'public',
  },
  'GET /.well-known/oauth-protected-resource/mcp': {
    tag: 'Operations',
    summary: 'Name the identity providers whose tokens are accepted, for clients of MCP',
    access: 'public',
  },
  'GET /openapi.json': { tag: 'Operations', summary: 'Show this description', access: 'public' },
} as const satisfies Record<string, HttpRoute>;

/** Method and path of a route: `POST /v1/ask`. */
export type RouteName = keyof typeof ROUTES;

/** Method and path as Hono takes them: `['GET', '/api/kb/articles/:id{.+}']`. */
export function honoRoute(name: RouteName): [method: string, path: string] {
  const [method = '', template = ''] = name.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, ':$1');
  return [method, 'hasSlashes' in ROUTES[name] ? `${path}{.+}` : path];
}

/** Tells whether a request is for one of these routes. */
export function routeMatcher(
  names: readonly RouteName[],
): (method: string, path: string) => boolean {
  const routes = names.map(honoRoute).map(([method, path]) => ({
    method,
    path: new RegExp(`^${path.replaceAll(/:\w+\{\.\+\}/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  return (method, path) => routes.some((route) => route.method === method && route.path.test(path));
}

/**
 * What a function that translates a protocol may do in the name of a caller, whose credentials it never sees (remote procedure call). It
 * lasts as long as the call that brought it, unless it is duplicated.
 */
export interface GatewayCall {
  /** Sends a request to a route. */
  route(request: Request): Promise<Response>;
  /**
   * Asks as `POST /v1/ask` does, without its HTTP. Never rejects: a question that is refused is a response with an error.
   *
   * @param question An `AskRequest`; it is validated.
   * @param progress Gets what is reported while the answer is made.
   */
  ask(
    question: object,
    progress?: (event: ProgressEvent) => Promise<void>,
  ): Promise<LibrarianResponse>;
  /** Ends everything that was begun with this call. */
  stop(): Promise<void>;
}
