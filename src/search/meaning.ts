import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { withDeadline } from '../http/deadline.ts';
import type { VectorIndex } from '../storage/vector-index.ts';

/** The meaning of a question: its vector, or the closest vectors of an index. */
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
  /** Share of the texts that the asker may read, above 0 to 1; 1 when absent. An index knows no audiences, so it is asked for more. */
  readableShare?: number | undefined;
  /** When aborted, the promise rejects with the signal's reason; a pending embedding continues and fills the cache. */
  signal: AbortSignal;
  /** Keeps a late embedding alive after the response, so that it is cached. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Throws what the model or the index throws. */
export type MeaningOf = (text: string, options: MeaningOptions) => Promise<Meaning>;

/** How long a late embedding may continue, for the cache. */
const EMBEDDING_LIMIT_MS = 15_000;
/** Number of results requested from an index: some may belong to deleted texts or to articles that the filter excludes. */
const ASKED_OF_INDEX = 60;
/** The most that an index gives. */
const MAX_ASKED = 1000;

/** Creates a source of meanings from a model and, if vectors are stored in one, the vector index of a workspace. */
export const meaningBy =
  (
    embeddings: EmbeddingProvider,
    indexOf?: ((workspace: string) => Pick<VectorIndex, 'query'>) | undefined,
  ): MeaningOf =>
  async (text, { wants, workspace, readableShare = 1, signal, waitUntil }) => {
    const { model, dimensions } = embeddings;
    // Continues after the deadline and after the caller has disconnected: the next caller with this query gets it from the
    // cache.
    const embedded = embeddings.embed(text, { signal: AbortSignal.timeout(EMBEDDING_LIMIT_MS) });
    const settled = embedded.catch(() => undefined);
    waitUntil?.(settled);
    const vector = await withDeadline(() => embedded, { signal, reason: 'the model has not answered in time' });
    const index = wants === 'hits' ? indexOf?.(workspace) : undefined;
    if (index === undefined) return { model, dimensions, vector };
    signal.throwIfAborted();
    const limit = Math.min(MAX_ASKED, Math.ceil(ASKED_OF_INDEX / readableShare));
    return { model, dimensions, hits: await index.query(vector, { limit, signal }) };
  };
