import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { VectorIndex } from '../storage/vector-index.ts';

/** What a question means to an embedding model: its vector, or the closest of an index. */
export interface Meaning {
  model: string;
  dimensions: number;
  vector?: readonly number[] | undefined;
  /** Best first. */
  hits?: readonly { id: string; similarity: number }[] | undefined;
}

interface MeaningOptions {
  wants: 'vector' | 'hits';
  workspace: string;
  /** Nobody waits any more: it rejects with that, while an embedding goes on for the sake of the cache. */
  signal: AbortSignal;
  /** Lets a late embedding go on to the cache after the answer. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Throws what the model or the index throws. */
export type MeaningOf = (text: string, options: MeaningOptions) => Promise<Meaning>;

/** A late embedding is waited for so long, for the sake of the cache. */
const EMBEDDING_LIMIT_MS = 15_000;
/** Asked of an index: some may be of texts that are gone, or of other articles than those asked for. */
const ASKED_OF_INDEX = 60;

/** Meanings by a model and, where vectors are in one, the index of a workspace. */
export const meaningBy =
  (
    embeddings: EmbeddingProvider,
    indexOf?: ((workspace: string) => Pick<VectorIndex, 'query'>) | undefined,
  ): MeaningOf =>
  async (text, { wants, workspace, signal, waitUntil }) => {
    const { model, dimensions } = embeddings;
    // Goes on after the deadline, and after the caller has gone: whoever asks the same next has it from the cache.
    const embedded = embeddings.embed(text, { signal: AbortSignal.timeout(EMBEDDING_LIMIT_MS) });
    const settled = embedded.catch(() => undefined);
    waitUntil?.(settled);
    const vector = await untilAborted(() => embedded, { signal, reason: 'the model has not told a meaning in time' });
    const index = wants === 'hits' ? indexOf?.(workspace) : undefined;
    if (index === undefined) return { model, dimensions, vector };
    signal.throwIfAborted();
    return { model, dimensions, hits: await index.query(vector, { limit: ASKED_OF_INDEX, signal }) };
  };
