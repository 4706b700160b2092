import type { Sql } from '../../storage/sql.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';
import type { LibraryState } from './library-state.ts';
import type { VectorStore } from './vector-store.ts';

export interface RemovalParts {
  sql: Sql;
  state: LibraryState;
  vectors: VectorStore;
  index: VectorIndex | undefined;
  now: () => number;
  onFault: (where: string, error: unknown) => void;
}

/** The most that one request of a vector index may name is 1,000. */
const AT_ONCE = 500;
const LIMIT_MS = 20_000;
const AGAIN_MS = 60_000;

/**
 * Removes vectors that no chunk has any more, a batch at a time; where the index does not answer, in a minute. To be called
 * when the current edition does without them.
 */
export const removeVectors = async ({ sql, state, vectors, index, now, onFault }: RemovalParts): Promise<void> => {
  const unused = vectors.unused(AT_ONCE);
  try {
    if (index !== undefined && unused.length > 0) {
      // First: a chunk that wants one of them while it is on its way out has it stored again.
      vectors.setWanted(unused);
      await index.delete(unused, { signal: AbortSignal.timeout(LIMIT_MS) });
    }
    sql.transaction(() => {
      vectors.forgetUnused(unused);
      // Deleting waits, and meanwhile further ones may have come.
      state.write('remove_vectors_at', vectors.unused(1).length === 0 ? undefined : now());
    });
  } catch (error) {
    onFault('remove vectors', error);
    state.write('remove_vectors_at', now() + AGAIN_MS);
  }
};
