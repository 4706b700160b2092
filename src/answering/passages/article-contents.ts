import type { Edition, EditionArticle } from '../../knowledge/edition/open-edition.ts';
import {
  cachedSection,
  type Piece,
  type Section,
  sectionRanges,
  stemsIn,
} from '../../knowledge/edition/sections.ts';
import { devicesNamedIn } from '../../knowledge/search/devices-named-in.ts';
import type { Span } from '../../language/split-sentences.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { QuestionTerm } from '../understand/parse-question.ts';
import type { CandidateArticle } from './candidate-articles.ts';
import { type Unit, unitsOf } from './units.ts';
import type { CloseWord } from './word-closeness.ts';

/** The parts of an article's analysis that do not depend on the question. Words are stems, given as indexes into `words`. */
export interface ArticleContents {
  /** Distinct words of title, headings and text, with their indexes. */
  words: ReadonlyMap<string, number>;
  title: Uint32Array;
  headings: ReadonlyMap<Section, HeadingContents>;
  /** In text order; the words of each sentence in order. */
  sentences: readonly Uint32Array[];
  /** Range of each piece in `sentences`. */
  sentencesOf: ReadonlyMap<Piece, Span>;
  units: readonly UnitContents[];
  /** Devices that the title names, else the labels of the article; lower case. */
  devices: readonly string[];
}

/** The headings above a section. */
interface HeadingContents {
  words: Uint32Array;
  /** Devices named by the innermost heading that names any; empty when none does. */
  devices: readonly string[];
}

/** A unit and its analysis. */
export interface UnitContents {
  unit: Unit;
  /** Positions of its parts in the article, in UTF-16 units. */
  spans: readonly Span[];
  /** One for each part. */
  headings: readonly [HeadingContents, ...HeadingContents[]];
  /** Devices named by each of its headings that names any. */
  named: readonly (readonly string[])[];
  /** Indexes of its sentences, in order. */
  sentences: Uint32Array;
}

/** Sections read per article. A longer article is reduced to its first sections and those with hits. */
const MAX_SECTIONS = 48;
/** Units read per article, reduced in the same way. */
const MAX_UNITS = 600;
/**
 * Cached article text per edition, in UTF-16 units. Each takes about 22 bytes with its analysis: 32 MB, and 6 MB for an edition that is so
 * large that its texts are on pages.
 */
const MAX_TEXT = 1_500_000;
const MAX_PAGED_TEXT = 300_000;

interface CacheEntry {
  contents: ArticleContents;
  sections: string;
  size: number;
}

const cacheOf = oncePer((_: Edition) => ({ size: 0, articles: new Map<number, CacheEntry>() }));

/** The analysis of an article, from a least-recently-used cache. */
export function cachedContents(edition: Edition, candidate: CandidateArticle): ArticleContents {
  const { index } = candidate.source;
  const cache = cacheOf(edition);
  const ranges = rangesToRead(edition, candidate);
  const sections = ranges.map(({ at }) => at).join(' ');
  const found = cache.articles.get(index);
  // A Map iterates in insertion order: the least recently used entry comes first.
  cache.articles.delete(index);
  if (found?.sections === sections) {
    cache.articles.set(index, found);
    return found.contents;
  }
  cache.size -= found?.size ?? 0;
  const read = ranges.map((range) => cachedSection(edition, range));
  const size = read.reduce((sum, { text }) => sum + text.length, 0);
  for (const [oldest, { size: freed }] of cache.articles) {
    if (cache.size + size <= (edition.texts.paged === undefined ? MAX_TEXT : MAX_PAGED_TEXT)) break;
    cache.articles.delete(oldest);
    cache.size -= freed;
  }
  const contents = readContents(edition, candidate.source, read);
  cache.articles.set(index, { contents, sections, size });
  cache.size += size;
  return contents;
}

const rangesToRead = (edition: Edition, { source, hits }: CandidateArticle) => {
  const ranges = sectionRanges(edition, source.index);
  if (ranges.length <= MAX_SECTIONS) return ranges;
  return ranges
    .filter(
      ({ at, firstChunk, endChunk }) =>
        at < MAX_SECTIONS / 2 || hits.some(({ chunk }) => chunk >= firstChunk && chunk < endChunk),
    )
    .slice(0, MAX_SECTIONS);
};

/** The units to rank. A longer article is reduced to its first units and those with hits. */
export function unitsToRead(
  units: readonly UnitContents[],
  { hits }: CandidateArticle,
): readonly UnitContents[] {
  return units.length <= MAX_UNITS
    ? units
    : units
        .filter(
          ({ spans }, at) =>
            at < MAX_UNITS / 2 || spans.some((span) => hits.some((hit) => isOverlap(hit, span))),
        )
        .slice(0, MAX_UNITS);
}

const isOverlap = (one: Span, other: Span): boolean =>
  one.start < other.end && other.start < one.end;

const readContents = (
  edition: Edition,
  source: EditionArticle,
  sections: readonly Section[],
): ArticleContents => {
  const places = new Map<string, number>();
  const placesOf = (stems: Iterable<string>) =>
    Uint32Array.from(stems, (stem) => {
      const place = places.get(stem) ?? places.size;
      places.set(stem, place);
      return place;
    });
  const title = placesOf(new Set(stemsIn(edition, source.title)));
  const headings = new Map<Section, HeadingContents>();
  const sentences: Uint32Array[] = [];
  const sentencesOf = new Map<Piece, Span>();
  for (const section of sections) {
    headings.set(section, readHeadings(edition, section, placesOf));
    for (const piece of section.pieces) {
      const start = sentences.length;
      for (const stems of piece.sentences) sentences.push(placesOf(stems));
      sentencesOf.set(piece, { start, end: sentences.length });
    }
  }
  const inTitle = devicesNamedIn(source.title, edition.devices());
  return {
    words: places,
    title,
    headings,
    sentences,
    sentencesOf,
    units: unitsOf(sections).map((unit) => readUnit(unit, { headings, sentencesOf })),
    devices: inTitle.length > 0 ? inTitle : source.devices.map((device) => device.toLowerCase()),
  };
};

