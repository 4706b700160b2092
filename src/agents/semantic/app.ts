import type { LibrarianInfo } from '../../contract/librarian.ts';
import type { ServeOptions } from '../../runtime/serve-librarian.ts';
import { serveAgent } from '../serve-agent.ts';
import { createSemanticAgent, type SemanticParts } from './semantic-agent.ts';

/** How the semantic agent is introduced to people and librarians. */
const SEMANTIC: LibrarianInfo = {
  id: 'semantic',
  name: 'Semantic search',
  description:
    'Searches the documents of the knowledge base and lists the passages that fit, each with a score and its place, and a short summary: for finding, listing and summarising articles, guides and pages on a subject rather than for one answer.',
  capabilities: ['kb:read'],
  examples: [
    'Find documents about network configuration',
    'Which articles cover overheating?',
    'List all guides on firmware updates',
    'Show me the documentation for the power supply',
    'Search the knowledge base for pool settings',
    'Summarise what our documents say about backups',
    'What documentation do we have on shipping?',
    'Which pages mention the factory reset?',
    'Are there any articles about remote access?',
    'Find everything that is written about the status light',
    'Show related articles on troubleshooting',
    'I am looking for a document that describes the installation',
    'Do we have a guide for beginners?',
    'List the most relevant documents for error handling',
    'Search the docs for wireless adapters',
    'Which of our help pages deal with payments?',
    'Find material similar to the guide on recovery',
    'Give me a summary of the pages on electricity',
    'What has been written about noise?',
    'Look up articles on wallets',
    'Where in the documentation is the API described?',
    'Point me to the articles that explain synchronisation',
    'Which documents should I read before I tune my device?',
    'Get me the pages that talk about ports and routers',
    'Do we have anything written about moving to another office? Please send me the link',
    'Quote the passages of our documents that deal with liability',
    'Which articles have to be changed when the price list is updated?',
    'Dig out the source texts on data protection and pull them together',
    'Every page of the help centre that refers to the old name',
    'Show me all help articles sorted by topic',
    'Is there any material or a manual that describes the wiring?',
    'Which sections of the docs mention this setting?',
    'Where is it written in our documentation? I want to see the original text',
    'Link me the guides and how-tos for new users',
    'Are there several documents that contradict one another?',
    'Gather the knowledge base entries a support agent should read about refunds',
    'Which document is about the licence, and which others are similar to it?',
    'How many articles do we have on this topic?',
    'Overview of the documentation on security',
    'Give me the texts on safety with their titles',
    'What do we have documented about cooling? List the sources',
    'Pull up the relevant pages for a colleague',
    'Sum up the tutorial for beginners',
    'Cite the section that talks about batteries',
    'In which documents is this error discussed?',
    'I would like to read up on privacy, what is there?',
    'Search for passages that contain this phrase',
    'Which pages and texts would have to be rewritten if the policy changed?',
    'Can you get me the FAQ entries on invoices?',
    'I need every documentation page on packaging for a client, can you gather them?',
    'Articles similar to this one',
    'Is this topic covered by any of our pages?',
    'Which guides were written or updated recently?',
    'Look for write-ups on energy saving',
  ],
};

export interface SemanticAppOptions extends SemanticParts, Omit<ServeOptions, 'delegates'> {}

/** `POST /librarians/semantic/ask`, `GET /librarians/semantic` and `POST /v1/agents/semantic`. */
export const createApp = ({ editionFor, ...options }: SemanticAppOptions) =>
  serveAgent(createSemanticAgent({ editionFor }), { type: 'semantic', info: SEMANTIC }, options);
