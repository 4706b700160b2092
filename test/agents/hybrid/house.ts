import type { Agent } from '../../../src/agents/agent.ts';
import { createApp } from '../../../src/agents/hybrid/app.ts';
import { serveAgent } from '../../../src/agents/serve-agent.ts';
import type { AgentResponse } from '../../../src/contract/agent-response.ts';
import type { ServeOptions } from '../../../src/runtime/serve-librarian.ts';
import type { Target } from '../../../src/runtime/signed-client.ts';
import { identityOf, targetOf, userContext } from '../../runtime/neighbours.ts';
import { ANSWERS } from '../agents-for-test.ts';

const CAPABILITIES = { analytics: 'sql:read', semantic: 'kb:read', web_search: 'web:search' } as const;
type Type = keyof typeof CAPABILITIES;

/** What an agent of the house does with a question; `down` has no answer at all. */
export type Behaviour = Agent | AgentResponse | 'down';

/** An answer whose envelope names the question that was asked. */
export const saying =
  (type: Type, change: object = {}): Agent =>
  async (query) =>
    ({ ...ANSWERS[type], query, ...change }) as AgentResponse;

export const silent: Agent = () => new Promise<never>(() => undefined);

/** Everything that the three agents may do. */
export const ALLOWED = userContext({ capabilities: Object.values(CAPABILITIES) });

/**
 * The hybrid agent between the three others, each a function of its own with its own key; `asked` collects what each got.
 */
export const houseOf = async (
  behaviours: Partial<Record<Type, Behaviour>> = {},
  options: Partial<ServeOptions> & { tamper?: Partial<Record<Type, (response: Response) => Response>> } = {},
) => {
  const asked: { type: Type; query: string; options: unknown }[] = [];
  const targets: Record<string, Target> = {};
  for (const type of Object.keys(CAPABILITIES) as Type[]) {
    const behaviour = behaviours[type] ?? saying(type);
    const id = type.replace('_', '-');
    const agent: Agent = async (query, call) => {
      asked.push({ type, query, options: call.options });
      if (behaviour === 'down') throw new Error('never reached');
      return typeof behaviour === 'function' ? behaviour(query, call) : behaviour;
    };
    const info = { id, name: id, capabilities: [CAPABILITIES[type]] };
    const app = serveAgent(agent, { type, info }, { ...(await identityOf(id)), log: () => undefined });
    const tamper =
      behaviour === 'down' ? () => Promise.reject(new Error('connection refused')) : options.tamper?.[type];
    targets[id] = targetOf(app, tamper).target;
  }
  const { tamper: _, ...served } = options;
  const app = createApp({ ...(await identityOf('hybrid')), log: () => undefined, targets, ...served });
  return { app, asked };
};
