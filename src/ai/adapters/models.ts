import type { AIClient, Healthz } from '../../contract/core/librarian.ts';
import { readSettings, SettingRefused, type Variables } from '../../platform/settings/settings.ts';
import type { EmbeddingProvider } from '../embeddings/base.ts';
import { OpenAIEmbeddingProvider } from '../embeddings/openai.ts';
import { WORD_VECTORS_MODEL } from '../embeddings/word-vectors.ts';
import { openaiChat } from '../openai-chat.ts';
import type { OpenAIConfig } from '../openai-client.ts';
import { type ModelPrice, priceOf } from '../prices.ts';
import { type Reranker, rerankApi, WORKERS_AI_RERANKER, workersAIReranker } from '../reranker.ts';
import { WORKERS_AI_SERVICE, type WorkersAI, workersAIFetch } from '../workers-ai.ts';
import {
  accessOf,
  type ModelChoice,
  type ModelVariables,
  NO_MODEL,
  readModels,
  rerankSettings,
  storeAddresses,
} from './settings.ts';

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
export function chatModelOf(settings: ModelChoice): ChatModel {
  const service = serviceOf(settings);
  if (service === undefined || settings.chat === undefined) return {};
  const { model, prices = {}, reasoningEffort } = settings.chat;
  const ai = openaiChat({ ...service, timeoutMs: CHAT_CALL_MS, model, prices, reasoningEffort });
  const aiPrice = priceOf(model, prices);
  return { ai, ...(aiPrice === undefined ? {} : { aiPrice }) };
}

/** The configured embedding model, without a cache; `undefined` without one. Holds no request state. */
export function embeddingProviderOf(settings: ModelChoice): EmbeddingProvider | undefined {
  const service = serviceOf(settings);
  if (service === undefined || settings.embedding === undefined) return undefined;
  return new OpenAIEmbeddingProvider({ ...service, ...settings.embedding });
}

/** The service that has the models. @throws {SettingRefused} When Workers AI is chosen and the function has no binding. */
const serviceOf = ({ openai, workersAI }: ModelChoice): OpenAIConfig | undefined => {
  if (openai !== undefined) return { baseURL: openai.url, apiKey: openai.token };
  if (workersAI === undefined) return undefined;
  return { ...WORKERS_AI_SERVICE, fetch: workersAIFetch(boundAI(workersAI.binding)) };
};

const boundAI = (binding: WorkersAI | undefined): WorkersAI => {
  if (binding) return binding;
  throw new SettingRefused(
    'WORKERS_AI',
    'the function has no binding AI. npm run setup and npm run deploy add it',
  );
};

/**
 * The configured reranker, for an app to spread into its options; empty without one. A service behind `RERANK_BASE_URL` takes precedence
 * over Workers AI, which needs a binding `AI`: it reranks where it has all models, or where its own model is named (`RERANK_MODEL=@cf/…`).
 *
 * @throws {SettingRefused} For an invalid value.
 */
export function rerankerOf(variables: ModelVariables & Variables<typeof rerankSettings>): {
  reranker?: Reranker;
} {
  const { workersAI, isOff } = readModels(variables);
  const values = readSettings(rerankSettings, variables);
  const { RERANK_MODEL: model } = values;
  if (isOff || model === NO_MODEL) return {};
  const access = accessOf(values, { url: 'RERANK_BASE_URL', token: 'RERANK_API_KEY' });
  if (access !== undefined) {
    if (model !== undefined)
      return { reranker: rerankApi({ baseURL: access.url, apiKey: access.token, model }) };
    throw new SettingRefused(
      'RERANK_BASE_URL',
      `set RERANK_MODEL, as ${WORKERS_AI_RERANKER} runs only on Workers AI`,
    );
  }
  if (workersAI !== undefined)
    return { reranker: workersAIReranker(boundAI(workersAI.binding), model) };
  const { AI: ai } = variables;
  return ai !== undefined && model?.startsWith('@cf/')
    ? { reranker: workersAIReranker(ai, model) }
    : {};
}

/**
 * The adapters in use, by role, as `GET /healthz` reports them publicly: kinds and names of models, no addresses. The gateway
 * knows only the addresses of the stores, not their tokens.
 */
export function adapterHealth(
  variables: Variables<typeof storeAddresses>,
  { embedding, chat }: ModelChoice,
): Healthz['adapters'] {
  const values = readSettings(storeAddresses, variables);
  const { UPSTASH_VECTOR_REST_URL: vector, UPSTASH_REDIS_REST_URL: redis } = values;
  const isDense = values.UPSTASH_VECTOR_INDEX === 'dense';
  return {
    knowledge: vector === undefined ? 'embedded' : 'upstash',
    memory: vector === undefined || !isDense ? 'embedded' : 'upstash',
    embedding_cache: redis === undefined ? 'embedded' : 'upstash',
    embeddings: embedding?.model.slice(0, 64) ?? WORD_VECTORS_MODEL,
    model: chat?.model.slice(0, 64) ?? 'none',
  };
}
