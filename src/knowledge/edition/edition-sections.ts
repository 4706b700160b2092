import {
  groupTranslations,
  TRANSLATED_SECTION,
  TRANSLATION_SECTIONS,
  type TranslatedArticle,
} from '../../documents/group-translations.ts';
import { letterMask, utf8Length } from '../../language/analyse-text.ts';
import type { EditionIdentity } from '../articles/article.ts';
import type { CollectedWords } from './collect-words.ts';
import { readHeader, replaceSection } from './edition-format.ts';
import {
  compareByBytes,
  decodeStrings,
  encodeStrings,
  entryBytes,
  type GrowingTable,
  numbersView,
  type TextTable,
} from './text-table.ts';

/** A section before its memory is allocated. */
interface Section {
  /** In bytes. */
  length: number;
  write: (target: Uint8Array) => void;
}

/** Bytes of a SHA-256 hash. */
export const SUM_BYTES = 32;

/** Gives a finished edition another id and time; it must not be used afterwards. */
export function renameEdition(
  edition: Uint8Array,
  { id, createdAt }: Pick<EditionIdentity, 'id' | 'createdAt'>,
): Uint8Array<ArrayBuffer> {
  const { start, length } = readHeader(edition).get('meta') ?? { start: 0, length: 0 };
  const texts = decodeStrings(edition.subarray(start, start + length));
  const [, workspace = '', , ...languages] = texts;
  return replaceSection(edition, 'meta', encodeStrings([id, workspace, createdAt, ...languages]));
}

/** The sections of an edition in file order; postings, texts and hashes of pages are left empty, to be filled in place. */
export function editionSections(
  collected: CollectedWords,
  identity: EditionIdentity,
): Map<string, Section> {
  const { textEnds, termChunks, termTextChunks } = collected;
  const isPaged = collected.pageEnds.length() > 0;
  const words = collected.words.table();
  const terms = collected.terms.table();
  const tags = [...collected.tags.keys()].sort(compareByBytes);
  const wordIds = collected.words.sorted();
  const termIds = collected.terms.sorted();
  const termPlaces = new Uint32Array(terms.count);
  termIds.forEach((term, place) => {
    termPlaces[term] = place;
  });
  const postingBytes = (term: number): number => collected.postingBytes.get(term);
  const tagArticles = tags.map((tag) => collected.tags.get(tag) ?? []);
  return new Map<string, Section>([
    [
      'meta',
      bytesSection(
        encodeStrings([
          identity.id,
          identity.workspace,
          identity.createdAt,
          ...languagesOf(collected.languages, collected.articles.ends.length()),
        ]),
      ),
    ],
    ...sortedSection('words', words, wordIds),
    ['word.ids', numbersSection(wordIds)],
    ['word.counts', numbersSection(wordIds, collected.wordCounts.get)],
    ['word.masks', numbersSection(wordIds, (word) => letterMask(entryBytes(words, word)))],
    ['word.terms', numbersSection(collected.wordTerms.view(), (term) => termPlaces[term] ?? 0)],
    ...sortedSection('terms', terms, termIds),
    ['term.counts', numbersSection(termIds, collected.termCounts.get)],
    [
      'term.chunks',
      numbersSection(termIds, (term) => termTextChunks.get(term) || termChunks.get(term)),
    ],
    ['postings.starts', sumsSection(termIds, postingBytes)],
    ['postings', emptySection(termIds.reduce((sum, term) => sum + postingBytes(term), 0))],
    ...tableSection('articles', collected.articles),
    ...tableSection('titleWords', collected.titleWords),
    ...tableSection('labelWords', collected.labelWords),
    ['article.chunks', startsSection(collected.articleChunkEnds.view())],
    ...tableSection('headings', collected.headings),
    ...tableSection('headingWords', collected.headingWords),
    ['chunks', numbersSection(collected.chunkNumbers.view())],
    ...textsSection('tags', tags),
    ['tag.starts', sumsSection(tagArticles, ({ length }) => length)],
    ['tag.articles', numbersSection(tagArticles.flat())],
    ...(collected.audienceSets.size === 1
      ? []
      : [
          ...textsSection('audience.sets', [...collected.audienceSets.keys()]),
          ['article.sets', numbersSection(collected.articleSets.view())] as [string, Section],
          ['word.sets', numbersSection(wordIds, collected.wordSets.get)] as [string, Section],
          [
            TRANSLATED_SECTION,
            bytesSection(encodeStrings(collected.translated.flatMap(translatedStrings))),
          ] as [string, Section],
        ]),
    ...translationSections(collected),
    ...(isPaged
      ? [
          ['pages.ends', numbersSection(collected.pageEnds.view())] as [string, Section],
          ['pages.sums', emptySection(collected.pageEnds.length() * SUM_BYTES)] as [
            string,
            Section,
          ],
        ]
      : [
          ...tableSection('chunkWords', collected.chunkWords),
          ['texts.starts', startsSection(textEnds.view())] as [string, Section],
          ['texts', emptySection(textEnds.get(textEnds.length() - 1))] as [string, Section],
        ]),
  ]);
}

