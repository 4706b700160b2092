import type { RelatedMemory, SearchResult } from '../contract/memory.ts';
import type { RelatedNeighbour } from '../storage/memory-store.ts';

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
 * @param neighboursOf Relations from and to each of some memories, in their order; called once a level.
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
    const current = level.slice(0, lookups);
    lookups -= current.length;
    const found = await neighboursOf(current.map(({ memoryId }) => memoryId));
    level = [];
    for (const [place, { result }] of current.entries()) {
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
