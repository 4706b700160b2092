import { SPARE_BYTES } from './attach-section.ts';
import { collectWords } from './collect-words.ts';
import type { EditionEntry, EditionIdentity } from './edition-entry.ts';
import { placeSections, writeHeader } from './edition-format.ts';
import { editionSections } from './edition-sections.ts';
import { fillPostings } from './fill-postings.ts';
import { compareByBytes } from './text-table.ts';

/**
 * Builds the immutable, searchable snapshot of a knowledge base (docs/edition-format.md). The same articles, in whatever
 * order, give the same bytes.
 *
 * The entries are read twice: once for the words, once for the texts. Entries that can be iterated again and come sorted
 * by id (by code point, as SQLite's ORDER BY does) are never held together, and the peak is the edition plus its
 * vocabulary; others are collected and sorted first.
 *
 * @param options.spareBytes Room for what is attached to an edition of so many bytes, where that is more than small.
 * @returns A view whose memory goes on for `SPARE_BYTES` and what was asked for (see `attachSection`).
 * @throws {RangeError} When two articles share an id, or the second reading differs from the first.
 */
export const buildEdition = (
  entries: Iterable<EditionEntry>,
  identity: EditionIdentity,
  { spareBytes = () => 0 }: { spareBytes?: (byteLength: number) => number } = {},
): Uint8Array<ArrayBuffer> => {
  const repeatable = Object.is(entries[Symbol.iterator](), entries) ? [...entries] : entries;
  let sorted = repeatable;
  let collected = collectWords(sorted);
  if (collected === undefined) {
    sorted = [...repeatable].sort((left, right) => compareByBytes(left.article.id, right.article.id));
    collected = collectWords(sorted);
  }
  if (collected === undefined) throw new RangeError('Cannot build the edition: two articles share an id');
  const sections = editionSections(collected, identity);
  const { places, byteLength } = placeSections(new Map([...sections].map(([name, { length }]) => [name, length])));
  const edition = new Uint8Array(new ArrayBuffer(byteLength + SPARE_BYTES + spareBytes(byteLength)), 0, byteLength);
  writeHeader(edition, places);
  const written = new Map<string, Uint8Array>();
  for (const [name, { start, length }] of places) {
    const target = edition.subarray(start, start + length);
    sections.get(name)?.write(target);
    written.set(name, target);
  }
  fillPostings(collected.fieldLengths, written);
  writeTexts(sorted, written.get('texts') ?? new Uint8Array(0));
  return edition;
};

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

const changedMeanwhile = (): RangeError => new RangeError('Cannot build the edition: its articles changed meanwhile');
