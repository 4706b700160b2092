import type { MemoryPage, MemoryRecord, SearchResult } from '../contract/memory.ts';
import { utf8 } from '../signing/encoding.ts';
import { MAX_ANSWER_BYTES } from '../signing/limits.ts';
import { placeOf } from '../storage/memory-store.ts';

/** Upper bound of the results in a response; the rest is for the fields around them. */
const MAX_RESULT_BYTES = MAX_ANSWER_BYTES - 65_536;

/** Upper bound of a context with its memories; it keeps the text below 2,000,000 characters. */
export const MAX_CONTEXT_BYTES = 3_800_000;

/**
 * The results that fit into one response: related memories are dropped first, from the last result on, then the last results.
 *
 * @param results Best first.
 * @param options.share Of the response, when it holds the results of several searches.
 */
export const fitResults = (
  results: readonly SearchResult[],
  { share = 1 }: { share?: number } = {},
): SearchResult[] => {
  let left = Math.floor(MAX_RESULT_BYTES * share);
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
 * A context or a preview that fits into one response. All its memories stay, since the engine keeps them and the text within
 * `MAX_CONTEXT_BYTES`; related memories are added as far as there is room.
 */
export const fitContext = <T extends { memories: SearchResult[] }>(built: T): T => {
  const bare = built.memories.map(({ relationships: _, ...result }) => result);
  const taken = bytesOf({ ...built, memories: bare });
  return { ...built, memories: withRelated(bare, built.memories, MAX_RESULT_BYTES - taken) };
};

/** Adds related memories, those of the first results first. */
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

/** A page that fits into one response; when it is cut, the next page begins there. */
export const fitPage = ({ memories, next }: { memories: MemoryRecord[]; next?: string | undefined }): MemoryPage => {
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
