import type { RelatedMemory, SearchResult } from '../contract/memory.ts';
import type { RelatedNeighbour } from '../storage/memory-store.ts';
import { mapBounded } from './map-bounded.ts';

/** Related memories of one result, and of all results together. */
const MAX_PER_RESULT = 100;
const MAX_IN_ALL = 900;
/** Memories whose relations are asked for, in all. */
const MAX_LOOKUPS = 200;

interface Step {
  /** Place of the result that this began at. */
  result: number;
  memoryId: string;
}

/**
 * Follows relations from results, level by level, and writes what was reached to `relationships` of the result it was reached
 * from. Each memory appears once in all: at its smallest depth, of equals at the best result; never one that is itself a result.
 * So circles end. At most 100 a result and 900 in all, from at most 200 lookups: what is near a good result comes first.
 *
 * @param neighboursOf Relations that begin or end at a memory.
 */
export const expandRelationships = async (
  results: readonly SearchResult[],
  { depth: maxDepth, neighboursOf }: { depth: number; neighboursOf: (memoryId: string) => Promise<RelatedNeighbour[]> },
): Promise<SearchResult[]> => {
  const related: RelatedMemory[][] = results.map(() => []);
  const seen = new Set(results.map(({ memory }) => memory.id));
  const firstSeen = seen.size;
  let lookups = MAX_LOOKUPS;
  let level: Step[] = results.map(({ memory }, result) => ({ result, memoryId: memory.id }));

  for (let depth = 1; depth <= maxDepth && level.length > 0 && lookups > 0; depth += 1) {
    const asked = level.slice(0, lookups);
    lookups -= asked.length;
    const found = await mapBounded(asked, ({ memoryId }) => neighboursOf(memoryId));
    level = [];
    for (const [place, { result }] of asked.entries()) {
      const ofResult = related[result] ?? [];
      for (const { memory, relationship } of found[place] ?? []) {
        if (seen.has(memory.id) || ofResult.length >= MAX_PER_RESULT || seen.size - firstSeen >= MAX_IN_ALL) continue;
        seen.add(memory.id);
        ofResult.push({ memory, relationship, depth });
        level.push({ result, memoryId: memory.id });
      }
    }
  }
  return results.map((result, place) => ({ ...result, relationships: related[place] ?? [] }));
};
