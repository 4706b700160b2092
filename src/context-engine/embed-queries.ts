import type { EmbeddingProvider } from '../ai/embeddings/base.ts';
import { EmbeddingFailed } from '../ai/embeddings/base.ts';
import type { EmbeddingCache } from '../ai/embeddings/cache.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import { embeddingFailure } from './errors.ts';

export interface QueryEmbedding {
  provider: EmbeddingProvider;
  cache: EmbeddingCache;
  signal?: AbortSignal | undefined;
}

/**
 * A vector for each query, those that the cache has not got in one call; equal queries are embedded once.
 *
 * @throws {ContextFailure} `embedding_error`, for all when one has none: a vector of another dimension, or with something that is
 * no number, is no vector.
 */
export const embedQueries = async (
  queries: readonly string[],
  { provider, cache, signal }: QueryEmbedding,
): Promise<number[][]> => {
  try {
    const keys = queries.map((query) => cache.generateKey(query, provider.model));
    const vectors = new Map(keys.map((key) => [key, cache.get(key)]));
    const missing = new Map(
      queries.flatMap((query, place) => {
        const key = keys[place] ?? '';
        return vectors.get(key) === undefined ? [[key, query] as const] : [];
      }),
    );
    const embedded = await embed([...missing.values()], { provider, signal });
    for (const [place, key] of [...missing.keys()].entries()) {
      const vector = checked(embedded[place], provider.dimensions);
      cache.set(key, vector);
      vectors.set(key, vector);
    }
    return keys.map((key) => checked(vectors.get(key), provider.dimensions));
  } catch (error) {
    throw embeddingFailure(error);
  }
};

const embed = async (
  texts: string[],
  { provider, signal }: { provider: EmbeddingProvider; signal: AbortSignal | undefined },
): Promise<readonly number[][]> => {
  if (texts.length === 0) return [];
  const [only] = texts;
  const ask = async () =>
    texts.length === 1 && only !== undefined
      ? [await provider.embed(only, { signal })]
      : await provider.embedBatch(texts, { signal });
  return untilAborted(ask, { signal, reason: 'embedding the query took too long' });
};

const checked = (vector: number[] | undefined, dimensions: number): number[] => {
  if (vector?.length !== dimensions || !vector.every(Number.isFinite))
    throw new EmbeddingFailed('malformed', `The vector of a query has not ${dimensions} numbers`);
  return vector;
};
