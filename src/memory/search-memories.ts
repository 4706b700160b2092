import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { ContextEngineConfig, LogFields, Logger } from '../context-engine/config.ts';
import { ContextEngine } from '../context-engine/index.ts';
import type { ContextError, Result } from '../contract/context-error.ts';
import type { MemoryDegradation } from '../contract/memory.ts';
import { logLine } from '../runtime/log.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { MAX_CONTEXT_BYTES } from './fit-results.ts';

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

export interface Finding<T> {
  result: Result<T, ContextError>;
  /** What the result had to do without. */
  degraded: MemoryDegradation[];
}

/**
 * Asks the engine, and where vectors fail or take too long asks again by words alone, which the seed leaves to callers (seed 002,
 * Graceful Degradation).
 *
 * @param ask A search or a context, by a text; one by a vector has no words to fall back on.
 * @param options.timeoutMs Time left for all.
 * @param options.embeddingProvider Of this request, in place of the engine's.
 */
export const findMemories = async <T>(
  { semantic, lexical }: Engines,
  ask: (engine: ContextEngine) => Promise<Result<T, ContextError>>,
  options: {
    signal: AbortSignal;
    timeoutMs: number;
    hasText: boolean;
    embeddingProvider?: EmbeddingProvider | undefined;
  },
): Promise<Finding<T>> => {
  const { signal, timeoutMs, hasText, embeddingProvider } = options;
  if (semantic === undefined) return { result: await ask(lexical.forRequest({ signal })), degraded: [] };
  if (!hasText) return { result: await ask(semantic.forRequest({ signal, embeddingProvider })), degraded: [] };
  const patienceMs = Math.max(1, Math.floor(Math.min(timeoutMs * SEMANTIC_SHARE, SEMANTIC_MS)));
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const first = await ask(semantic.forRequest({ signal, searchSignal: patience, embeddingProvider }));
  if (first.ok || signal.aborted || !MAY_BE_RETRIED.has(first.error.type)) return { result: first, degraded: [] };
  const second = await ask(lexical.forRequest({ signal }));
  if (!second.ok) return { result: second, degraded: [] };
  return { result: second, degraded: [first.error.type === 'embedding_error' ? 'embeddings' : 'vectors'] };
};

/** What vectors may take of the time that is left, and at most. */
const SEMANTIC_SHARE = 0.5;
const SEMANTIC_MS = 3000;

const MAY_BE_RETRIED: ReadonlySet<ContextError['type']> = new Set(['embedding_error', 'storage_error', 'search_error']);

/** What the context engine logs, as lines of this house: the kind and the cause of a failure; nothing of the query. */
export const logFailures: Logger = {
  // What callers got wrong they are told.
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
