import { WORD_VECTORS_MODEL, type WordVectors } from '../../ai/embeddings/word-vectors.ts';
import { utf8 } from '../../runtime/digest.ts';
import { attachedBytes, attachVectors } from '../../search/attach-vectors.ts';
import { attachWordVectors } from '../../search/attach-word-vectors.ts';
import { spaceKey } from '../../search/vector-id.ts';
import { sha256Hex } from '../../storage/edition-storage.ts';
import { fitsEdition, type LibraryEmbedding, MAX_VECTOR_BYTES } from './library-embedding.ts';
import { type PlanParts, planVectors } from './plan-vectors.ts';

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
