import type { LibrarianInfo } from '../../contract/librarian.ts';
import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import { serveAgent } from '../serve-agent.ts';
import { QUESTION_EXAMPLES } from './question-examples.ts';
import { createSemanticAgent, type SemanticParts } from './semantic-agent.ts';

/** How the semantic agent is introduced to people and librarians. */
const SEMANTIC: LibrarianInfo = {
  id: 'semantic',
  name: 'Semantic search',
  description:
    'Searches the documents of the knowledge base and lists the passages that fit, each with a score and its place, and a short summary: for finding, listing, quoting and summarising articles, guides, manuals, help pages and sections on a subject, with their sources and links, rather than for one answer.',
  capabilities: ['kb:read'],
  examples: QUESTION_EXAMPLES,
};

export interface SemanticAppOptions extends SemanticParts, Omit<ServeOptions, 'delegates'> {}

/** `POST /librarians/semantic/ask`, `GET /librarians/semantic` and `POST /v1/agents/semantic`. */
export const createApp = ({ editionFor, retrieve, ...options }: SemanticAppOptions) =>
  serveAgent(createSemanticAgent({ editionFor, retrieve }), { type: 'semantic', info: SEMANTIC }, options);
