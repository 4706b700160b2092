import { shortestFloat32 } from './float32.ts';
import type { Scored } from './scoring.ts';
import type { StoredVector } from './vector-records.ts';
import type { Include } from './wire.ts';

/** A vector as answers show it: what was not asked for, or is not there, is absent. */
export const showVector = (record: StoredVector, { includeVectors, includeMetadata, includeData }: Include) => ({
  id: record.id,
  ...(includeVectors && record.vector && { vector: Array.from(record.vector, shortestFloat32) }),
  ...(includeVectors &&
    record.sparseVector && {
      sparseVector: {
        indices: [...record.sparseVector.indices],
        values: Array.from(record.sparseVector.values, shortestFloat32),
      },
    }),
  ...(includeMetadata && record.metadata && { metadata: record.metadata }),
  ...(includeData && record.data !== undefined && { data: record.data }),
});

export const showScored = ({ record, score }: Scored, include: Include) => {
  const { id, ...rest } = showVector(record, include);
  return { id, score: shortestFloat32(score), ...rest };
};
