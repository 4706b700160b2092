import type { Edition } from './open-edition.ts';
import { FULL_IMPACT, RANKING } from './open-index.ts';
import {
  entryBytes,
  openTextTable,
  type TextTable,
  varintLength,
  varintReader,
  writeVarint,
} from './text-table.ts';

/** The numbers of an index, counted over some chunks of its edition. */
export interface Recount {
  /** By place of a word. */
  wordCounts: Uint32Array;
  /** By term. */
  termCounts: Uint32Array;
  termChunks: Uint32Array;
  /** By term; a chunk is its place among the chunks that were counted. */
  postings: TextTable;
}

/**
 * Counts the words of some chunks again, as `buildEdition` does: the result is the same as in an edition of these chunks alone. Reads
 * numbers of words only, some 20 ns for each.
 *
 * @returns `undefined` when the texts are not in memory.
 */
export function recountIndex(from: Edition, chunks: Uint32Array): Recount | undefined {
  if (from.texts.paged !== undefined) return undefined;
  const fields = fieldsOf(from, chunks);
  const { wordTerms, wordIds, terms } = from.index;
  const byWord = new Uint32Array(wordIds.length);
  const termCounts = new Uint32Array(terms.count);
  const count = (numbers: Uint32Array): void => {
    for (const word of numbers) {
      byWord[word] = (byWord[word] ?? 0) + 1;
      const term = wordTerms[word] ?? 0;
      termCounts[term] = (termCounts[term] ?? 0) + 1;
    }
  };
  // A title, a label and a heading path are stored once, and count once.
  for (const { entries } of fields) for (const entry of entries.values()) count(entry);
  return {
    wordCounts: Uint32Array.from(wordIds, (id) => byWord[id] ?? 0),
    termCounts,
    ...postingsOf(fields, { wordTerms, termCount: terms.count, chunkCount: chunks.length }),
  };
}

/** A field of the chunks, by which terms are weighted. */
export interface IndexField {
  weight: number;
  meanLength: number;
  /** It is a label of the article, and no text. */
  isLabel?: boolean;
  /** The word ids of a chunk in this field; valid until the next call. */
  words: (chunk: number) => Uint32Array;
}

interface Field extends IndexField {
  /** By entry of its table. */
  entries: ReadonlyMap<number, Uint32Array>;
}

const NO_WORDS = new Uint32Array(0);

const fieldsOf = ({ index, texts }: Edition, chunks: Uint32Array): Field[] => {
  const field = (
    weight: number,
    bytesOf: (entry: number) => Uint8Array,
    place: (chunk: number) => number,
    isLabel = false,
  ): Field => {
    const entryOf = Uint32Array.from(chunks, place);
    const read = varintReader();
    const entries = new Map<number, Uint32Array>();
    let length = 0;
    for (const entry of entryOf) {
      const words = entries.get(entry) ?? read(bytesOf(entry)).slice();
      entries.set(entry, words);
      length += words.length;
    }
    return {
      weight,
      isLabel,
      entries,
      meanLength: Math.max(1, length / Math.max(1, chunks.length)),
      words: (chunk) => entries.get(entryOf[chunk] ?? 0) ?? NO_WORDS,
    };
  };
  return [
    field(RANKING.title, (entry) => entryBytes(index.titleWords, entry), index.articleOf),
    field(RANKING.label, (entry) => entryBytes(index.labelWords, entry), index.articleOf, true),
    field(RANKING.heading, (entry) => entryBytes(index.headingWords, entry), index.headingOf),
    field(
      RANKING.body,
      (chunk) => texts.words(chunk) ?? new Uint8Array(0),
      (chunk) => chunk,
    ),
  ];
};

/** How many there are of what postings are made from. */
interface IndexCounts {
  wordTerms: Uint32Array;
  termCount: number;
  chunkCount: number;
}

const postingsOf = (
  fields: readonly Field[],
  counts: IndexCounts,
): Pick<Recount, 'termChunks' | 'postings'> => {
  const { termCount } = counts;
  const all = new Uint32Array(termCount);
  const inText = new Uint32Array(termCount);
  const lasts = new Uint32Array(termCount);
  const lengths = new Uint32Array(termCount);
  visitTerms(fields, counts, (term, chunk, { isInText }) => {
    all[term] = (all[term] ?? 0) + 1;
    if (isInText) inText[term] = (inText[term] ?? 0) + 1;
    lengths[term] = (lengths[term] ?? 0) + varintLength(chunk + 1 - (lasts[term] ?? 0)) + 1;
    lasts[term] = chunk + 1;
  });
  const starts = new Uint32Array(termCount + 1);
  for (let term = 0; term < termCount; term++)
    starts[term + 1] = (starts[term] ?? 0) + (lengths[term] ?? 0);
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  writePostings(fields, counts, { starts, bytes });
  return {
    termChunks: all.map((count, term) => inText[term] || count),
    postings: openTextTable(starts, bytes),
  };
};

/**
 * Writes the postings, ordered by term and chunk, each with the share of its term's full weight that the chunk scores (BM25F,
 * docs/edition-format.md).
 *
 * @param postings Where those of each term start, and room for all of them.
 */
export function writePostings(
  fields: readonly IndexField[],
  counts: IndexCounts,
  { starts, bytes }: Pick<TextTable, 'starts' | 'bytes'>,
): void {
  const next = starts.slice(0, counts.termCount);
  /** By term: its last chunk so far, counted from 1. */
  const lasts = new Uint32Array(counts.termCount);
  visitTerms(fields, counts, (term, chunk, { frequency }) => {
    const place = writeVarint(bytes, next[term] ?? 0, chunk + 1 - (lasts[term] ?? 0));
    bytes[place] = Math.max(1, Math.round((FULL_IMPACT * frequency) / (frequency + RANKING.k1)));
    next[term] = place + 1;
    lasts[term] = chunk + 1;
  });
}

/** Calls `visit` with each term of each chunk, and its frequency by BM25F (docs/edition-format.md). */
const visitTerms = (
  fields: readonly IndexField[],
  { wordTerms, termCount, chunkCount }: IndexCounts,
  visit: (term: number, chunk: number, found: { frequency: number; isInText: boolean }) => void,
): void => {
  const frequencies = new Float64Array(termCount);
  const texts = new Uint8Array(termCount);
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const present: number[] = [];
    for (const { weight, isLabel, meanLength, words } of fields) {
      const numbers = words(chunk);
      const share = weight / (1 - RANKING.b + (RANKING.b * numbers.length) / meanLength);
      for (const word of numbers) {
        const term = wordTerms[word] ?? 0;
        if (frequencies[term] === 0) present.push(term);
        frequencies[term] = (frequencies[term] ?? 0) + share;
        if (isLabel !== true) texts[term] = 1;
      }
    }
    for (const term of present) {
      visit(term, chunk, { frequency: frequencies[term] ?? 0, isInText: texts[term] === 1 });
      frequencies[term] = 0;
      texts[term] = 0;
    }
  }
};
