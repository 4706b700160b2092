import type { SearchResult } from '../contract/memory.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { FoundMemory, RelatedNeighbour, StorageClient } from '../storage/memory-store.ts';
import { isWanted } from '../storage/rank-memories.ts';
import { ContextFailure, searchFailure, storageFailure } from './errors.ts';
import { expandRelationships } from './expand-relationships.ts';
import { mapBounded } from './map-bounded.ts';
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
