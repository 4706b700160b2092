import type { Source } from '../contract/response.ts';
import { outsideCode } from '../markup/shorten.ts';
import { CODE_SPAN } from './contain-markdown.ts';

/** The sources of several answers as one list. */
export interface MergedSources {
  /** Each once, best first, those without a relevance last; at most 50. */
  sources: Source[];
  /** The index in `sources` of each source of each answer; `undefined` for one beyond the limit. */
  places: (number | undefined)[][];
}

const MAX_SOURCES = 50;

/**
 * Merges lists of sources. Two are the same if they have the same url, or neither has one and they have the same name (a file
 * with its section). The highest relevance is kept, with the name that came with it.
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

/**
 * Renumbers citations such as `[2]`, the second source of a part, to the position in the joined list, from 1. If a text has such a
 * number beyond its sources, none of them is a citation, and all stay. A citation of a source beyond the limit is removed.
 *
 * @param places The index of each source of the part in the joined list, from 0.
 */
export const renumberCitations = (text: string, places: readonly (number | undefined)[]): string => {
  const numbers = [...text.matchAll(CITATION)].flatMap(({ groups }) => groups?.number ?? []);
  if (numbers.length === 0 || numbers.some((number) => Number(number) < 1 || Number(number) > places.length))
    return text;
  const renumber = (line: string): string =>
    line.replace(CITATION, (whole, _span, number: string | undefined) => {
      if (number === undefined) return whole;
      const place = places[Number(number) - 1];
      return place === undefined ? '' : `[${place + 1}]`;
    });
  return outsideCode(text.split('\n'), renumber).lines.join('\n');
};

const CITATION = new RegExp(`${CODE_SPAN}|(?<!\\\\)\\[(?<number>\\d{1,2})\\](?![(:\\\\])`, 'g');
