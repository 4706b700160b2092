import { oncePer } from '../runtime/once-per.ts';
import { devicesNamedIn } from '../search/devices-named-in.ts';
import type { Edition, EditionArticle } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import type { CandidateArticle } from './candidate-articles.ts';
import HEADING_ROLES from './heading-roles.json' with { type: 'json' };
import type { TextVectors } from './parse-question.ts';
import { type Piece, type Section, sectionAtHand, sectionRanges, stemsOf } from './sections.ts';
import { type Unit, unitsOf } from './units.ts';

/** All of an article that does not depend on the question. Words are stems, and stand as their places in `words`. */
export interface ArticleContents {
  /** Every word of title, headings and text once. */
  words: readonly string[];
  titleStems: readonly string[];
  title: Uint32Array;
  headings: ReadonlyMap<Section, HeadingContents>;
  /** In the order of the text, each with its words in order. */
  sentences: readonly Uint32Array[];
  /** Where the sentences of a piece stand in `sentences`. */
  sentencesOf: ReadonlyMap<Piece, Span>;
  units: readonly UnitContents[];
  /** Devices that the title names, or else that the article is labelled with, in lower case. */
  devices: readonly string[];
  titleMeaning: Meaning;
}

/** What a text means by the vectors of its words; computed when it is first asked for. */
type Meaning = (vectors: TextVectors | undefined) => Float32Array | undefined;

/** The headings above a section. */
export interface HeadingContents {
  words: Uint32Array;
  /** Stems of the innermost heading. */
  last: readonly string[];
  roles: Record<keyof typeof HEADING_ROLES, boolean>;
  /** The devices that the innermost heading with a device in it names; empty where none does. */
  devices: readonly string[];
  meaning: Meaning;
}

/** A unit with what it says. */
export interface UnitContents {
  unit: Unit;
  /** Where its parts stand in the article, in UTF-16 units. */
  spans: readonly Span[];
  /** Of each of its parts, the first one's first. */
  headings: readonly [HeadingContents, ...HeadingContents[]];
  /** Places of its sentences, in order. */
  sentences: Uint32Array;
  hasDigit: boolean;
  hasTable: boolean;
  hasList: boolean;
  hasStep: boolean;
  hasBold: boolean;
  saysBecause: boolean;
  meaning: Meaning;
}

/** Sections of one article that are looked at: of a longer one the first ones, and those that search found. */
const MAX_SECTIONS = 48;
/** Units of one article that are looked at: likewise. */
const MAX_UNITS = 600;
/** Text of the articles of an edition that stay read, in UTF-16 units. With all that is read of them it takes some 22 bytes each: 32 MB. */
const MAX_TEXT = 1_500_000;

interface KeptContents {
  contents: ArticleContents;
  sections: string;
  size: number;
}

const keptIn = oncePer((_: Edition) => ({ size: 0, articles: new Map<number, KeptContents>() }));

/** What an article says: read at most once while it stays among the latest. */
export const contentsAtHand = (edition: Edition, candidate: CandidateArticle): ArticleContents => {
  const { index } = candidate.source;
  const kept = keptIn(edition);
  const ranges = rangesToRead(edition, candidate);
  const sections = ranges.map(({ at }) => at).join(' ');
  const found = kept.articles.get(index);
  // A Map lists what was set first: those not asked for longest go first.
  kept.articles.delete(index);
  if (found?.sections === sections) {
    kept.articles.set(index, found);
    return found.contents;
  }
  kept.size -= found?.size ?? 0;
  const read = ranges.map((range) => sectionAtHand(edition, range));
  const size = read.reduce((sum, { text }) => sum + text.length, 0);
  for (const [oldest, { size: freed }] of kept.articles) {
    if (kept.size + size <= MAX_TEXT) break;
    kept.articles.delete(oldest);
    kept.size -= freed;
  }
  const contents = readContents(edition, candidate.source, read);
  kept.articles.set(index, { contents, sections, size });
  kept.size += size;
  return contents;
};

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

/** The units that are looked at: of a longer article the first ones, and those that search found. */
export const unitsToRead = (units: readonly UnitContents[], { hits }: CandidateArticle): readonly UnitContents[] =>
  units.length <= MAX_UNITS
    ? units
    : units
        .filter(({ spans }, at) => at < MAX_UNITS / 2 || spans.some((span) => hits.some((hit) => isOverlap(hit, span))))
        .slice(0, MAX_UNITS);

const isOverlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

