import { describe, it } from 'vitest';
import { describeLibrarian } from '../../src/contract/conformance/describe-librarian.ts';
import type { AIClient, Librarian } from '../../src/contract/librarian.ts';
import { type Behaviour, hybridWith, silent } from '../agents/hybrid/hybrid-for-test.ts';
import { servedLibrarian } from './served-librarian.ts';

const QUESTION = 'How many iPhone 17 are in stock and what does the return policy say about opened boxes?';
const CAPABILITIES = ['kb:read', 'sql:read', 'web:search'];

/** The hybrid agent with other librarians that answer, are down, or are silent. */
const hybrid = (all?: Behaviour) => {
  const behaviours = all === undefined ? {} : { analytics: all, semantic: all, web_search: all };
  const served = async (ai: AIClient | undefined) => (await hybridWith(behaviours, { ai })).app;
  return servedLibrarian('hybrid', served, { capabilities: CAPABILITIES });
};

/** A new agent per question: otherwise the circuit opens, which is another error. */
const down: Librarian = (query, context) => hybrid('down')(query, context);

describeLibrarian(
  'the hybrid agent, over signed HTTP,',
  hybrid(),
  {
    answers: { query: QUESTION },
    fails: { query: QUESTION, librarian: down, code: 'DELEGATION_FAILED' },
    declines: 'never',
    delegates: { query: QUESTION, to: ['analytics', 'semantic'] },
    waits: { query: QUESTION, librarian: hybrid(silent) },
  },
  { describe, it },
);
