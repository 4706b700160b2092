import type { Healthz } from '../contract/healthz.ts';
import type { AdapterSettings } from './settings.ts';

/** Which adapters run, by role, as `GET /healthz` tells everybody: kinds and names of models, no addresses. */
export const toldAdapters = ({ vector, redis, embedding, chat }: AdapterSettings): Healthz['adapters'] => ({
  knowledge: vector === undefined ? 'embedded' : 'upstash',
  memory: vector === undefined || redis === undefined ? 'embedded' : 'upstash',
  embedding_cache: redis === undefined ? 'embedded' : 'upstash',
  embeddings: embedding?.model.slice(0, 64) ?? 'none',
  model: chat?.model.slice(0, 64) ?? 'none',
});
