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

/** A query: a text, its vector, or both. */
export interface SearchTarget {
  text?: string | undefined;
  vector?: number[] | undefined;
}

interface Workspace {
  id: string;
  storage: StorageClient;
  /** Aborts the search. */
  searchSignal?: AbortSignal | undefined;
  /** Aborts following relations. */
  signal?: AbortSignal | undefined;
}

/**
 * Searches the memories of one workspace, the most similar first, with related memories on request. The storage applies the filters; they
 * are checked again here.
 *
 * @throws {ContextFailure} `storage_error` for whatever the storage throws; `search_error` when it returns a memory of another
 * workspace, since such a reply cannot be trusted at all.
 */
export const searchStorage = async (
  target: SearchTarget,
  plan: SearchPlan,
  { id, storage, searchSignal, signal }: Workspace,
): Promise<SearchResult[]> => {
  const { includeRelationships = false, relationshipDepth, ...query } = plan;
  const own = <T extends { memory: { workspace_id: string } }>(found: T[]): T[] => {
    if (found.some(({ memory }) => memory.workspace_id !== id))
      throw searchFailure('Cannot use the results of the storage: they belong to another workspace');
    return found;
  };
  const found = await reading('memories', searchSignal, () =>
    storage.searchMemories(id, { ...onlyGiven(target), ...filtersOf(query) }, { signal: searchSignal }),
  );
  const results = distinct(own(found).filter(({ memory }) => isWanted(memory, query)))
    .map(({ memory, score }) => ({ memory, score: similarityOf(score) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, query.limit);
  if (!includeRelationships) return results;
  return expandRelationships(results, {
    depth: relationshipDepth,
    neighboursOf: neighboursIn({ id, storage, signal }, own),
  });
};

/** Looks up relations of several memories at once, if the storage can. */
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

/** The filters that a storage knows. */
const filtersOf = ({ limit, memoryTypes, dateFrom, dateTo, minConfidence, conversationId }: Filters): Filters => ({
  limit,
  memoryTypes,
  dateFrom,
  dateTo,
  minConfidence,
  conversationId,
});

/** The first result of each id. */
const distinct = (found: readonly FoundMemory[]): FoundMemory[] =>
  [...new Map(found.toReversed().map((result) => [result.memory.id, result])).values()].toReversed();

const similarityOf = (score: number): number => (score >= 0 ? Math.min(1, score) : 0);

interface QueryEmbedding {
  provider: EmbeddingProvider;
  cache: EmbeddingCache;
  signal?: AbortSignal | undefined;
}

/**
 * Embeds queries: those that are not cached in one call, equal ones once.
 *
 * @throws {ContextFailure} `embedding_error` for all when one fails. A vector with other dimensions or values that are no numbers fails.
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
