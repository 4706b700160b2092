import { embedDensely, embedSparsely } from './hosted-model.ts';
import { embedsTexts, type LocalIndex } from './local-index.ts';
import type { Vectors } from './search-request.ts';
import { VectorRefusal } from './vector-error.ts';
import type { SparseVector } from './vector-records.ts';
import { MAX_DATA_BYTES, MAX_METADATA_BYTES, MAX_VECTORS } from './wire.ts';

interface WireVectors {
  vector?: number[] | undefined;
  sparseVector?: { indices: number[]; values: number[] } | undefined;
}

/** Vectors as they were sent, in 32 bits. @throws {VectorRefusal} 422 when the index has no place for one of them. */
export const readVectors = (index: LocalIndex, { vector, sparseVector }: WireVectors): Vectors => {
  if (vector && index.type === 'SPARSE') throw new VectorRefusal(422, 'This index does not take dense vectors.');
  if (sparseVector && index.type === 'DENSE') throw new VectorRefusal(422, 'This index does not take sparse vectors.');
  if (vector && vector.length !== index.dimension) {
    throw new VectorRefusal(422, `Invalid vector dimension: ${vector.length}, expected: ${index.dimension}`);
  }
  return {
    ...(vector && { vector: Float32Array.from(vector) }),
    ...(sparseVector && { sparseVector: readSparse(sparseVector) }),
  };
};

/** @throws {VectorRefusal} 422 when one is missing that every vector of this index has. */
export const readWholeVectors = (index: LocalIndex, sent: WireVectors): Vectors => {
  if (index.type !== 'SPARSE' && !sent.vector) throw new VectorRefusal(422, 'This index requires dense vectors.');
  if (index.type !== 'DENSE' && !sent.sparseVector) throw new VectorRefusal(422, 'This index requires sparse vectors.');
  return readVectors(index, sent);
};

/** @throws {VectorRefusal} 422 when the index was made without a model. */
export const embedData = (
  index: LocalIndex,
  data: string,
  { role, mode = 'HYBRID' }: { role: 'document' | 'query'; mode?: 'HYBRID' | 'DENSE' | 'SPARSE' },
): Vectors => {
  if (!embedsTexts(index)) {
    throw new VectorRefusal(
      422,
      'Embedding data for this index is not allowed. The index must be created with an embedding model to use it.',
    );
  }
  const dense = index.type === 'DENSE' || (index.type === 'HYBRID' && mode !== 'SPARSE');
  const sparse = index.type === 'SPARSE' || (index.type === 'HYBRID' && mode !== 'DENSE');
  return {
    ...(dense && { vector: embedDensely(data, index.dimension) }),
    ...(sparse && { sparseVector: embedSparsely(data, role) }),
  };
};

/** @throws {VectorRefusal} 422 */
export const checkSizes = ({ metadata, data }: { metadata?: unknown; data?: string | undefined }): void => {
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw new VectorRefusal(422, `Metadata is too large, limit: ${MAX_METADATA_BYTES} bytes`);
  }
  if (data !== undefined && Buffer.byteLength(data) > MAX_DATA_BYTES) {
    throw new VectorRefusal(422, `Data is too large, limit: ${MAX_DATA_BYTES} bytes`);
  }
};

const readSparse = ({ indices, values }: { indices: number[]; values: number[] }): SparseVector => {
  if (indices.length !== values.length || new Set(indices).size !== indices.length) {
    throw new VectorRefusal(422, 'Invalid sparse vector: one value for each index, each index once');
  }
  if (indices.length > MAX_VECTORS) throw new VectorRefusal(422, `Sparse vector is too long, limit: ${MAX_VECTORS}`);
  return { indices: Int32Array.from(indices), values: Float32Array.from(values) };
};
