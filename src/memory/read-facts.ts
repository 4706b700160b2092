import { FACT_TYPES, type Facts, type FactsRequest } from '../contract/memory.ts';
import type { MemoryQuery, MemoryStore, StorageClient } from '../storage/memory-store.ts';
import { type Engines, findMemories, type MemorySearch } from './search-memories.ts';

type FactsOptions = Pick<Parameters<typeof findMemories>[2], 'signal' | 'timeoutMs' | 'embeddingProvider'> & {
  engines: Engines;
  store: MemoryStore;
  workspaceId: string;
  /** Subject of the verified context: only facts that it stored are read. */
  subject: string;
};

/**
 * The facts about a person, or about a conversation that names none, as lines of text within a token budget: those that fit the question
 * best, then the newest.
 */
export const readFacts = async (
  { query, token_budget: tokenBudget, ...about }: FactsRequest,
  { engines, store, workspaceId, subject, ...bounds }: FactsOptions,
): Promise<Pick<MemorySearch<unknown>, 'result'> & { facts?: Facts }> => {
  const storageClient = factStorage(store, { subject, ...about });
  const { result, degraded } = await findMemories(
    engines,
    (engine) => engine.forRequest({ storageClient }).buildContext(query, workspaceId, { ...OPTIONS, tokenBudget }),
    { ...bounds, hasText: true },
  );
  if (!result.ok) return { result };
  const { context, tokenCount: tokens } = result.value;
  const facts = context.split('\n').filter((line) => line !== '');
  return { result, facts: { facts, tokens, ...(degraded.length === 0 ? {} : { degraded }) } };
};

const OPTIONS = { template: 'list', limit: 100 };

/**
 * Searches within the facts of one person or conversation. The newest follow those that a search found: a fact such as the product that
 * somebody owns seldom shares a word with the question.
 */
const factStorage = (
  store: MemoryStore,
  {
    subject: factsOf,
    person_id: personId,
    conversation_id,
  }: Omit<FactsRequest, 'query' | 'token_budget'> & { subject: string },
): StorageClient => ({
  ...store,
  searchMemories: async (workspaceId, { vector, text, limit }, options) => {
    const conversationId = personId === undefined ? conversation_id : undefined;
    const within = { factsOf, personId, conversationId, memoryTypes: FACT_TYPES, limit } satisfies MemoryQuery;
    const [found, newest] = await Promise.all([
      store.searchMemories(workspaceId, { ...within, vector, text }, options),
      store.searchMemories(workspaceId, within, options),
    ]);
    const known = new Set(found.map(({ memory }) => memory.id));
    return [...found, ...newest.filter(({ memory }) => !known.has(memory.id))]
      .filter(({ memory }) => memory.person_id === personId)
      .slice(0, limit)
      .map(({ memory, score }) => ({
        score,
        memory: { ...memory, content: memory.content.replace(/\s+/g, ' ').trim() },
      }));
  },
});