const readContents = (edition: Edition, source: EditionArticle, sections: readonly Section[]): ArticleContents => {
  const places = new Map<string, number>();
  const placesOf = (stems: Iterable<string>) =>
    Uint32Array.from(stems, (stem) => {
      const place = places.get(stem) ?? places.size;
      places.set(stem, place);
      return place;
    });
  const titleStems = stemsOf(source.title);
  const title = placesOf(new Set(titleStems));
  const headings = new Map<Section, HeadingContents>();
  const sentences: Uint32Array[] = [];
  const sentencesOf = new Map<Piece, Span>();
  for (const section of sections) {
    headings.set(section, readHeadings(section, placesOf, edition.devices()));
    for (const piece of section.pieces) {
      const start = sentences.length;
      for (const stems of piece.sentences) sentences.push(placesOf(stems));
      sentencesOf.set(piece, { start, end: sentences.length });
    }
  }
  const inTitle = devicesNamedIn(source.title, edition.devices());
  return {
    ...{ words: [...places.keys()], titleStems, title, headings, sentences, sentencesOf },
    units: unitsOf(sections).map((unit) => readUnit(unit, { headings, sentencesOf })),
    devices: inTitle.length > 0 ? inTitle : source.devices.map((device) => device.toLowerCase()),
    titleMeaning: meaningOf(() => titleStems),
  };
};

const ROLES = Object.entries(HEADING_ROLES).map(([name, pattern]) => [name, new RegExp(pattern, 'i')] as const);

const readHeadings = (
  { path }: Section,
  placesOf: (stems: Iterable<string>) => Uint32Array,
  devices: readonly string[],
): HeadingContents => {
  const text = path.join('\n');
  const stems = stemsOf(text);
  const named = path.toReversed().map((heading) => devicesNamedIn(heading, devices));
  return {
    words: placesOf(new Set(stems)),
    last: stemsOf(path.at(-1) ?? ''),
    // Every role has its pattern.
    roles: Object.fromEntries(ROLES.map(([name, pattern]) => [name, pattern.test(text)])) as HeadingContents['roles'],
    devices: named.find(({ length }) => length > 0) ?? [],
    meaning: meaningOf(() => stems),
  };
};

const BECAUSE = /\b(?:because|due to|since|caused? by|occurs? (?:if|when)|so that)\b/i;

/** What a unit of an article says; for parts of units as well. */
export const readUnit = (
  unit: Unit,
  { headings, sentencesOf }: Pick<ArticleContents, 'headings' | 'sentencesOf'>,
): UnitContents => {
  const pieces = unit.parts.flatMap(({ pieces: own }) => own);
  const text = unit.parts
    .flatMap(({ section, pieces: own }) => own.map(({ start, end }) => section.text.slice(start, end)))
    .join('\n');
  const isAny = (...kinds: Piece['kind'][]) => pieces.some(({ kind }) => kinds.includes(kind));
  const headingsOf = ({ section }: Unit['parts'][number]): HeadingContents => {
    const found = headings.get(section);
    if (found === undefined) throw new Error('Cannot read a unit: it is of another article');
    return found;
  };
  const [first, ...rest] = unit.parts;
  return {
    unit,
    spans: unit.parts.map(({ section, pieces: own }) => ({
      start: section.start + (own[0]?.start ?? 0),
      end: section.start + (own.at(-1)?.end ?? 0),
    })),
    headings: [headingsOf(first), ...rest.map(headingsOf)],
    sentences: Uint32Array.from(
      pieces.flatMap((piece) => {
        const { start, end } = sentencesOf.get(piece) ?? { start: 0, end: 0 };
        return Array.from({ length: end - start }, (_, at) => start + at);
      }),
    ),
    hasDigit: pieces.some(({ hasDigit }) => hasDigit),
    hasTable: isAny('table', 'row'),
    hasList: isAny('list', 'item'),
    hasStep: pieces.some(({ isStep }) => isStep),
    hasBold: /\*\*[^*]+\*\*|`/.test(text),
    saysBecause: BECAUSE.test(text),
    meaning: meaningOf(() => pieces.flatMap(({ stems }) => stems)),
  };
};

const meaningOf = (stems: () => readonly string[]): Meaning => {
  let known: { vector: Float32Array | undefined } | undefined;
  return (vectors) => {
    if (vectors === undefined) return undefined;
    known ??= { vector: vectors.vectorOf(stems()) };
    return known.vector;
  };
};
