import { EmbeddingFailed, type EmbeddingProvider } from '../ai/embeddings/base.ts';
import type { EmbeddingCache } from '../ai/embeddings/cache.ts';
import type { SearchResult } from '../contract/memory.ts';
import { mapBounded } from '../runtime/map-bounded.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { FoundMemory, RelatedNeighbour, StorageClient } from '../storage/memory-store.ts';
import { isWanted } from '../storage/rank-memories.ts';
import { ContextFailure, embeddingFailure, searchFailure, storageFailure } from './errors.ts';
import { expandRelationships } from './expand-relationships.ts';
import type { SearchPlan } from './read-input.ts';

/** What is looked for: a text, its vector, or both. */
export interface SearchTarget {
  text?: string | undefined;
  vector?: number[] | undefined;
}

export interface Workspace {
  id: string;
  storage: StorageClient;
  /** Of the search itself. */
  searchSignal?: AbortSignal | undefined;
  /** Of what follows relations. */
  signal?: AbortSignal | undefined;
}

/**
 * Memories of one workspace, the most similar first, with what is related to them where that is asked for. The filters are the
 * storage's work, and hold whatever the storage makes of them.
 *
 * @throws {ContextFailure} `storage_error` for whatever the storage throws; `search_error` when it returns a memory of another
 * workspace: nothing of such a reply is to be trusted.
 */
export const searchStorage = async (
  target: SearchTarget,
  plan: SearchPlan,
  { id, storage, searchSignal, signal }: Workspace,
): Promise<SearchResult[]> => {
  const { includeRelationships = false, relationshipDepth, ...query } = plan;
  const own = <T extends { memory: { workspace_id: string } }>(found: T[]): T[] => {
    if (found.some(({ memory }) => memory.workspace_id !== id))
      throw searchFailure('Cannot use what the storage found: it is not of this workspace');
    return found;
  };
  const found = await reading('memories', searchSignal, () =>
    storage.searchMemories(id, { ...onlyGiven(target), ...filtersOf(query) }, { signal: searchSignal }),
  );
  const results = once(own(found).filter(({ memory }) => isWanted(memory, query)))
    .map(({ memory, score }) => ({ memory, score: similarityOf(score) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, query.limit);
  if (!includeRelationships) return results;
  return expandRelationships(results, {
    depth: relationshipDepth,
    neighboursOf: neighboursIn({ id, storage, signal }, own),
  });
};

/** For several memories at once, where the storage can do that. */
const neighboursIn =
  ({ id, storage, signal }: Workspace, own: (found: RelatedNeighbour[]) => RelatedNeighbour[]) =>
  async (memoryIds: readonly string[]): Promise<RelatedNeighbour[][]> => {
    const related = await reading('relationships', signal, () =>
      storage.relationshipsOf === undefined
        ? mapBounded(memoryIds, (memoryId) => storage.getMemoryRelationships(memoryId, id, { signal }))
        : storage.relationshipsOf(memoryIds, id, { signal }),
    );
    return related.map(own);
  };

const reading = async <T>(what: string, signal: AbortSignal | undefined, read: () => Promise<T[]>): Promise<T[]> => {
  try {
    return await untilAborted(read, { signal, reason: `reading ${what} took too long` });
  } catch (error) {
    throw error instanceof ContextFailure ? error : storageFailure(what, error);
  }
};

const onlyGiven = ({ text, vector }: SearchTarget): SearchTarget => ({
  ...(text === undefined ? {} : { text }),
  ...(vector === undefined ? {} : { vector }),
});

type Filters = Omit<SearchPlan, 'includeRelationships' | 'relationshipDepth'>;

/** Of a context's plan, only what a storage knows. */
const filtersOf = ({ limit, memoryTypes, dateFrom, dateTo, minConfidence, conversationId }: Filters): Filters => ({
  limit,
  memoryTypes,
  dateFrom,
  dateTo,
  minConfidence,
  conversationId,
});

/** The first of each id. */
const once = (found: readonly FoundMemory[]): FoundMemory[] =>
  [...new Map(found.toReversed().map((result) => [result.memory.id, result])).values()].toReversed();

const similarityOf = (score: number): number => (score >= 0 ? Math.min(1, score) : 0);

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
