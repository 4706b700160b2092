import type { EditionEntry } from '../../search/article.ts';
import { embeddingTextOf, spaceKey, type VectorSpace, vectorIdOf } from '../../search/vector-id.ts';
import type { Sql } from '../../storage/sql.ts';
import type { ArticleStore } from './article-store.ts';
import type { LibraryState } from './library-state.ts';
import type { VectorStore } from './vector-store.ts';

export interface PlanParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  vectors: VectorStore;
  space: VectorSpace;
  now: () => number;
}

/** Articles that one step hashes. */
const ARTICLES_AT_ONCE = 25;

/**
 * Works out the ids of the vectors of some articles that are new, changed or planned for another model; nothing is embedded.
 *
 * @returns Whether there may be more.
 */
export const planVectors = async (parts: PlanParts): Promise<boolean> => {
  const { sql, state, articles, vectors, space, now } = parts;
  const key = spaceKey(space);
  sql.transaction(() => {
    if (vectors.forgetGone()) state.write('remove_vectors_at', now());
  });
  const unplanned = vectors.unplanned(key, ARTICLES_AT_ONCE);
  const planned: { id: string; hash: string; ids: string[] }[] = [];
  for (const { id, hash } of unplanned) {
    const entry = articles.entry(id);
    if (entry) planned.push({ id, hash, ids: await vectorIdsOf(entry, space) });
  }
  if (planned.length === 0) return false;
  sql.transaction(() => {
    const known = articles.known(planned.map(({ id }) => id));
    for (const { id, hash, ids } of planned) {
      // Hashing waits, and meanwhile an article may change or go.
      if (known.get(id)?.hash === hash) vectors.plan({ id, hash }, { space: key, vectors: ids });
    }
    state.write('remove_vectors_at', now());
  });
  return true;
};

const vectorIdsOf = ({ article, chunks }: EditionEntry, space: VectorSpace): Promise<string[]> =>
  Promise.all(
    chunks.map(({ headingPath, text }) =>
      vectorIdOf(embeddingTextOf({ title: article.title, headingPath, text }), space),
    ),
  );
