import { WORD_VECTORS_MODEL } from '../ai/embeddings/word-vectors.ts';
import type { Healthz } from '../contract/librarian-directory.ts';
import { type AdapterVariables, readModelSettings } from './settings.ts';

/**
 * Which adapters run, by role, as `GET /healthz` tells everybody: kinds and names of models, no addresses. Of the stores the gateway
 * knows the addresses alone, which is enough to say so.
 */
export const toldAdapters = (variables: AdapterVariables): Healthz['adapters'] => {
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