const readHeadings = (
  edition: Edition,
  { path }: Section,
  placesOf: (stems: Iterable<string>) => Uint32Array,
): HeadingContents => {
  const named = path.toReversed().map((heading) => devicesNamedIn(heading, edition.devices()));
  return {
    words: placesOf(new Set(stemsIn(edition, path.join('\n')))),
    devices: named.find(({ length }) => length > 0) ?? [],
  };
};

/** Analyses a unit of an article, or a part of one. */
export function readUnit(
  unit: Unit,
  { headings, sentencesOf }: Pick<ArticleContents, 'headings' | 'sentencesOf'>,
): UnitContents {
  const pieces = unit.parts.flatMap(({ pieces: own }) => own);
  const headingsOf = ({ section }: Unit['parts'][number]): HeadingContents => {
    const found = headings.get(section);
    if (found === undefined) throw new Error('Cannot read a unit: it is of another article');
    return found;
  };
  const [first, ...rest] = unit.parts;
  const above: UnitContents['headings'] = [headingsOf(first), ...rest.map(headingsOf)];
  return {
    unit,
    named: above.map(({ devices }) => devices).filter(({ length }) => length > 0),
    spans: unit.parts.map(({ section, pieces: own }) => ({
      start: section.start + (own[0]?.start ?? 0),
      end: section.start + (own.at(-1)?.end ?? 0),
    })),
    headings: above,
    sentences: Uint32Array.from(
      pieces.flatMap((piece) => {
        const { start, end } = sentencesOf.get(piece) ?? { start: 0, end: 0 };
        return Array.from({ length: end - start }, (_, at) => start + at);
      }),
    ),
  };
}

/**
 * Per term of the question: closeness of the closest word of a text, 0 to 1; 1 when the text contains the term. Empty when no word is
 * close to any term.
 */
export type Matches = readonly number[];

/** Closeness of an article's parts to the terms of a question. */
export interface ArticleMatches {
  /** By index of the sentence. */
  sentences: readonly Matches[];
  units: ReadonlyMap<UnitContents, UnitMatches>;
}

export interface UnitMatches {
  text: Matches;
  /** Its headings, and the title of the article. */
  above: Matches;
}

/** Words with less closeness count as different. */
const LEAST_CLOSENESS = 0.15;

/**
 * Matches an article with a question; each sentence once, as units share sentences.
 *
 * @param closeWords Of each term, closest first.
 */
export function matchArticle(
  contents: ArticleContents,
  terms: readonly QuestionTerm[],
  closeWords: readonly (readonly CloseWord[])[],
): ArticleMatches {
  const close = new Array<number[]>(contents.words.size).fill(NO_MATCHES);
  closeWords.forEach((words, place) => {
    for (const { word, closeness } of words) {
      if (closeness < LEAST_CLOSENESS) break;
      const at = contents.words.get(word);
      if (at === undefined) continue;
      if (close[at] === NO_MATCHES) close[at] = terms.map(() => 0);
      (close[at] as number[])[place] = closeness;
    }
  });
  const matchWords = (words: Uint32Array): Matches => closest(words, close);
  const sentences = contents.sentences.map(matchWords);
  const title = matchWords(contents.title);
  const above = new Map<HeadingContents, Matches>();
  for (const heading of contents.headings.values())
    above.set(heading, closer(matchWords(heading.words), title));
  const units = new Map<UnitContents, UnitMatches>();
  for (const unit of contents.units) units.set(unit, matchUnit(unit, sentences, above));
  return { sentences, units };
}

const matchUnit = (
  { sentences: own, headings }: UnitContents,
  sentences: readonly Matches[],
  above: ReadonlyMap<HeadingContents, Matches>,
): UnitMatches => ({
  text: closest(own, sentences),
  above: headings.map((heading) => above.get(heading) ?? NO_MATCHES).reduce(closer),
});

const NO_MATCHES: number[] = [];

/** The maximum per term of several matches. */
const closest = (places: Uint32Array, matches: readonly Matches[]): Matches => {
  let all: Matches = NO_MATCHES;
  let raised: number[] | undefined;
  for (const place of places) {
    const own = matches[place] ?? NO_MATCHES;
    if (own.length === 0 || own === all) continue;
    if (all.length === 0) all = own;
    else {
      raised ??= all.slice();
      raise(raised, own);
      all = raised;
    }
  }
  return all;
};

/** The maximum per term of two matches. */
export function closer(one: Matches, other: Matches): Matches {
  if (one.length === 0 || one === other) return other;
  if (other.length === 0) return one;
  const both = one.slice();
  raise(both, other);
  return both;
}

/** Both have the same length. */
const raise = (matches: number[], by: Matches): void => {
  for (let at = 0; at < by.length; at++)
    if ((by[at] as number) > (matches[at] as number)) matches[at] = by[at] as number;
};

/** Matches of some sentences only, such as some rows of a table. */
export function matchSentences(sentences: Uint32Array, matches: ArticleMatches): Matches {
  return closest(sentences, matches.sentences);
}
