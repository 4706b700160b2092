import type { RelatedMemory, SearchResult } from '../contract/memory.ts';
import type { RelatedNeighbour } from '../storage/memory-store.ts';

/** Related memories of one result, and of all results together. */
const MAX_PER_RESULT = 100;
const MAX_IN_ALL = 900;
/** Memories whose relations are asked for, in all. */
const MAX_LOOKUPS = 200;
/** Content and metadata of what is related, in UTF-16 units: where that is reached, nothing more is asked for. */
const MAX_LENGTH_IN_ALL = 4_000_000;

interface Step {
  /** Place of the result that this began at. */
  result: number;
  memoryId: string;
}

/**
 * Follows relations from results, level by level, and writes what was reached to `relationships` of the result it was reached
 * from. Each memory appears once in all: at its smallest depth, of equals at the best result; never one that is itself a result.
 * So circles end. At most 100 a result and 900 in all, from at most 200 lookups, 4 MB of them: what is near a good result comes first.
 *
 * @param neighboursOf Relations that begin or end at each of some memories, in their order; asked for a level at once.
 */
export const expandRelationships = async (
  results: readonly SearchResult[],
  {
    depth: maxDepth,
    neighboursOf,
  }: { depth: number; neighboursOf: (memoryIds: readonly string[]) => Promise<RelatedNeighbour[][]> },
): Promise<SearchResult[]> => {
  const related: RelatedMemory[][] = results.map(() => []);
  const seen = new Set(results.map(({ memory }) => memory.id));
  const firstSeen = seen.size;
  let lookups = MAX_LOOKUPS;
  let left = MAX_LENGTH_IN_ALL;
  let level: Step[] = results.map(({ memory }, result) => ({ result, memoryId: memory.id }));

  for (let depth = 1; depth <= maxDepth && level.length > 0 && lookups > 0 && left > 0; depth += 1) {
    const asked = level.slice(0, lookups);
    lookups -= asked.length;
    const found = await neighboursOf(asked.map(({ memoryId }) => memoryId));
    level = [];
    for (const [place, { result }] of asked.entries()) {
      const ofResult = related[result] ?? [];
      for (const { memory, relationship } of found[place] ?? []) {
        if (seen.has(memory.id) || ofResult.length >= MAX_PER_RESULT || seen.size - firstSeen >= MAX_IN_ALL) continue;
        if (left <= 0) break;
        left -= memory.content.length + (memory.metadata === undefined ? 0 : JSON.stringify(memory.metadata).length);
        seen.add(memory.id);
        ofResult.push({ memory, relationship, depth });
        level.push({ result, memoryId: memory.id });
      }
    }
  }
  return results.map((result, place) => ({ ...result, relationships: related[place] ?? [] }));
};
