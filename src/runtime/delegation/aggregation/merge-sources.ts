import type { Source } from '../../../contract/response.ts';

/** The sources of several answers as one list. */
export interface MergedSources {
  /** Each once, best first, those without a relevance last; at most 50. */
  sources: Source[];
  /** For each answer, in the order of its own list: where each of its sources stands in `sources`; undefined where it was cut off. */
  places: (number | undefined)[][];
}

const MAX_SOURCES = 50;

/**
 * Merges lists of sources. Two are the same when they have the same url, or, where neither has one, the same name (a
 * file with its section). The highest relevance is kept, with the name that came with it.
 */
export const mergeSources = (lists: readonly (readonly Source[])[]): MergedSources => {
  const merged = new Map<string, Source>();
  for (const source of lists.flat()) {
    const key = keyOf(source);
    const known = merged.get(key);
    merged.set(key, known === undefined ? { ...source } : better(known, source));
  }
  const sorted = [...merged].toSorted(([, one], [, other]) => rankOf(other) - rankOf(one)).slice(0, MAX_SOURCES);
  const placeOf = new Map(sorted.map(([key], place) => [key, place]));
  return {
    sources: sorted.map(([, source]) => source),
    places: lists.map((list) => list.map((source) => placeOf.get(keyOf(source)))),
  };
};

const keyOf = ({ name, url }: Source): string => (url === undefined ? `name ${name}` : `url ${url}`);

const rankOf = ({ relevance }: Source): number => relevance ?? -1;

const better = (known: Source, other: Source): Source =>
  rankOf(other) > rankOf(known) ? { ...known, ...other } : { ...other, ...known };
