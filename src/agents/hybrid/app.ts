import type { AgentProfile } from '../agent.ts';
import { type AgentServeOptions, serveAgent } from '../serve-agent.ts';
import { SOURCES } from './ask-parts.ts';
import { hybridAgent } from './hybrid-agent.ts';
import examples from './question-examples.json' with { type: 'json' };

/**
 * The description of the hybrid agent. It needs no capability of its own, only those of the librarians that it asks.
 */
const HYBRID: AgentProfile = {
  type: 'hybrid',
  info: {
    id: 'hybrid',
    name: 'Hybrid',
    description:
      'Combines several librarians in one answer: for questions that need more than one kind of source at once, such as figures from the database together with the knowledge base, or our own price and stock together with the web.',
    examples,
    combines: Object.values(SOURCES).map(({ librarian }) => librarian),
  },
};

/** `POST /librarians/hybrid/ask`, `GET /librarians/hybrid` and `POST /v1/agents/hybrid`. */
export const createApp = (options: AgentServeOptions) => serveAgent(hybridAgent, HYBRID, options);
