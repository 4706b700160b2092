import type { Librarian } from '../../../src/contract/core/librarian.ts';
import type { AgentResponse } from '../../../src/contract/wire/agent-response.ts';
import type { Agent } from '../../../src/librarians/agents/agent.ts';
import { serveAgent } from '../../../src/librarians/agents/serve-agent.ts';
import { delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import { createApp } from '../../../src/librarians/hybrid/hybrid-agent.ts';
import {
  type ServeOptions,
  serveLibrarian,
} from '../../../src/librarians/serve/serve-librarian.ts';
import type { Target } from '../../../src/platform/context/signed-client.ts';
import { identityOf, targetOf, userContext } from '../../platform/context/callers.ts';
import { ANSWERS } from '../agents/agents-for-test.ts';

const CAPABILITIES = {
  analytics: 'sql:read',
  semantic: 'kb:read',
  web_search: 'web:search',
} as const;
type Type = keyof typeof CAPABILITIES;

/** How an agent behaves: `down` refuses the connection, `hangs` keeps it open without a reply. */
export type Behaviour = Agent | AgentResponse | 'down' | 'hangs';

/** An answer whose envelope repeats the question. */
export function saying(type: Type, change: object = {}): Agent {
  return async (query) => ({ ...ANSWERS[type], query, ...change }) as AgentResponse;
}

export const silent: Agent = () => new Promise<never>(() => undefined);

/** A context with every capability of the three agents. Created for each test, since contexts expire. */
export function allowed() {
  return userContext({ capabilities: Object.values(CAPABILITIES) });
}

/**
 * The hybrid agent with the three others, each a separate function with its own key; `calls` records the calls of each.
 */
export async function hybridWith(
  behaviours: Partial<Record<Type, Behaviour>> = {},
  options: Partial<ServeOptions> & {
    tamper?: Partial<Record<Type, (response: Response) => Response>>;
    /** Replaces the agent by any librarian. */
    librarians?: Partial<Record<Type, Librarian>>;
    /** Asked where a part finds nothing; there is none when absent. */
    navigator?: Librarian;
  } = {},
) {
  const calls: { type: Type; query: string; options: unknown }[] = [];
  const targets: Record<string, Target> = {};
  const { tamper, librarians, navigator, ...served } = options;
  for (const type of Object.keys(CAPABILITIES) as Type[]) {
    const behaviour = behaviours[type] ?? saying(type);
    const id = type.replace('_', '-');
    const agent: Agent = async (query, call) => {
      calls.push({ type, query, options: call.options });
      if (behaviour === 'down' || behaviour === 'hangs') throw new Error('never reached');
      return typeof behaviour === 'function' ? behaviour(query, call) : behaviour;
    };
    const info = { id, name: id, capabilities: [CAPABILITIES[type]] };
    const librarian = librarians?.[type];
    const own = { ...(await identityOf(id)), log: () => undefined };
    const app =
      librarian === undefined
        ? serveAgent(agent, { type, info }, own)
        : serveLibrarian(librarian, info, own);
    const refused = () => Promise.reject(new Error('connection refused'));
    targets[id] = targetOf(app, behaviour === 'down' ? refused : tamper?.[type]).target;
    if (behaviour === 'hangs') targets[id] = { fetch: () => new Promise(() => undefined) };
  }
  if (navigator !== undefined) {
    const info = { id: 'navigator', name: 'Navigator', capabilities: ['kb:read'] };
    const own = { ...(await identityOf('navigator')), log: () => undefined };
    targets.navigator = targetOf(serveLibrarian(navigator, info, own)).target;
  }
  const app = createApp({
    ...(await identityOf('hybrid')),
    log: () => undefined,
    targets: delegateTo(targets),
    ...served,
  });
  return { app, calls };
}
