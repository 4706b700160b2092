import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type { EditionEntry } from '../../search/article.ts';
import { attachedBytes, attachVectors, attachWordVectors } from '../../search/attach-vectors.ts';
import type { PageSource } from '../../search/chunk-texts.ts';
import { embeddingTextOf, spaceKey, type VectorSpace, vectorIdOf } from '../../search/vector-id.ts';
import { utf8 } from '../../signing/digest.ts';
import { MAX_EDITION_BYTES, sha256Hex } from '../../storage/edition-storage.ts';
import type { Sql } from '../../storage/sql.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';
import type { ArticleStore } from './article-store.ts';
import type { LibraryState } from './library-state.ts';
import type { VectorStore } from './vector-store.ts';

/** What publishing needs of the vectors. */
export interface EditionVectorSource {
  /** Computes the ids of all chunks; embeds nothing. */
  prepare(): Promise<void>;
  /** Changes whenever the vectors of an edition would. */
  digest(): Promise<string>;
  /** Bytes that `attach` needs in an edition of this many chunks. */
  spareBytes(byteLength: number): number;
  /** Adds the vectors stored so far; `edition` must not be used afterwards. */
  attach(edition: Uint8Array, pages?: PageSource): Uint8Array;
}

/** Words take precedence over vectors; the rest is for what is fitted. */
const MAX_BYTES = MAX_EDITION_BYTES - 2 * 1024 * 1024;

export const editionVectorSource = (
  parts: Omit<PlanParts, 'space'> & { embedding: LibraryEmbedding },
): EditionVectorSource => {
  const { articles, vectors, embedding } = parts;
  const { provider, index } = embedding;
  const kind = index === undefined ? ('rows' as const) : ('ids' as const);
  const neededBytes = (): number => attachedBytes(kind, provider, articles.chunkCount());
  const fits = (byteLength: number): boolean =>
    vectors.storedCount() > 0 &&
    fitsEdition(embedding, articles.chunkCount()) &&
    byteLength + neededBytes() <= MAX_BYTES;
  return {
    prepare: async () => {
      while (await planVectors({ ...parts, space: provider }));
    },
    digest: async () => {
      const ids = fitsEdition(embedding, articles.chunkCount()) ? vectors.storedIds() : [];
      const stored = ids.some((id) => id !== undefined) ? await sha256Hex(utf8(ids.join('\n'))) : 'none';
      return `vectors ${kind} ${spaceKey(provider)} ${stored}`;
    },
    spareBytes: (byteLength) => (fits(byteLength) ? neededBytes() : 0),
    attach: (edition) => {
      if (!fits(edition.length)) return edition;
      const space = { model: provider.model, dimensions: provider.dimensions };
      if (kind === 'ids') return attachVectors(edition, { kind, space, ids: vectors.storedIds() });
      return attachVectors(edition, { kind, space, rows: vectors.storedVectors(), chunks: articles.chunkCount() });
    },
  };
};

/** Word vectors, used without an embedding model: computed for each edition from its texts, in memory, and never stored by the library. */
export const wordVectorSource = (
  words: () => WordVectors,
  { articles }: Pick<PlanParts, 'articles'>,
): EditionVectorSource => {
  const neededBytes = (): number => {
    const space = { model: WORD_VECTORS_MODEL, dimensions: words().dimensions };
    return attachedBytes('rows', space, articles.chunkCount());
  };
  const fits = (byteLength: number): boolean => {
    const needed = neededBytes();
    return needed <= MAX_VECTOR_BYTES && byteLength + needed <= MAX_BYTES;
  };
  return {
    prepare: async () => {},
    digest: async () => `vectors words ${WORD_VECTORS_MODEL}`,
    spareBytes: (byteLength) => (fits(byteLength) ? neededBytes() : 0),
    attach: (edition, pages) => (fits(edition.length) ? attachWordVectors(edition, words(), pages) : edition),
  };
};

export interface PlanParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  vectors: VectorStore;
  space: VectorSpace;
  now: () => number;
}

/** Articles hashed per step. */
const ARTICLES_AT_ONCE = 25;

/**
 * Computes the vector ids of some articles that are new, changed or planned for another model; nothing is embedded.
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
      // Hashing is asynchronous: meanwhile an article may change or be deleted.
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

/** Embeds a library's chunks, and searches the vectors. */
export interface LibraryEmbedding {
  provider: EmbeddingProvider;
  /** Vector index of this workspace alone. Without one, an edition contains its vectors. */
  index?: VectorIndex | undefined;
  /** Identity of the index, such as its address: when it changes, all vectors are stored again. */
  indexName?: string | undefined;
}

/** Most bytes that vectors may add to an edition: more would not fit the memory of its readers beside the previous edition. */
const MAX_VECTOR_BYTES = 24 * 1024 * 1024;

/** Whether an edition of this many chunks can contain its vectors; always with an index. */
export const fitsEdition = ({ provider, index }: LibraryEmbedding, chunks: number): boolean =>
  index !== undefined || attachedBytes('rows', provider, chunks) <= MAX_VECTOR_BYTES;
