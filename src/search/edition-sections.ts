import { letterMask, utf8Length } from '../text/analyse-text.ts';
import type { EditionIdentity } from './article.ts';
import type { CollectedWords } from './collect-words.ts';
import type { GrowingTable } from './growing-table.ts';
import { compareByBytes, encodeStrings } from './text-table.ts';

/** A section before its memory is allocated. */
interface Section {
  /** In bytes. */
  length: number;
  write: (target: Uint8Array) => void;
}

/** Bytes of a SHA-256 hash. */
export const SUM_BYTES = 32;

/** The sections of an edition in file order; postings, texts and hashes of pages are left empty, to be filled in place. */
export const editionSections = (collected: CollectedWords, identity: EditionIdentity): Map<string, Section> => {
  const { textEnds, termChunks, termTextChunks } = collected;
  const isPaged = collected.pageEnds.length() > 0;
  const words = [...collected.words.keys()].sort(compareByBytes);
  const terms = [...collected.terms.keys()].sort(compareByBytes);
  const tags = [...collected.tags.keys()].sort(compareByBytes);
  const wordIds = words.map((word) => collected.words.get(word) ?? 0);
  const termIds = terms.map((term) => collected.terms.get(term) ?? 0);
  const termPlaces = new Uint32Array(terms.length);
  termIds.forEach((term, place) => {
    termPlaces[term] = place;
  });
  const postingEnds = runningSum(termIds.map((term) => collected.postingBytes.get(term)));
  const tagArticles = tags.map((tag) => collected.tags.get(tag) ?? []);
  return new Map<string, Section>([
    ['meta', bytesSection(encodeStrings([identity.id, identity.workspace, identity.createdAt]))],
    ...textsSection('words', words),
    ['word.ids', numbersSection(wordIds)],
    ['word.counts', numbersSection(wordIds.map((word) => collected.wordCounts.get(word)))],
    ['word.masks', numbersSection(words.map(maskOf))],
    ['word.terms', numbersSection(collected.wordTerms.view().map((term) => termPlaces[term] ?? 0))],
    ...textsSection('terms', terms),
    ['term.counts', numbersSection(termIds.map((term) => collected.termCounts.get(term)))],
    ['term.chunks', numbersSection(termIds.map((term) => termTextChunks.get(term) || termChunks.get(term)))],
    ['postings.starts', startsSection(postingEnds)],
    ['postings', emptySection(postingEnds.at(-1) ?? 0)],
    ...tableSection('articles', collected.articles),
    ...tableSection('titleWords', collected.titleWords),
    ...tableSection('labelWords', collected.labelWords),
    ['article.chunks', startsSection(collected.articleChunkEnds.view())],
    ...tableSection('headings', collected.headings),
    ...tableSection('headingWords', collected.headingWords),
    ['chunks', numbersSection(collected.chunkNumbers.view())],
    ...textsSection('tags', tags),
    ['tag.starts', startsSection(runningSum(tagArticles.map(({ length }) => length)))],
    ['tag.articles', numbersSection(tagArticles.flat())],
    ...(collected.audienceSets.size === 1
      ? []
      : [
          ...textsSection('audience.sets', [...collected.audienceSets.keys()]),
          ['article.sets', numbersSection(collected.articleSets.view())] as [string, Section],
          ['word.sets', numbersSection(wordIds.map((word) => collected.wordSets.get(word)))] as [string, Section],
        ]),
    ...(isPaged
      ? [
          ['pages.ends', numbersSection(collected.pageEnds.view())] as [string, Section],
          ['pages.sums', emptySection(collected.pageEnds.length() * SUM_BYTES)] as [string, Section],
        ]
      : [
          ...tableSection('chunkWords', collected.chunkWords),
          ['texts.starts', startsSection(textEnds.view())] as [string, Section],
          ['texts', emptySection(textEnds.get(textEnds.length() - 1))] as [string, Section],
        ]),
  ]);
};

const emptySection = (length: number): Section => ({ length, write: () => undefined });

const bytesSection = (bytes: Uint8Array): Section => ({
  length: bytes.length,
  write: (target) => target.set(bytes),
});

const numbersSection = (numbers: ArrayLike<number>): Section => ({
  length: numbers.length * 4,
  write: (target) => new Uint32Array(target.buffer, target.byteOffset, numbers.length).set(numbers),
});

/** Start offsets are the end offsets, preceded by a 0. */
const startsSection = (ends: ArrayLike<number>): Section => ({
  length: ends.length * 4 + 4,
  write: (target) => new Uint32Array(target.buffer, target.byteOffset + 4, ends.length).set(ends),
});

const tableSection = (name: string, { ends, bytes }: GrowingTable): [string, Section][] => [
  [`${name}.starts`, startsSection(ends.view())],
  [name, { length: bytes.length(), write: bytes.copyTo }],
];

const textsSection = (name: string, texts: readonly string[]): [string, Section][] => {
  const ends = runningSum(texts.map(utf8Length));
  const write = (target: Uint8Array): void => {
    const encoder = new TextEncoder();
    texts.forEach((text, at) => {
      encoder.encodeInto(text, target.subarray(ends[at - 1] ?? 0));
    });
  };
  return [
    [`${name}.starts`, startsSection(ends)],
    [name, { length: ends.at(-1) ?? 0, write }],
  ];
};

const maskOf = (word: string): number => letterMask(new TextEncoder().encode(word));

const runningSum = (numbers: readonly number[]): number[] => {
  let sum = 0;
  return numbers.map((value) => {
    sum += value;
    return sum;
  });
};
