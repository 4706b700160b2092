import type { EmbeddingProvider } from '../../ai/embeddings/base.ts';
import { attachedBytes } from '../../search/attach-vectors.ts';
import type { VectorIndex } from '../../storage/vector-index.ts';

/** What turns a library's chunks into vectors, and where those are searched. */
export interface LibraryEmbedding {
  provider: EmbeddingProvider;
  /** Of this workspace alone. Without one, an edition carries its vectors itself. */
  index?: VectorIndex | undefined;
  /** Which index it is, such as its address: when that changes, everything is stored again. */
  indexName?: string | undefined;
}

/** The most that vectors may add to an edition: more would not fit the memory of its readers beside the edition before. */
export const MAX_VECTOR_BYTES = 24 * 1024 * 1024;

/** Whether an edition of so many chunks can carry its vectors; always, where an index holds them. */
export const fitsEdition = ({ provider, index }: LibraryEmbedding, chunks: number): boolean =>
  index !== undefined || attachedBytes('rows', provider, chunks) <= MAX_VECTOR_BYTES;
