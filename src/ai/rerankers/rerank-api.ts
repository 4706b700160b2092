import * as z from 'zod';
import { readAs } from '../../contract/issue.ts';
import { type OpenAIServiceConfig, openAIService } from '../openai-service.ts';
import { type Reranker, scoresByIndex } from '../reranker.ts';

export interface RerankApiConfig extends OpenAIServiceConfig {
  model: string;
}

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 512 * 1024;

const Score = z.object({ index: z.int().min(0), relevance_score: z.number() });
/** Cohere and Jina name the list `results`, Voyage `data`. */
const Reply = z.union([z.object({ results: z.array(Score).max(1000) }), z.object({ data: z.array(Score).max(1000) })]);

/**
 * A reranker behind `POST /rerank`, the shape that Cohere (`https://api.cohere.com/v2`), Jina (`https://api.jina.ai/v1`) and Voyage
 * (`https://api.voyageai.com/v1`) share.
 *
 * @throws {RangeError} When model, key, address or time cannot be right.
 */
export const rerankApi = (config: RerankApiConfig): Reranker => {
  const { model } = config;
  const service = openAIService(config, { model, timeoutMs: TIMEOUT_MS });
  return {
    model,
    rank: async (query, documents, { signal } = {}) => {
      const body = { model, query: query.toWellFormed(), documents: documents.map((text) => text.toWellFormed()) };
      const reply = await service.post('/rerank', body, { signal, maxBytes: MAX_REPLY_BYTES, retries: 0 });
      if (!reply.ok) throw new Error(`Cannot rerank: ${reply.problem}`);
      const read = readAs(Reply, reply.json);
      if (!read.ok) throw new Error('Cannot rerank: the answer has no scores');
      const scores = 'results' in read.value ? read.value.results : read.value.data;
      return scoresByIndex(
        scores.map(({ index, relevance_score: score }) => ({ index, score })),
        documents.length,
      );
    },
  };
};
