import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { vi } from 'vitest';
import type {
  AgentType,
  AgentResponse as WireAgentResponse,
} from '../../../src/contract/wire/agent-response.ts';
import type { Agent } from '../../../src/librarians/agents/agent.ts';
import { AgentResponse } from '../../../src/librarians/agents/agent-response.ts';
import { type AgentServeOptions, serveAgent } from '../../../src/librarians/agents/serve-agent.ts';
import EXAMPLES from '../../contract/wire/schemas/agents.json' with { type: 'json' };
import {
  type App,
  callFrom,
  identityOf,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';

const ANALYTICS = EXAMPLES['AgentResponse of type analytics'].valid.result;
const SEMANTIC = EXAMPLES['AgentResponse of type semantic'].valid.result;
const WEB_SEARCH = EXAMPLES['AgentResponse of type web_search'].valid.result;
const HYBRID = EXAMPLES['AgentResponse of type hybrid'].valid.result;

/** An answer of each type, with the example results of the agent contract. */
export const ANSWERS = {
  analytics: AgentResponse.success('analytics', 'How many iPhone 17 are in stock?')
    .setResult(ANALYTICS)
    .setSourceAttribution(AgentResponse.createAnalyticsSourceAttribution('clic_products'))
    .toArray(),
  semantic: AgentResponse.success('semantic', 'What is the return policy?')
    .setResult(SEMANTIC)
    .setSourceAttribution(AgentResponse.createSemanticSourceAttribution(1, 0.92))
    .toArray(),
  web_search: AgentResponse.success('web_search', 'What does the iPhone 17 cost elsewhere?')
    .setResult(WEB_SEARCH)
    .setSourceAttribution(AgentResponse.createWebSearchSourceAttribution(2))
    .toArray(),
  hybrid: AgentResponse.success('hybrid', 'Show Q1 sales and summarize the return policy')
    // The examples have their types as plain strings.
    .setResult(HYBRID as Parameters<AgentResponse<'hybrid'>['setResult']>[0])
    .setSourceAttribution(AgentResponse.createHybridSourceAttribution(['analytics', 'semantic']))
    .toArray(),
} satisfies Record<AgentType, WireAgentResponse>;

/** Serves an agent as the librarian of its type. */
export async function serve(
  agent: Agent,
  options: Partial<AgentServeOptions> = {},
  type: AgentType = 'analytics',
) {
  const id = type.replace('_', '-');
  const info = {
    id,
    name: 'Agent',
    capabilities: [
      type === 'web_search' ? 'web:search' : type === 'semantic' ? 'kb:read' : 'sql:read',
    ],
  };
  return serveAgent(
    agent,
    { type, info },
    { ...(await identityOf(id)), log: () => undefined, ...options },
  );
}

/** Calls `POST /v1/agents/{type}` as the gateway. */
export async function askAgent(
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
) {
  const to = type.replace('_', '-');
  const request = { to, path: `/v1/agents/${type}${search}`, body, timeoutMs };
  const { answer } = await callFrom('gateway', context, {
    targets: { [to]: targetOf(app).target },
    request,
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  const reply: any = answer.ok && /json/.test(answer.contentType) ? answer.json() : undefined;
  return { answer, reply, status: answer.ok ? answer.status : undefined };
}

/** Stops the clock, that of `AbortSignal.timeout` too; a test that uses it ends with `startClock`. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((timeoutMs) => {
    const controller = new AbortController();
    setTimeout(
      () => controller.abort(new DOMException('The deadline is over', 'TimeoutError')),
      timeoutMs,
    );
    return controller.signal;
  });
}

export function startClock(): void {
  vi.restoreAllMocks();
  vi.useRealTimers();
}

/** Lets the stopped clock reach one deadline after the other, each when nothing else happens, until something is settled. */
export async function atDeadline<T>(pending: Promise<T>): Promise<T> {
  const settled = pending.then(
    () => true,
    () => true,
  );
  const pause = () => new Promise<false>((resolve) => void setInterval(resolve, 10, false).unref());
  for (let turns = 1; !(await Promise.race([settled, pause()])); turns++)
    if (turns % 25 === 0) vi.advanceTimersToNextTimer();
  return pending;
}

interface MarkdownNode {
  type: string;
  url?: string;
  value?: string;
  children?: MarkdownNode[];
}

/** All nodes of a Markdown text, parsed with tables. */
export function markdownNodes(markdown: string): MarkdownNode[] {
  const extensions = { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] };
  const nodes = [fromMarkdown(markdown, extensions) as MarkdownNode];
  for (let at = 0; at < nodes.length; at++) nodes.push(...(nodes[at]?.children ?? []));
  return nodes;
}
