import type { Agent } from '../../src/agents/agent.ts';
import { AgentResponse } from '../../src/agents/agent-response.ts';
import { type AgentServeOptions, serveAgent } from '../../src/agents/serve-agent.ts';
import type { AgentType, AgentResponse as WireAgentResponse } from '../../src/contract/agent-response.ts';
import {
  ANALYTICS_RESULT,
  HYBRID_RESULT,
  SEMANTIC_RESULT,
  WEB_SEARCH_RESULT,
} from '../contract/examples/agent-response.ts';
import { type App, callFrom, identityOf, targetOf, userContext } from '../signing/callers.ts';

/** An answer of each type, with the example results of the agent contract. */
export const ANSWERS = {
  analytics: AgentResponse.success('analytics', 'How many iPhone 17 are in stock?')
    .setResult(ANALYTICS_RESULT)
    .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution('clic_products'))
    .toArray(),
  semantic: AgentResponse.success('semantic', 'What is the return policy?')
    .setResult(SEMANTIC_RESULT)
    .setSourceAttribution(AgentResponse.createSemanticSourceAttribution(1, 0.92))
    .toArray(),
  web_search: AgentResponse.success('web_search', 'What does the iPhone 17 cost elsewhere?')
    .setResult(WEB_SEARCH_RESULT)
    .setSourceAttribution(AgentResponse.createWebSearchSourceAttribution(2))
    .toArray(),
  hybrid: AgentResponse.success('hybrid', 'Show Q1 sales and summarize the return policy')
    // The examples have their types as plain strings.
    .setResult(HYBRID_RESULT as Parameters<AgentResponse<'hybrid'>['setResult']>[0])
    .setSourceAttribution(AgentResponse.createHybridSourceAttribution(['analytics', 'semantic']))
    .toArray(),
} satisfies Record<AgentType, WireAgentResponse>;

/** Serves an agent as the librarian of its type. */
export const serve = async (agent: Agent, options: Partial<AgentServeOptions> = {}, type: AgentType = 'analytics') => {
  const id = type.replace('_', '-');
  const info = {
    id,
    name: 'Agent',
    capabilities: [type === 'web_search' ? 'web:search' : type === 'semantic' ? 'kb:read' : 'sql:read'],
  };
  return serveAgent(agent, { type, info }, { ...(await identityOf(id)), log: () => undefined, ...options });
};

/** Calls `POST /v1/agents/{type}` as the gateway. */
export const askAgent = async (
  app: App,
  {
    type = 'analytics' as AgentType,
    body = { query: 'How many iPhone 17 are in stock?' } as unknown,
    context = userContext({ capabilities: ['sql:read', 'kb:read', 'web:search'] }),
    timeoutMs,
    search = '',
  }: {
    type?: AgentType;
    body?: unknown;
    context?: ReturnType<typeof userContext>;
    timeoutMs?: number | undefined;
    /** Query string of the URL, with its question mark. */
    search?: string;
  } = {},
) => {
  const to = type.replace('_', '-');
  const request = { to, path: `/v1/agents/${type}${search}`, body, timeoutMs };
  const { answer } = await callFrom('gateway', context, { targets: { [to]: targetOf(app).target }, request });
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  const reply: any = answer.ok && /json/.test(answer.contentType) ? answer.json() : undefined;
  return { answer, reply, status: answer.ok ? answer.status : undefined };
};
