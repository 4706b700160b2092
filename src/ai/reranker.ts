import * as z from 'zod';
import { readAs } from '../contract/core/error-info.ts';
import { type OpenAIConfig, openAICaller } from './openai-client.ts';
import type { WorkersAI } from './workers-ai.ts';

/**
 * Orders texts by how well they answer a query.
 *
 * @example
 * const shortest: Reranker = {
 *   model: 'shortest-first',
 *   rank: async (_query, documents) => documents.map((text) => -text.length),
 * };
 */
export interface Reranker {
  /** The model's name, for logs. */
  readonly model: string;
  /**
   * @param documents At most 100.
   * @returns One score for each document in their order, higher is better; `-Infinity` for a document without a score.
   * @throws When the service fails or the signal aborts; the caller then keeps the order that it has.
   */
  rank(
    query: string,
    documents: readonly string[],
    options?: { signal?: AbortSignal | undefined },
  ): Promise<number[]>;
}

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 512 * 1024;

const Score = z.object({ index: z.int().min(0), relevance_score: z.number() });
/** Cohere and Jina name the list `results`, Voyage `data`. */
const RerankReply = z.union([
  z.object({ results: z.array(Score).max(1000) }),
  z.object({ data: z.array(Score).max(1000) }),
]);

/**
 * A reranker behind `POST /rerank`, the shape that Cohere (`https://api.cohere.com/v2`), Jina (`https://api.jina.ai/v1`) and Voyage
 * (`https://api.voyageai.com/v1`) share.
 *
 * @throws {RangeError} When model, key, address or time cannot be right.
 *
 * @example
 * const reranker = rerankApi({
 *   model: 'rerank-v3.5',
 *   baseURL: 'https://api.cohere.com/v2',
 *   apiKey: 'secret',
 * });
 * await reranker.rank('reset the password', ['How to log in', 'Opening hours']); // one score each
 */
export function rerankApi({ model, ...config }: OpenAIConfig & { model: string }): Reranker {
  const call = openAICaller(config, { model, timeoutMs: TIMEOUT_MS });
  return {
    model,
    rank: async (query, documents, { signal } = {}) => {
      const body = {
        model,
        query: query.toWellFormed(),
        documents: documents.map((text) => text.toWellFormed()),
      };
      const bounds = { signal, maxBytes: MAX_REPLY_BYTES, retries: 0 } as const;
      const reply = await call(
        (client, options) => client.post('/rerank', { body, ...options }),
        bounds,
      );
      if (!reply.ok) throw new Error(`Cannot rerank: ${reply.problem}`);
      const read = readAs(RerankReply, reply.value);
      if (!read.ok) throw new Error('Cannot rerank: the reply has no scores');
      const scores = 'results' in read.value ? read.value.results : read.value.data;
      return scoresByIndex(
        scores.map(({ index, relevance_score: score }) => ({ index, score })),
        documents.length,
      );
    },
  };
}

/** Workers AI's own reranker (developers.cloudflare.com/workers-ai/models/bge-reranker-base). */
export const WORKERS_AI_RERANKER = '@cf/baai/bge-reranker-base';

const WorkersAIReply = z.object({
  response: z.array(z.object({ id: z.int().min(0), score: z.number() })).max(1000),
});

/** A reranker of Workers AI. */
export function workersAIReranker(ai: WorkersAI, model: string = WORKERS_AI_RERANKER): Reranker {
  return {
    model,
    rank: async (query, documents, { signal } = {}) => {
      const contexts = documents.map((text) => ({ text: text.toWellFormed() }));
      const input = { query: query.toWellFormed(), contexts, top_k: documents.length };
      const read = readAs(
        WorkersAIReply,
        await ai.run(model, input, signal === undefined ? {} : { signal }),
      );
      if (!read.ok) throw new Error('Cannot rerank: the reply has no scores');
      return scoresByIndex(
        read.value.response.map(({ id, score }) => ({ index: id, score })),
        documents.length,
      );
    },
  };
}

/** Scores in the order of the documents. */
const scoresByIndex = (
  scores: readonly { index: number; score: number }[],
  count: number,
): number[] => {
  const ordered = new Array<number>(count).fill(Number.NEGATIVE_INFINITY);
  for (const { index, score } of scores) if (index < count) ordered[index] = score;
  return ordered;
};
