import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { ContextEngine } from '../context-engine/index.ts';
import type { ContextError, Result } from '../contract/context-engine.ts';
import type { MemoryDegradation } from '../contract/memory.ts';
import type { Engines } from './engines.ts';

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
