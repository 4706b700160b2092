import type { Memory, MemoryPage, SearchResult } from '../contract/memory.ts';
import { utf8 } from '../runtime/digest.ts';
import { MAX_ANSWER_BYTES } from '../runtime/limits.ts';
import { placeOf } from '../storage/memory-place.ts';

/** Leaves something for what stands around the results. */
const MAX_BYTES = MAX_ANSWER_BYTES - 65_536;

/**
 * Results that fit into one answer: what is related goes first, from the last result on, then the last results themselves.
 *
 * @param results Best first.
 * @param takenBytes What else is in the answer.
 */
export const fitResults = (results: readonly SearchResult[], takenBytes = 0): SearchResult[] => {
  let left = MAX_BYTES - takenBytes;
  const fitting: SearchResult[] = [];
  const bare = results.map(({ relationships: _, ...result }) => ({ result, bytes: bytesOf(result) }));
  for (const { result, bytes } of bare) {
    if (bytes > left) break;
    left -= bytes;
    fitting.push(result);
  }
  return fitting.map((result, at) => {
    const relationships = results[at]?.relationships;
    if (relationships === undefined) return result;
    const bytes = bytesOf(relationships);
    if (bytes > left) return result;
    left -= bytes;
    return { ...result, relationships };
  });
};

const bytesOf = (value: unknown): number => utf8(JSON.stringify(value)).length + 1;

/** A page that fits into one answer; where it is cut, the next one begins there. */
export const fitPage = ({ memories, next }: { memories: Memory[]; next?: string | undefined }): MemoryPage => {
  let left = MAX_BYTES;
  const end = memories.findIndex((memory) => {
    left -= bytesOf(memory);
    return left < 0;
  });
  const fitting = end === -1 ? memories : memories.slice(0, end);
  const last = fitting.at(-1);
  const cursor = end === -1 || last === undefined ? next : placeOf(last);
  return { memories: fitting, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
};
