import { CHUNK_NUMBERS } from './collect-words.ts';
import { unreadable } from './edition-format.ts';
import { entryRange, findEntry, numbersView, openTextTable, type TextTable } from './text-table.ts';

/** Data that searching reads: views on the edition's bytes, and working memory that is zero between searches. */
export interface EditionIndex {
  /** Words as written (lower case), sorted; the arrays beside them have the same order. */
  words: TextTable;
  wordIds: Uint32Array;
  /** Occurrences; 0 for a word, or a term, that a narrowed edition does not have. */
  wordCounts: Uint32Array;
  wordMasks: Uint32Array;
  /** By word id: its term. */
  wordTerms: Uint32Array;
  /** Stems, sorted; the id of a term is its index. */
  terms: TextTable;
  termCounts: Uint32Array;
  /**
   * By term: the number of chunks that contain it in title, headings or text; if none does, those whose article is
   * labelled with it.
   */
  termChunks: Uint32Array;
  /** By term: its chunks and weights, as `readPostings` reads them. */
  postings: TextTable;
  /** In a narrowed edition, by chunk in the postings: its own index, or -1; absent where they are equal. */
  ownChunks?: Int32Array | undefined;
  /** Word ids as varints: of each heading path, each article's title and its labels. */
  headingWords: TextTable;
  titleWords: TextTable;
  labelWords: TextTable;
  /** Both throw `EditionFormatError` when a damaged chunk refers to a missing article or heading path. */
  articleOf: (chunk: number) => number;
  headingOf: (chunk: number) => number;
  /** Zero between searches: a score per chunk, a mark per term. */
  scores: Float32Array;
  marks: Uint8Array;
}

/** Typed access to the sections of an edition. */
export interface SectionReader {
  has: (name: string) => boolean;
  bytes: (name: string) => Uint8Array;
  numbers: (name: string) => Uint32Array;
  table: (name: string) => TextTable;
}

/** @throws {EditionFormatError} From its functions, when a section is missing or malformed. */
export function sectionReader(section: (name: string) => Uint8Array | undefined): SectionReader {
  const bytes = (name: string): Uint8Array => {
    const found = section(name);
    if (found === undefined) throw unreadable(`section ${name} is missing`);
    return found;
  };
  const numbers = (name: string): Uint32Array => numbersView(bytes(name));
  return {
    has: (name) => section(name) !== undefined,
    bytes,
    numbers,
    table: (name) => openTextTable(numbers(`${name}.starts`), bytes(name)),
  };
}

/** @throws {EditionFormatError} When the sections disagree. */
export function openIndex({ numbers, table }: SectionReader): EditionIndex {
  const chunks = numbers('chunks');
  const chunkCount = chunks.length / CHUNK_NUMBERS;
  if (!Number.isInteger(chunkCount)) throw unreadable('a chunk is incomplete');
  const terms = table('terms');
  const titleWords = table('titleWords');
  const headingWords = table('headingWords');
  const index: EditionIndex = {
    words: table('words'),
    wordIds: numbers('word.ids'),
    wordCounts: numbers('word.counts'),
    wordMasks: numbers('word.masks'),
    wordTerms: numbers('word.terms'),
    terms,
    termCounts: numbers('term.counts'),
    termChunks: numbers('term.chunks'),
    postings: table('postings'),
    headingWords,
    titleWords,
    labelWords: table('labelWords'),
    articleOf: (chunk) => within(chunks[chunk * CHUNK_NUMBERS] ?? 0, titleWords),
    headingOf: (chunk) => within(chunks[chunk * CHUNK_NUMBERS + 4] ?? 0, headingWords),
    scores: new Float32Array(chunkCount),
    marks: new Uint8Array(terms.count),
  };
  checkIndex(index);
  return index;
}

const checkIndex = (index: EditionIndex): void => {
  const { words, terms } = index;
  const perWord = [index.wordIds, index.wordCounts, index.wordMasks, index.wordTerms];
  const agrees =
    perWord.every(({ length }) => length === words.count) &&
    index.termCounts.length === terms.count &&
    index.termChunks.length === terms.count &&
    index.postings.count === terms.count;
  if (!agrees) throw unreadable('its index disagrees on how much there is');
};

/** Place of a word among the sorted words, or -1 when the edition does not have it. */
export function findWord(
  { words, wordCounts }: Pick<EditionIndex, 'words' | 'wordCounts'>,
  word: string,
): number {
  const place = findEntry(words, new TextEncoder().encode(word));
  return (wordCounts[place] ?? 0) === 0 ? -1 : place;
}

/** The term of a stem, or -1 when the edition does not have it. */
export function findTerm(
  { terms, termCounts }: Pick<EditionIndex, 'terms' | 'termCounts'>,
  stem: string,
): number {
  const term = findEntry(terms, new TextEncoder().encode(stem));
  return (termCounts[term] ?? 0) === 0 ? -1 : term;
}

/**
 * Calls `visitOwn` with each chunk of a term, ascending, and the share of the term's full weight that it scores (0 to 255). Damaged bytes give
 * other chunks, which may not exist, never more than there are bytes.
 */
export function readPostings(
  { postings: { starts, bytes }, ownChunks }: Pick<EditionIndex, 'postings' | 'ownChunks'>,
  term: number,
  visitOwn: (chunk: number, impact: number) => void,
): void {
  const visit =
    ownChunks === undefined
      ? visitOwn
      : (inPostings: number, impact: number) => {
          const own = ownChunks[inPostings] ?? -1;
          if (own >= 0) visitOwn(own, impact);
        };
  const { start, end } = entryRange(starts, term);
  let chunk = -1;
  for (let at = start; at < end; ) {
    let byte = bytes[at++] ?? 0;
    let distance = byte & 127;
    for (let shift = 7; byte >= 128 && at < end && shift < 35; shift += 7) {
      byte = bytes[at++] ?? 0;
      distance |= (byte & 127) << shift;
    }
    chunk += distance;
    visit(chunk, bytes[at++] ?? 0);
  }
}

const within = (place: number, { count }: TextTable): number => {
  if (place >= count) throw unreadable('a chunk has no article or no headings');
  return place;
};

/**
 * The parameters of BM25F. Fitted on one public set and validated on others; results vary little around them
 * (docs/edition-format.md).
 */
export const RANKING = {
  /** Term frequency saturation. */
  k1: 1.2,
  /** Length normalisation of a field: 0 (none) to 1. */
  b: 0.75,
  title: 2.5,
  /** Intents and devices of the article. */
  label: 1,
  heading: 1,
  body: 1,
} as const;

/** Largest stored impact; it stands for `f / (f + k1)` = 1. */
export const FULL_IMPACT = 255;

/** Inverse document frequency of a term in `containing` of `total` chunks; above 0, at most ln(2 total + 2). */
export function inverseFrequency(containing: number, total: number): number {
  return Math.log(1 + (total - containing + 0.5) / (containing + 0.5));
}