/** What `groupTranslations` needs of an article that the edition does not have elsewhere. */
const translatedStrings = ({ language = '', translationKey = '' }: TranslatedArticle): string[] => [
  language,
  translationKey,
];

const translationSections = ({ translated }: CollectedWords): [string, Section][] => {
  const found = groupTranslations(translated);
  if (found === undefined) return [];
  const tags = [...new Set(found.languages.filter((tag) => tag !== undefined))].sort();
  const places = found.languages.map((tag) => (tag === undefined ? 0 : tags.indexOf(tag) + 1));
  return [
    [TRANSLATION_SECTIONS.groups, numbersSection(found.groups)],
    [TRANSLATION_SECTIONS.languages, numbersSection(places)],
    [TRANSLATION_SECTIONS.tags, bytesSection(encodeStrings(tags))],
  ];
};

/** A language of fewer articles is more likely a mistake of detection. */
const LEAST_SHARE = 0.01;

/** The most frequent first. */
export function languagesOf(
  languages: ReadonlyMap<string, number>,
  articleCount: number,
): string[] {
  return [...languages]
    .filter(([, count]) => count >= LEAST_SHARE * articleCount)
    .sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1))
    .map(([tag]) => tag);
}

const emptySection = (length: number): Section => ({ length, write: () => undefined });

const bytesSection = (bytes: Uint8Array): Section => ({
  length: bytes.length,
  write: (target) => target.set(bytes),
});

/** Computed when it is written: sections of half a million numbers would not fit beside the edition. */
const numbersSection = (
  numbers: ArrayLike<number>,
  valueFor = (number: number): number => number,
): Section => ({
  length: numbers.length * 4,
  write: (target) => {
    const values = numbersView(target);
    for (let at = 0; at < numbers.length; at++) values[at] = valueFor(numbers[at] ?? 0);
  },
});

/** Start offsets of entries, given their lengths, and the end of the last. */
const sumsSection = <Entry>(
  entries: ArrayLike<Entry>,
  lengthOf: (entry: Entry) => number,
): Section => ({
  length: entries.length * 4 + 4,
  write: (target) => {
    const starts = numbersView(target);
    for (let at = 0; at < entries.length; at++)
      starts[at + 1] = (starts[at] ?? 0) + lengthOf(entries[at] as Entry); // within its length
  },
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

const textsSection = (name: string, texts: readonly string[]): [string, Section][] => [
  [`${name}.starts`, sumsSection(texts, utf8Length)],
  [name, bytesSection(new TextEncoder().encode(texts.join('')))],
];

/** The entries of a table in another order. */
const sortedSection = (name: string, table: TextTable, order: Uint32Array): [string, Section][] => {
  const write = (target: Uint8Array): void => {
    let at = 0;
    for (const entry of order) {
      const bytes = entryBytes(table, entry);
      target.set(bytes, at);
      at += bytes.length;
    }
  };
  return [
    [`${name}.starts`, sumsSection(order, (entry) => entryBytes(table, entry).length)],
    [name, { length: table.bytes.length, write }],
  ];
};
