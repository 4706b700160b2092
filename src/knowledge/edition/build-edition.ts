import type { EditionEntry, EditionIdentity } from '../articles/article.ts';
import {
  CHUNK_NUMBERS,
  type CollectedWords,
  collectWords,
  type FieldLengths,
  type Surroundings,
} from './collect-words.ts';
import {
  placeSections,
  readHeader,
  SPARE_BYTES,
  unreadable,
  writeHeader,
} from './edition-format.ts';
import { editionSections, SUM_BYTES } from './edition-sections.ts';
import { RANKING } from './open-index.ts';
import { type IndexField, writePostings } from './recount-index.ts';
import { type EditionPages, openPage, type TextPage } from './text-pages.ts';
import {
  compareByBytes,
  entryBytes,
  numbersView,
  openTextTable,
  varintReader,
} from './text-table.ts';

/**
 * Builds the immutable, searchable snapshot of a knowledge base (docs/edition-format.md). Output is deterministic and does
 * not depend on the order of the articles.
 *
 * The entries are read twice, the first of them three times: for the language of most, for words, for texts. Re-iterable entries that are sorted by id (by code point, as
 * SQLite's ORDER BY does) are streamed, so that peak memory is the edition plus its vocabulary; others are collected and
 * sorted first.
 *
 * @param options.spareBytes Extra room for sections that will be attached, given the size of the edition in bytes.
 * @param options.pages Takes the texts, so that the edition is an index only; `sealPages` completes it. In the edition when absent.
 * @param options.within For an edition of some passages: what it takes over from that of all.
 * @returns A view with at least `SPARE_BYTES` of free memory behind it (see `attachSection`).
 * @throws {RangeError} When two articles share an id, or the second reading differs from the first.
 */
export function buildEdition(
  entries: Iterable<EditionEntry>,
  identity: EditionIdentity,
  {
    spareBytes = () => 0,
    pages,
    within,
  }: {
    spareBytes?: (byteLength: number) => number;
    pages?: EditionPages | undefined;
    within?: Surroundings | undefined;
  } = {},
): Uint8Array<ArrayBuffer> {
  const repeatable = Object.is(entries[Symbol.iterator](), entries) ? [...entries] : entries;
  let sorted = repeatable;
  let collected = collectWords(sorted, { pages, within });
  if (collected === undefined) {
    sorted = [...repeatable].sort((left, right) =>
      compareByBytes(left.article.id, right.article.id),
    );
    collected = collectWords(sorted, { pages, within });
  }
  if (collected === undefined)
    throw new RangeError('Cannot build the edition: two articles share an id');
  const { fieldLengths } = collected;
  const { edition, written } = writeIndex(collected, identity, spareBytes);
  // What was collected is as large as half the edition, and must not be in memory beside what the postings need.
  collected = undefined;
  const chunkCount = numbersView(written.get('chunks')).length / CHUNK_NUMBERS;
  const meanLengths = within?.meanLengths ?? meansOf(fieldLengths, chunkCount);
  fillPostings(meanLengths, written, pages);
  const texts = written.get('texts');
  if (texts !== undefined) writeTexts(sorted, texts);
  return edition;
}

/** @returns At least 1 for each field. */
export function meansOf(lengths: FieldLengths, chunkCount: number): FieldLengths {
  const meanOf = (length: number) => Math.max(1, length / Math.max(1, chunkCount));
  return {
    title: meanOf(lengths.title),
    label: meanOf(lengths.label),
    heading: meanOf(lengths.heading),
    body: meanOf(lengths.body),
  };
}

/** An edition of words alone, without articles. */
export function buildVocabulary(
  collected: CollectedWords,
  identity: EditionIdentity,
): Uint8Array<ArrayBuffer> {
  return writeIndex(collected, identity, () => 0).edition;
}

/** First half of building: everything but postings and texts. */
const writeIndex = (
  collected: CollectedWords,
  identity: EditionIdentity,
  spareBytes: (byteLength: number) => number,
): { edition: Uint8Array<ArrayBuffer>; written: Map<string, Uint8Array> } => {
  const sections = editionSections(collected, identity);
  const { places, byteLength } = placeSections(
    new Map([...sections].map(([name, { length }]) => [name, length])),
  );
  const spare = SPARE_BYTES + spareBytes(byteLength);
  const edition = new Uint8Array(new ArrayBuffer(byteLength + spare), 0, byteLength);
  writeHeader(edition, places);
  const written = new Map<string, Uint8Array>();
  for (const [name, { start, length }] of places) {
    const target = edition.subarray(start, start + length);
    sections.get(name)?.write(target);
    written.set(name, target);
  }
  return { edition, written };
};

