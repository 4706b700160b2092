import type { SearchResult } from '../contract/memory.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { FoundMemory, StorageClient } from '../storage/memory-store.ts';
import { ContextFailure, searchFailure, storageFailure } from './errors.ts';
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
  { id, storage, signal }: Workspace,
): Promise<SearchResult[]> => {
  const { includeRelationships = false, relationshipDepth, ...query } = plan;
  const own = <T extends { memory: { workspace_id: string } }>(found: T[]): T[] => {
    if (found.some(({ memory }) => memory.workspace_id !== id))
      throw searchFailure('Cannot use what the storage found: it is not of this workspace');
    return found;
  };
  const found = await reading('memories', signal, () =>
    storage.searchMemories(id, { ...onlyGiven(target), ...filtersOf(query) }, { signal }),
  );
  const results = once(own(found).filter((result) => passes(result, query)))
    .map(({ memory, score }) => ({ memory, score: similarityOf(score) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, query.limit);
  if (!includeRelationships) return results;
  return expandRelationships(results, {
    depth: relationshipDepth,
    neighboursOf: async (memoryId) =>
      own(await reading('relationships', signal, () => storage.getMemoryRelationships(memoryId, id, { signal }))),
  });
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

const passes = ({ memory }: FoundMemory, filters: Filters): boolean => {
  const { memoryTypes, dateFrom, dateTo, minConfidence, conversationId } = filters;
  const time = Date.parse(memory.created_at);
  return (
    (memoryTypes === undefined || memoryTypes.includes(memory.type)) &&
    (dateFrom === undefined || time >= dateFrom.getTime()) &&
    (dateTo === undefined || time <= dateTo.getTime()) &&
    (minConfidence === undefined || memory.confidence >= minConfidence) &&
    (conversationId === undefined || memory.conversation_id === conversationId)
  );
};

/** The first of each id. */
const once = (found: readonly FoundMemory[]): FoundMemory[] =>
  [...new Map(found.toReversed().map((result) => [result.memory.id, result])).values()].toReversed();

const similarityOf = (score: number): number => (score >= 0 ? Math.min(1, score) : 0);
