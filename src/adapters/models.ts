import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { OpenAIEmbeddingProvider } from '../ai/embeddings/openai.ts';
import { WORD_VECTORS_MODEL } from '../ai/embeddings/word-vectors.ts';
import { openaiChat } from '../ai/openai-chat.ts';
import { type ModelPrice, priceOf } from '../ai/prices.ts';
import { type Reranker, rerankApi, WORKERS_AI_RERANKER, type WorkersAI, workersAIReranker } from '../ai/reranker.ts';
import type { AIClient, Healthz } from '../contract/librarian.ts';
import { SettingRefused } from '../http/public-address.ts';
import { type AdapterSettings, type AdapterVariables, accessOf, readModelSettings } from './settings.ts';

/** For an app to spread into its options. */
interface ChatModel {
  ai?: AIClient;
  /** Absent when MODEL_PRICES has no entry for this model. */
  aiPrice?: ModelPrice;
}

/**
 * Timeout for one call: a model takes some seconds for a page of text. Without it a service that hangs would use up the
 * deadline that the caller allots to the model, although a fallback is ready.
 */
const CHAT_CALL_MS = 10_000;

/** The configured chat model and its price; empty without one. Holds no request state: one per isolate. */
export const chatModelOf = ({ openai, chat }: AdapterSettings): ChatModel => {
  if (openai === undefined || chat === undefined) return {};
  const ai = openaiChat({ baseURL: openai.url, apiKey: openai.token, timeoutMs: CHAT_CALL_MS, ...chat });
  const aiPrice = priceOf(chat.model, chat.prices ?? {});
  return { ai, ...(aiPrice === undefined ? {} : { aiPrice }) };
};

/** The configured embedding model, without a cache; `undefined` without one. Holds no request state. */
export const embeddingProviderOf = ({ openai, embedding }: AdapterSettings): EmbeddingProvider | undefined => {
  if (openai === undefined || embedding === undefined) return undefined;
  return new OpenAIEmbeddingProvider({ baseURL: openai.url, apiKey: openai.token, ...embedding });
};

interface RerankerParts extends AdapterVariables {
  /** Workers AI, where the function is bound to it. */
  AI?: WorkersAI | undefined;
}

/**
 * The configured reranker, for an app to spread into its options; empty without one. A service behind `RERANK_BASE_URL`
 * takes precedence over Workers AI, which needs a binding `AI` and a model of its own (`RERANK_MODEL=@cf/…`).
 *
 * @throws {SettingRefused} For an invalid value.
 */
export const rerankerOf = ({ AI: ai, ...variables }: RerankerParts): { reranker?: Reranker } => {
  const model = (variables.RERANK_MODEL ?? '').trim();
  const access = accessOf(variables, { url: 'RERANK_BASE_URL', token: 'RERANK_API_KEY' });
  if (access === undefined)
    return ai !== undefined && model.startsWith('@cf/') ? { reranker: workersAIReranker(ai, model) } : {};
  if (model === '')
    throw new SettingRefused(
      `Cannot use RERANK_BASE_URL: set RERANK_MODEL, as ${WORKERS_AI_RERANKER} runs only on Workers AI`,
    );
  return { reranker: rerankApi({ baseURL: access.url, apiKey: access.token, model }) };
};

/**
 * The adapters in use, by role, as `GET /healthz` reports them publicly: kinds and names of models, no addresses. The gateway
 * knows only the addresses of the stores, not their tokens.
 */
export const adapterHealth = (variables: AdapterVariables): Healthz['adapters'] => {
  const { embedding, chat } = readModelSettings(variables);
  const vector = (variables.UPSTASH_VECTOR_REST_URL ?? '').trim() !== '';
  const redis = (variables.UPSTASH_REDIS_REST_URL ?? '').trim() !== '';
  return {
    knowledge: vector ? 'upstash' : 'embedded',
    memory: vector && redis ? 'upstash' : 'embedded',
    embedding_cache: redis ? 'upstash' : 'embedded',
    embeddings: embedding?.model.slice(0, 64) ?? WORD_VECTORS_MODEL,
    model: chat?.model.slice(0, 64) ?? 'none',
  };
};
