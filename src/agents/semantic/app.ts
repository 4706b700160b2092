import type { Context } from 'hono';
import type { EmbeddingStatistics } from '../../ai/embeddings/cache.ts';
import type { KnowledgeHealth, KnowledgeStats } from '../../contract/knowledge.ts';
import { KnowledgeSearchRequest } from '../../contract/knowledge.ts';
import type { LibrarianInfo } from '../../contract/librarian.ts';
import { knowledgeHealth } from '../../knowledge/health/knowledge-health.ts';
import { contextGuard, type GuardedEnv, refusal, requireCapability } from '../../runtime/context-guard.ts';
import { readJson } from '../../runtime/read-json.ts';
import { waitUntilOf } from '../../runtime/wait-until.ts';
import { readPages } from '../../search/chunk-texts.ts';
import type { MeaningOf } from '../../search/retrieve.ts';
import { createRetriever, type RetrieverParts, searchKnowledge } from '../../search/retrieve.ts';
import { type AgentServeOptions, serveAgent } from '../serve-agent.ts';
import examples from './question-examples.json' with { type: 'json' };
import { createSemanticAgent, type SemanticParts } from './semantic-agent.ts';

/** How the semantic agent is introduced to people and librarians. */
const SEMANTIC: LibrarianInfo = {
  id: 'semantic',
  name: 'Semantic search',
  description:
    'Searches the documents of the knowledge base and lists the passages that fit, each with a score and its place, and a short summary: for finding, listing, quoting and summarising articles, guides, manuals, help pages and sections on a subject, with their sources and links, rather than for one answer.',
  capabilities: ['kb:read'],
  examples,
};

export interface SemanticAppOptions extends Omit<SemanticParts, 'retrieve'>, AgentServeOptions {
  /** For editions that carry word vectors. */
  wordVectors?: RetrieverParts['wordVectors'];
  /** What a question means to the embedding model; words alone are searched when absent. */
  meaningOf?: MeaningOf | undefined;
  /** How often a meaning cost a call of the model, for questions of one workspace. */
  statistics?: ((workspace: string) => EmbeddingStatistics) | undefined;
  /** Receives what failed; answers go out without it. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

/**
 * `POST /librarians/semantic/ask`, `GET /librarians/semantic` and `POST /v1/agents/semantic`; `POST /v1/knowledge/search`, `GET /v1/knowledge/health`, `GET /v1/knowledge/stats`.
 */
export const createApp = ({
  editionFor,
  wordVectors,
  meaningOf,
  statistics,
  onFault,
  ...options
}: SemanticAppOptions) => {
  const { now = Date.now } = options;
  const retrieve = createRetriever({ wordVectors, meaningOf, onFault });
  const app = serveAgent(createSemanticAgent({ editionFor, retrieve }), { type: 'semantic', info: SEMANTIC }, options);
  const settings = { ...options, access: options.access ?? ('signed' as const), self: SEMANTIC.id };
  const read = [contextGuard(settings), requireCapability('kb:read')] as const;

  app.post('/v1/knowledge/search', ...read, async (c) => {
    const request = readJson(c.get('body'), KnowledgeSearchRequest);
    if (!request.ok) return refused(c, request.problem);
    const context = c.get('context');
    const waitUntil = waitUntilOf(c);
    const edition = await editionFor({ context, waitUntil });
    const timeLeftMs = context.deadlineMs - now();
    return c.json(await searchKnowledge(edition, request.value, { retrieve, waitUntil, timeLeftMs }));
  });
  app.get('/v1/knowledge/health', ...read, async (c) => {
    const context = c.get('context');
    const edition = await editionFor({ context, waitUntil: waitUntilOf(c) });
    const { value } = await readPages(edition, () => knowledgeHealth(edition), {
      timeoutMs: context.deadlineMs - now(),
    });
    return c.json(value satisfies KnowledgeHealth);
  });
  app.get('/v1/knowledge/stats', ...read, (c) => c.json(statsOf(statistics?.(c.get('context').workspace))));
  return app;
};

const statsOf = (counted: EmbeddingStatistics | undefined): KnowledgeStats => {
  if (counted === undefined) return { embedding_cache: null };
  const { hits, storeHits, coalesced, misses, failures, storeFaults } = counted;
  const saved = hits + storeHits + coalesced;
  const hitRate = saved + misses === 0 ? 0 : saved / (saved + misses);
  const counts = { hits, store_hits: storeHits, coalesced, misses, failures, store_faults: storeFaults };
  return { embedding_cache: { ...counts, hit_rate: hitRate } };
};

const refused = (c: Context<GuardedEnv>, message: string): Response => {
  c.set('outcome', 'INVALID_QUERY');
  return refusal('INVALID_QUERY', { librarian: SEMANTIC.id, message });
};
