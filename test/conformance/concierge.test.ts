import { describe, it } from 'vitest';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../../src/contract/librarian.ts';
import { delegateTo } from '../../src/delegation/delegates.ts';
import { createConcierge } from '../../src/gateway/concierge/concierge.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { identityBeside, servedLibrarian } from './served-librarian.ts';

const CONCIERGE: LibrarianInfo = { id: 'concierge', name: 'Concierge' };
const LIBRARIANS: LibrarianInfo[] = [
  {
    id: 'analytics',
    name: 'Analytics',
    description: 'Counts orders, customers and stock in the database of the shop.',
    capabilities: ['sql:read'],
    examples: ['How many iPhone 17 are in stock?', 'What was the revenue in May?'],
  },
  {
    id: 'semantic',
    name: 'Semantic search',
    description: 'Lists the documents of the knowledge base on a subject.',
    capabilities: ['kb:read'],
    examples: ['Find documents about the water filter', 'Which articles mention the boiler?'],
  },
];

const knows: Librarian = async () => ({ answer: 'There are 50.', sources: [{ name: 'stock' }], confidence: 0.9 });

/** The concierge as a function, so that its delegations are followed; all other librarians behave alike. */
const concierge = async (other: Librarian, ai: AIClient | undefined) => {
  const targets = Object.fromEntries(
    await Promise.all(
      LIBRARIANS.map(async (info) => {
        const app = serveLibrarian(other, info, { ...(await identityBeside(info.id, CONCIERGE.id)), log: () => {} });
        return [info.id, { fetch: async (request: Request) => app.fetch(request) }] as const;
      }),
    ),
  );
  const identity = await identityBeside(CONCIERGE.id, CONCIERGE.id);
  const librarian = createConcierge({ librarians: LIBRARIANS, defaultLibrarian: 'navigator' });
  return serveLibrarian(librarian, CONCIERGE, { ...identity, targets: delegateTo(targets), ai, log: () => {} });
};

/** With new circuit breakers. */
const beside = (other: Librarian) =>
  servedLibrarian(CONCIERGE.id, (ai) => concierge(other, ai), { capabilities: ['kb:read', 'sql:read'] });

const QUESTION = 'How many iPhone 17 are in stock?';
const failing: Librarian = async () => ({
  error: {
    code: 'DATA_SOURCE_ERROR',
    message: 'Cannot read the table',
    recoverable: true,
    suggestion: 'Try again in a few seconds',
  },
});

describeLibrarian(
  'the concierge, with its delegates,',
  beside(knows),
  {
    info: CONCIERGE,
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: beside(failing), code: 'DATA_SOURCE_ERROR' },
    declines: { query: 'How do I cook rice?' },
    delegates: { query: QUESTION, to: 'analytics' },
    waits: { query: QUESTION, librarian: beside(() => new Promise(() => {})) },
  },
  { describe, it },
);
