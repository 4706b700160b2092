import { EmbeddingFailed, type EmbeddingProvider } from '../../ai/embeddings/base.ts';
import type { EmbeddingCache } from '../../ai/embeddings/cached-embeddings.ts';
import type { RelatedMemory, SearchResult } from '../../contract/wire/memory.ts';
import { mapBounded } from '../../platform/concurrency.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import {
  type AdjacentMemory,
  type FoundMemory,
  isWanted,
  type StorageClient,
} from '../store/memory-store.ts';
import type { SearchAnalytics, SearchPlan } from './config.ts';
import { ContextFailure, embeddingFailure, searchFailure, storageFailure } from './errors.ts';

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
export async function searchStorage(
  target: SearchTarget,
  plan: SearchPlan,
  { id, storage, searchSignal, signal }: Workspace,
): Promise<SearchResult[]> {
  const { includeRelationships = false, relationshipDepth, ...query } = plan;
  const own = <T extends { memory: { workspace_id: string } }>(found: T[]): T[] => {
    if (found.some(({ memory }) => memory.workspace_id !== id))
      throw searchFailure(
        'Cannot use the results of the storage: they belong to another workspace',
      );
    return found;
  };
  const found = await reading('memories', searchSignal, () =>
    storage.searchMemories(
      id,
      { ...onlyGiven(target), ...filtersOf(query) },
      { signal: searchSignal },
    ),
  );
  const results = distinct(own(found).filter(({ memory }) => isWanted(memory, query)))
    .map(({ memory, score }) => ({ memory, score: similarityOf(score) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, query.limit);
  if (!includeRelationships) return results;
  return expandRelationships(results, {
    depth: relationshipDepth,
    adjacentTo: adjacentMemories({ id, storage, signal }, own),
  });
}

/** Looks up relations of several memories at once, if the storage can. */
const adjacentMemories =
  ({ id, storage, signal }: Workspace, own: (found: AdjacentMemory[]) => AdjacentMemory[]) =>
  async (memoryIds: readonly string[]): Promise<AdjacentMemory[][]> => {
    const related = await reading('relationships', signal, () =>
      storage.relationshipsOf === undefined
        ? mapBounded(memoryIds, (memoryId) =>
            storage.getMemoryRelationships(memoryId, id, { signal }),
          )
        : storage.relationshipsOf(memoryIds, id, { signal }),
    );
    return related.map(own);
  };

const reading = async <T>(
  what: string,
  signal: AbortSignal | undefined,
  read: () => Promise<T[]>,
): Promise<T[]> => {
  try {
    return await withDeadline(read, { signal, reason: `reading ${what} took too long` });
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
const filtersOf = ({
  limit,
  memoryTypes,
  dateFrom,
  dateTo,
  minConfidence,
  conversationId,
}: Filters): Filters => ({
  limit,
  memoryTypes,
  dateFrom,
  dateTo,
  minConfidence,
  conversationId,
});

/** The first result of each id. */
const distinct = (found: readonly FoundMemory[]): FoundMemory[] =>
  [
    ...new Map(found.toReversed().map((result) => [result.memory.id, result])).values(),
  ].toReversed();

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
export async function embedQueries(
  queries: readonly string[],
  { provider, cache, signal }: QueryEmbedding,
): Promise<number[][]> {
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
}

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
  return withDeadline(ask, { signal, reason: 'embedding the query took too long' });
};

const checked = (vector: number[] | undefined, dimensions: number): number[] => {
  if (vector?.length !== dimensions || !vector.every(Number.isFinite))
    throw new EmbeddingFailed('malformed', `The vector of a query has not ${dimensions} numbers`);
  return vector;
};

/** Upper bounds of related memories, of one result and in total. */
const MAX_PER_RESULT = 100;
const MAX_IN_ALL = 900;
/** Upper bound of memories whose relations are looked up. */
const MAX_LOOKUPS = 200;
/** Upper bound of content and metadata of all related memories, in UTF-16 units; then lookups end. */
const MAX_LENGTH_IN_ALL = 4_000_000;

interface Step {
  /** Place of the result that the path began at. */
  result: number;
  memoryId: string;
}

/**
 * Follows relations from the results, level by level, and adds the related memories to `relationships` of the result. Each memory appears
 * once: at its smallest depth, then at the best result, and never when it is a result itself, so cycles end. At most 100 a result and 900
 * in total, from at most 200 lookups, 4 MB: memories near the best results come first.
 *
 * @param adjacentTo Relations from and to each of some memories, in their order; called once a level.
 */
export async function expandRelationships(
  results: readonly SearchResult[],
  {
    depth: maxDepth,
    adjacentTo,
  }: { depth: number; adjacentTo: (memoryIds: readonly string[]) => Promise<AdjacentMemory[][]> },
): Promise<SearchResult[]> {
  const related: RelatedMemory[][] = results.map(() => []);
  const seen = new Set(results.map(({ memory }) => memory.id));
  const firstSeen = seen.size;
  let lookups = MAX_LOOKUPS;
  let left = MAX_LENGTH_IN_ALL;
  let level: Step[] = results.map(({ memory }, result) => ({ result, memoryId: memory.id }));

  for (
    let depth = 1;
    depth <= maxDepth && level.length > 0 && lookups > 0 && left > 0;
    depth += 1
  ) {
    const current = level.slice(0, lookups);
    lookups -= current.length;
    const found = await adjacentTo(current.map(({ memoryId }) => memoryId));
    level = [];
    for (const [place, { result }] of current.entries()) {
      const ofResult = related[result] ?? [];
      for (const { memory, relationship } of found[place] ?? []) {
        if (
          seen.has(memory.id) ||
          ofResult.length >= MAX_PER_RESULT ||
          seen.size - firstSeen >= MAX_IN_ALL
        )
          continue;
        if (left <= 0) break;
        left -=
          memory.content.length +
          (memory.metadata === undefined ? 0 : JSON.stringify(memory.metadata).length);
        seen.add(memory.id);
        ofResult.push({ memory, relationship, depth });
        level.push({ result, memoryId: memory.id });
      }
    }
  }
  return results.map((result, place) => ({ ...result, relationships: related[place] ?? [] }));
}

/** Workspaces with figures; the least recently searched one is dropped first. Under 1 MB in total. */
const MAX_WORKSPACES = 1000;
/** Upper bounds of latencies, each a quarter above the one before: 0.1 ms to 1 minute and beyond. */
const BOUNDS_MS = Array.from({ length: 61 }, (_, place) => 0.1 * 1.25 ** place);

/** The outcome of a search. */
interface SearchEnd {
  outcome: 'found' | 'empty' | 'failed';
  latencyMs: number;
}

interface Figures {
  count: number;
  empty: number;
  failed: number;
  totalMs: number;
  maxMs: number;
  since: number;
  /** Searches by latency: one count for each bound, and one for all above. */
  histogram: Uint32Array;
}

/** Counts searches by workspace, in memory: numbers only. */
export function searchAnalytics() {
  const byWorkspace = lruCache<string, Figures>({ max: MAX_WORKSPACES });

  const figuresOf = (workspaceId: string, now: number): Figures =>
    byWorkspace.getOr(workspaceId, () => ({
      count: 0,
      empty: 0,
      failed: 0,
      totalMs: 0,
      maxMs: 0,
      since: now,
      histogram: new Uint32Array(BOUNDS_MS.length + 1),
    }));

  return {
    record: (workspaceId: string, { outcome, latencyMs }: SearchEnd, now: number): void => {
      const figures = figuresOf(workspaceId, now);
      figures.count += 1;
      if (outcome === 'empty') figures.empty += 1;
      if (outcome === 'failed') {
        figures.failed += 1;
        return;
      }
      const bucket = BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
      const place = bucket === -1 ? BOUNDS_MS.length : bucket;
      figures.histogram[place] = (figures.histogram[place] ?? 0) + 1;
      figures.totalMs += latencyMs;
      figures.maxMs = Math.max(figures.maxMs, latencyMs);
    },
    read: (workspaceId: string): SearchAnalytics | undefined => {
      const figures = byWorkspace.get(workspaceId);
      return figures === undefined ? undefined : summaryOf(figures);
    },
  };
}

const summaryOf = (figures: Figures): SearchAnalytics => {
  const { count, empty, failed, since, totalMs, maxMs: max } = figures;
  const ended = count - failed;
  if (ended === 0) return { count, empty, failed, since };
  const latencyMs = {
    mean: totalMs / ended,
    p50: percentile(figures, 0.5),
    p95: percentile(figures, 0.95),
    max,
  };
  return { count, empty, failed, since, latencyMs };
};

/** The bound that this share of the searches stays within. */
const percentile = ({ histogram, count, failed, maxMs }: Figures, share: number): number => {
  let below = 0;
  for (const [place, searches] of histogram.entries()) {
    below += searches;
    if (below >= share * (count - failed)) return Math.min(maxMs, BOUNDS_MS[place] ?? maxMs);
  }
  return maxMs;
};
