import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { OpenAIEmbeddingProvider } from '../ai/embeddings/openai.ts';
import type { AdapterSettings } from './settings.ts';

/** The embedding model that is configured, without a cache; undefined without one. It holds nothing of a request. */
export const embeddingProviderOf = ({ openai, embedding }: AdapterSettings): EmbeddingProvider | undefined => {
  if (openai === undefined || embedding === undefined) return undefined;
  const { url: baseURL, token: apiKey } = openai;
  return new OpenAIEmbeddingProvider({ baseURL, apiKey, fetch: send, ...embedding });
};

/** Workers want `fetch` called as their own. */
const send: typeof fetch = (input, init) => fetch(input, init);
