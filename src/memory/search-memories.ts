import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { ContextEngineConfig } from '../context-engine/config.ts';
import type { LogFields, Logger } from '../context-engine/errors.ts';
import { ContextEngine } from '../context-engine/index.ts';
import type { ContextError, Result } from '../contract/context-engine.ts';
import type { MemoryDegradation } from '../contract/memory.ts';
import { logLine } from '../runtime/log.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { MAX_CONTEXT_BYTES } from './fit-results.ts';

/** Two engines over the same memories. They outlive a request: use `forRequest`. */
export interface Engines {
  /** Searches by meaning and by words; absent without an embedding model. */
  semantic?: ContextEngine | undefined;
  /** Searches by words alone. */
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

/** Practically off: each request brings a provider with its own cache, which can drop the texts of erased memories. */
const cacheConfig = { maxSize: 1, ttl: 0.001 };

export interface MemorySearch<T> {
  result: Result<T, ContextError>;
  /** The parts that failed and that the result does without. */
  degraded: MemoryDegradation[];
}

/**
 * Searches by meaning and words; when vectors fail or take too long, searches again by words alone. The context engine leaves this fallback
 * to its callers (docs/contract.md#context-engine).
 *
 * @param search A search or a context.
 * @param options.hasText Whether it is by a text; a search by a vector has no fallback.
 * @param options.timeoutMs Time left for both attempts.
 * @param options.embeddingProvider The provider of this request, in place of the engine's.
 */
export const findMemories = async <T>(
  { semantic, lexical }: Engines,
  search: (engine: ContextEngine) => Promise<Result<T, ContextError>>,
  options: {
    signal: AbortSignal;
    timeoutMs: number;
    hasText: boolean;
    embeddingProvider?: EmbeddingProvider | undefined;
  },
): Promise<MemorySearch<T>> => {
  const { signal, timeoutMs, hasText, embeddingProvider } = options;
  if (semantic === undefined) return { result: await search(lexical.forRequest({ signal })), degraded: [] };
  if (!hasText) return { result: await search(semantic.forRequest({ signal, embeddingProvider })), degraded: [] };
  const semanticMs = Math.max(1, Math.floor(Math.min(timeoutMs * SEMANTIC_SHARE, SEMANTIC_MS)));
  const searchSignal = AbortSignal.any([signal, AbortSignal.timeout(semanticMs)]);
  const first = await search(semantic.forRequest({ signal, searchSignal, embeddingProvider }));
  if (first.ok || signal.aborted || !RETRYABLE.has(first.error.type)) return { result: first, degraded: [] };
  const second = await search(lexical.forRequest({ signal }));
  if (!second.ok) return { result: second, degraded: [] };
  return { result: second, degraded: [first.error.type === 'embedding_error' ? 'embeddings' : 'vectors'] };
};

/** Share of the remaining time for the first attempt, and its upper bound. */
const SEMANTIC_SHARE = 0.5;
const SEMANTIC_MS = 3000;

const RETRYABLE: ReadonlySet<ContextError['type']> = new Set(['embedding_error', 'storage_error', 'search_error']);

/** Writes failures of the context engine to the log: their kind and cause, nothing of the query. */
const logFailures: Logger = {
  // Mistakes of callers are in their responses.
  warn: () => {},
  error: (_message, { operation = 'search', error = '', cause = '' }: LogFields) =>
    logLine({
      event: 'fault',
      time: Date.now(),
      librarian: 'memory',
      where: String(operation),
      code: String(error),
      cause: String(cause),
    }),
};
