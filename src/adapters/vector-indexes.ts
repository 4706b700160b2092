import { namespaceOf, upstashVectorIndex } from '../storage/upstash-vector-index.ts';
import type { VectorIndex } from '../storage/vector-index.ts';
import type { AdapterSettings } from './settings.ts';

/**
 * The vector index of each workspace, for one kind of vectors: `kb` (chunks) or `memory`. It holds nothing between calls.
 *
 * @returns Undefined where none is configured: then vectors are kept beside what they are of.
 */
export const vectorIndexesOf = (
  { vector, embedding }: AdapterSettings,
  kind: 'kb' | 'memory',
): ((workspace: string) => VectorIndex) | undefined => {
  if (vector === undefined || embedding === undefined) return undefined;
  const { dimensions } = embedding;
  return (workspace) => upstashVectorIndex({ ...vector, namespace: namespaceOf(kind, workspace), dimensions });
};