/** Notes the SHA-256 hashes of the pages in a finished edition, in place. */
export function sealPages(edition: Uint8Array, sums: readonly Uint8Array[]): void {
  const place = readHeader(edition).get('pages.sums');
  if (place === undefined || place.length !== sums.length * SUM_BYTES)
    throw new RangeError(
      `Cannot note ${sums.length} hashes: the edition has another number of pages`,
    );
  for (const [page, sum] of sums.entries()) edition.set(sum, place.start + page * SUM_BYTES);
}

const writeTexts = (entries: Iterable<EditionEntry>, target: Uint8Array): void => {
  const encoder = new TextEncoder();
  let at = 0;
  for (const { chunks } of entries) {
    for (const { text } of chunks) {
      const { read, written } = encoder.encodeInto(text, target.subarray(at));
      if (read !== text.length) throw changedMeanwhile();
      at += written;
    }
  }
  if (at !== target.length) throw changedMeanwhile();
};

const changedMeanwhile = (): RangeError =>
  new RangeError('Cannot build the edition: its articles changed meanwhile');

/**
 * Second half of building: turns the word ids of the chunks into postings.
 *
 * @param sections All written except postings and texts.
 */
const fillPostings = (
  meanLengths: FieldLengths,
  sections: ReadonlyMap<string, Uint8Array>,
  pages: EditionPages | undefined,
): void => {
  const view = (name: string): Uint32Array => numbersView(sections.get(name));
  const starts = view('postings.starts');
  const counts = {
    wordTerms: view('word.terms'),
    termCount: starts.length - 1,
    chunkCount: view('chunks').length / CHUNK_NUMBERS,
  };
  writePostings(fieldsOf(meanLengths, sections, pages), counts, {
    starts,
    bytes: sections.get('postings') ?? new Uint8Array(0),
  });
};

const fieldsOf = (
  meanLengths: FieldLengths,
  sections: ReadonlyMap<string, Uint8Array>,
  pages: EditionPages | undefined,
): IndexField[] => {
  const chunks = numbersView(sections.get('chunks'));
  const field = (
    name: string,
    weight: number,
    meanLength: number,
    entryOf: (chunk: number) => number,
  ): IndexField => {
    const bytes = sections.get(name) ?? new Uint8Array(0);
    const table = openTextTable(numbersView(sections.get(`${name}.starts`)), bytes);
    const read = varintReader();
    return {
      weight,
      meanLength,
      words: (chunk) => read(entryBytes(table, entryOf(chunk))),
    };
  };
  const articleOf = (chunk: number): number => chunks[chunk * CHUNK_NUMBERS] ?? 0;
  return [
    field('titleWords', RANKING.title, meanLengths.title, articleOf),
    field('labelWords', RANKING.label, meanLengths.label, articleOf),
    field(
      'headingWords',
      RANKING.heading,
      meanLengths.heading,
      (chunk) => chunks[chunk * CHUNK_NUMBERS + 4] ?? 0,
    ),
    pages === undefined
      ? field('chunkWords', RANKING.body, meanLengths.body, (chunk) => chunk)
      : {
          weight: RANKING.body,
          meanLength: meanLengths.body,
          words: wordsOnPages(numbersView(sections.get('pages.ends')), pages),
        },
  ];
};

/** Word ids of chunks that are asked for in ascending order: each page is read once. */
const wordsOnPages = (ends: Uint32Array, pages: EditionPages): ((chunk: number) => Uint32Array) => {
  const read = varintReader();
  let at = -1;
  let page: TextPage | undefined;
  return (chunk) => {
    while (page === undefined || chunk >= (ends[at] ?? 0)) {
      at += 1;
      const bytes = pages.read(at);
      if (bytes === undefined || at >= ends.length)
        throw unreadable('a page has gone while it was built');
      page = openPage(bytes);
    }
    return read(entryBytes(page.words, chunk - (ends[at - 1] ?? 0)));
  };
};
