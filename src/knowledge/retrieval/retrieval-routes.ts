import type { Hono } from 'hono';
import { RetrievalRequest, unavailableRetrieval } from '../../contract/knowledge-retrieval.ts';
import { contextGuard, type GuardedEnv, type GuardOptions, requireCapability } from '../../runtime/context-guard.ts';
import { jsonAnswer } from '../../runtime/json-answer.ts';
import { readJson } from '../../runtime/read-json.ts';
import { waitUntilOf } from '../../runtime/wait-until.ts';
import { knowledgeBlock } from './knowledge.ts';
import type { KnowledgeRetriever } from './knowledge-retriever.ts';

export interface RetrievalRouteParts {
  /** Id of the function that serves the routes. */
  guard: GuardOptions;
  retriever: KnowledgeRetriever;
}

/**
 * `POST /v1/knowledge/retrieve`. A malformed request gets the documented block with status 200, as does every failure of retrieval
 * (docs/contract.md#knowledge-retrieval).
 */
export const retrievalRoutes = (app: Hono<GuardedEnv>, { guard, retriever }: RetrievalRouteParts): void => {
  app.post('/v1/knowledge/retrieve', contextGuard(guard), requireCapability('kb:read'), async (c) => {
    const request = readJson(c.get('body'), RetrievalRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return jsonAnswer(unavailableRetrieval('invalid_query', request.problem));
    }
    const scope = { context: c.get('context'), waitUntil: waitUntilOf(c), signal: c.req.raw.signal };
    const { metadata, ...question } = request.value;
    return jsonAnswer(knowledgeBlock(await retriever({ ...question, metadata: metadata ?? undefined }, scope)));
  });
};
