import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { utf8 } from '../../runtime/digest.ts';
import type { EditionEntry } from '../../search/article.ts';
import { attachedBytes, attachVectors, attachWordVectors } from '../../search/attach-vectors.ts';
import { embeddingTextOf, spaceKey, type VectorSpace, vectorIdOf } from '../../search/vector-id.ts';
import { sha256Hex } from '../../storage/edition-storage.ts';
import type { Sql } from '../../storage/sql.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';
import type { ArticleStore } from './article-store.ts';
import type { LibraryState } from './library-state.ts';
import type { VectorStore } from './vector-store.ts';

/** What publishing asks of the side that has vectors. */
export interface EditionVectorSource {
  /** Has the ids of all chunks worked out; embeds nothing. */
  prepare(): Promise<void>;
  /** Differs whenever the vectors of an edition would. */
  digest(): Promise<string>;
  /** Room that `attach` needs, in bytes, in an edition of so many. */
  spareBytes(byteLength: number): number;
  /** Adds what is stored now; `edition` must not be used any more. */
  attach(edition: Uint8Array): Uint8Array;
}

/** Readers open no edition beyond 64 MiB: words go before vectors. */
const MAX_EDITION_BYTES = 60 * 1024 * 1024;

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
    byteLength + neededBytes() <= MAX_EDITION_BYTES;
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

/**
 * Word vectors, where there is no embedding model: computed anew for each edition, in memory and from its texts alone, so that the
 * library stores none.
 */
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
    return needed <= MAX_VECTOR_BYTES && byteLength + needed <= MAX_EDITION_BYTES;
  };
  return {
    prepare: async () => {},
    digest: async () => `vectors words ${WORD_VECTORS_MODEL}`,
    spareBytes: (byteLength) => (fits(byteLength) ? neededBytes() : 0),
    attach: (edition) => (fits(edition.length) ? attachWordVectors(edition, words()) : edition),
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

/** What turns a library's chunks into vectors, and where those are searched. */
export interface LibraryEmbedding {
  provider: EmbeddingProvider;
  /** Of this workspace alone. Without one, an edition carries its vectors itself. */
  index?: VectorIndex | undefined;
  /** Which index it is, such as its address: when that changes, everything is stored again. */
  indexName?: string | undefined;
}

/** The most that vectors may add to an edition: more would not fit the memory of its readers beside the edition before. */
const MAX_VECTOR_BYTES = 24 * 1024 * 1024;

/** Whether an edition of so many chunks can carry its vectors; always, where an index holds them. */
export const fitsEdition = ({ provider, index }: LibraryEmbedding, chunks: number): boolean =>
  index !== undefined || attachedBytes('rows', provider, chunks) <= MAX_VECTOR_BYTES;
