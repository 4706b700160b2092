import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import { type Reranker, scoresByIndex } from '../reranker.ts';

/** The part of a Workers AI binding that is used. */
export interface WorkersAI {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

/** Workers AI's own reranker (developers.cloudflare.com/workers-ai/models/bge-reranker-base). */
export const WORKERS_AI_RERANKER = '@cf/baai/bge-reranker-base';

const Reply = z.object({ response: z.array(z.object({ id: z.int().min(0), score: z.number() })).max(1000) });

/** A reranker of Workers AI. Its binding takes no signal: who waits has a deadline of their own. */
export const workersAIReranker = (ai: WorkersAI, model: string = WORKERS_AI_RERANKER): Reranker => ({
  model,
  rank: async (query, documents) => {
    const reply = await ai.run(model, {
      query,
      contexts: documents.map((text) => ({ text })),
      top_k: documents.length,
    });
    const read = readAs(Reply, reply);
    if (!read.ok) throw new Error('Cannot rerank: the answer has no scores');
    return scoresByIndex(
      read.value.response.map(({ id, score }) => ({ index: id, score })),
      documents.length,
    );
  },
});
