import type { Memory, MemoryPage, SearchResult } from '../contract/memory.ts';
import { utf8 } from '../runtime/digest.ts';
import { MAX_ANSWER_BYTES } from '../runtime/limits.ts';
import { placeOf } from '../storage/memory-place.ts';

/** What a result may take of an answer: something is left for what stands around it. */
const MAX_RESULT_BYTES = MAX_ANSWER_BYTES - 65_536;

/** What a context and its memories may take: the text, all of which stands in them once more, stays below 2,000,000 characters then. */
export const MAX_CONTEXT_BYTES = 3_800_000;

/**
 * Results that fit into one answer: what is related goes first, from the last result on, then the last results themselves.
 *
 * @param results Best first.
 */
export const fitResults = (results: readonly SearchResult[]): SearchResult[] => {
  let left = MAX_RESULT_BYTES;
  const fitting: SearchResult[] = [];
  const bare = results.map(({ relationships: _, ...result }) => ({ result, bytes: bytesOf(result) }));
  for (const { result, bytes } of bare) {
    if (bytes > left) break;
    left -= bytes;
    fitting.push(result);
  }
  return withRelated(fitting, results, left);
};

/**
 * A context or a preview that fits into one answer. All its memories stay, since the engine keeps them within `MAX_CONTEXT_BYTES`
 * together with the text: what says which memories are in it stays true. What they are related to comes as far as there is room.
 */
export const fitContext = <T extends { memories: SearchResult[] }>(built: T): T => {
  const bare = built.memories.map(({ relationships: _, ...result }) => result);
  const taken = bytesOf({ ...built, memories: bare });
  return { ...built, memories: withRelated(bare, built.memories, MAX_RESULT_BYTES - taken) };
};

/** Those of the first results come first. */
const withRelated = (bare: readonly SearchResult[], results: readonly SearchResult[], room: number): SearchResult[] => {
  let left = room;
  return bare.map((result, at) => {
    const relationships = results[at]?.relationships;
    if (relationships === undefined) return result;
    const bytes = bytesOf(relationships) + FIELD_BYTES;
    if (bytes > left) return result;
    left -= bytes;
    return { ...result, relationships };
  });
};

/** `"relationships":,` */
const FIELD_BYTES = 20;

const bytesOf = (value: unknown): number => utf8(JSON.stringify(value)).length + 1;

/** A page that fits into one answer; where it is cut, the next one begins there. */
export const fitPage = ({ memories, next }: { memories: Memory[]; next?: string | undefined }): MemoryPage => {
  let left = MAX_RESULT_BYTES;
  const end = memories.findIndex((memory) => {
    left -= bytesOf(memory);
    return left < 0;
  });
  const fitting = end === -1 ? memories : memories.slice(0, end);
  const last = fitting.at(-1);
  const cursor = end === -1 || last === undefined ? next : placeOf(last);
  return { memories: fitting, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
};
