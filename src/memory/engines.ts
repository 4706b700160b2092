import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { ContextEngine } from '../context-engine/index.ts';
import type { ContextEngineConfig } from '../context-engine/types.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { MAX_CONTEXT_BYTES } from './fit-results.ts';
import { logFailures } from './log-failures.ts';

/** Two ways to the same memories. They outlive a request: ask them with `forRequest`. */
export interface Engines {
  /** By meaning and by words; absent where there is no model for embeddings. */
  semantic?: ContextEngine | undefined;
  /** By words alone. */
  lexical: ContextEngine;
}

export const createEngines = (parts: {
  store: MemoryStore;
  embeddings?: EmbeddingProvider | undefined;
  tokenizer?: ContextEngineConfig['tokenizer'];
}): Engines => {
  const { store: storageClient, embeddings: embeddingProvider, tokenizer } = parts;
  const common = { storageClient, tokenizer, logger: logFailures, maxResultBytes: MAX_CONTEXT_BYTES };
  const lexical = new ContextEngine(common);
  if (embeddingProvider === undefined) return { lexical };
  return {
    lexical,
    semantic: new ContextEngine({ ...common, embeddingProvider, cacheConfig }),
  };
};

/** As good as none: each request brings its provider with a cache of its own, which can forget what is erased. */
const cacheConfig = { maxSize: 1, ttl: 0.001 };
