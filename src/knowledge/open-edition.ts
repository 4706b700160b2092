import type { Article } from './article.ts';
import { CHUNK_NUMBERS, tagOf } from './collect-words.ts';
import { readHeader, unreadable } from './edition-format.ts';
import { numbersView, postingView } from './edition-views.ts';
import { decodeStrings } from './string-list.ts';
import {
  checkStarts,
  compareByBytes,
  entryBytes,
  entryText,
  findEntry,
  openTextTable,
  type TextTable,
} from './text-table.ts';

/** An article as an edition knows it: everything but its text, which its chunks hold. */
export interface EditionArticle extends Omit<Article, 'text'> {
  /** Place in the edition, from 0, in the order of ids. */
  index: number;
  /** Its chunks are those from here ... */
  firstChunk: number;
  /** ... up to, not including, this one. */
  endChunk: number;
}

/** A chunk as an edition knows it. */
export interface EditionChunk {
  /** Place in the edition, from 0. */
  index: number;
  /** Place of its article in the edition. */
  article: number;
  /** Place in its article, from 0. */
  position: number;
  /** Outermost first, without the article's title. */
  headingPath: string[];
  text: string;
  /** UTF-16 units into the article's text. */
  start: number;
  end: number;
  tokenCount: number;
}

/** What searching reads: views on the edition's bytes, and working memory that every search leaves cleared. */
export interface EditionIndex {
  /** Words as they are written (lower case), sorted; the arrays beside them go by place in this order. */
  words: TextTable;
  wordIds: Uint32Array;
  wordCounts: Uint32Array;
  wordMasks: Uint32Array;
  /** By word id: its term. */
  wordTerms: Uint32Array;
  /** Stems, sorted; a term's id is its place. */
  terms: TextTable;
  termCounts: Uint32Array;
  postingStarts: Uint32Array;
  postingChunks: Uint16Array | Uint32Array;
  postingImpacts: Uint8Array;
  chunkWords: TextTable;
  headingWords: TextTable;
  titleWords: TextTable;
  articleOf: (chunk: number) => number;
  headingOf: (chunk: number) => number;
  /** All zero between searches: a score for each chunk, a mark for each term. */
  scores: Float32Array;
  marks: Uint8Array;
}

/** One published state of a knowledge base, open for reading. */
export interface Edition {
  id: string;
  workspace: string;
  createdAt: string;
  articleCount: number;
  chunkCount: number;
  /** Occurrences of content words in all; the basis of a term's share. */
  wordTotal: number;
  byteLength: number;
  /** @throws {RangeError} When there is no such chunk. */
  chunk: (index: number) => EditionChunk;
  /** @throws {RangeError} When there is no such article. */
  article: (index: number) => EditionArticle;
  /** Place of the article with this id, or -1. */
  findArticle: (id: string) => number;
  /** Places of the articles that carry this intent or device, whatever its case; empty when none does. */
  articlesTagged: (kind: 'intent' | 'device', value: string) => Uint32Array;
  /** Every device any article names, in lower case, sorted. */
  devices: () => readonly string[];
  /** What `attachSection` added under this name. */
  section: (name: string) => Uint8Array | undefined;
  index: EditionIndex;
}

/**
 * Opens an edition: checks its structure and lays views over its bytes; nothing is parsed or copied.
 *
 * @param buffer The whole edition; a view must start at a multiple of four, or it is copied.
 * @throws {EditionFormatError} When the bytes are not an edition of this version, are cut short or contradict themselves.
 * Damage inside of texts and postings goes unnoticed here (a checksum of the whole finds it) and never leads outside.
 */
export const openEdition = (buffer: ArrayBuffer | Uint8Array): Edition => {
  const given = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const places = readHeader(bytes);
  const section = (name: string): Uint8Array | undefined => {
    const place = places.get(name);
    return place && bytes.subarray(place.start, place.start + place.length);
  };
  const required = (name: string): Uint8Array => {
    const found = section(name);
    if (found === undefined) throw unreadable(`section ${name} is missing`);
    return found;
  };
  const numbers = (name: string): Uint32Array => numbersView(required(name));
  const table = (name: string): TextTable => openTextTable(numbers(`${name}.starts`), required(name));
  const chunks = numbers('chunks');
  const chunkCount = chunks.length / CHUNK_NUMBERS;
  const index = openIndex({ required, numbers, table, chunks });
  const articles = table('articles');
  const articleChunks = numbers('article.chunks');
  const headings = table('headings');
  const texts = table('texts');
  const tags = table('tags');
  const tagStarts = numbers('tag.starts');
  const tagArticles = numbers('tag.articles');
  checkStarts(articleChunks, chunkCount);
  checkStarts(tagStarts, tagArticles.length);
  const agree = [
    Number.isInteger(chunkCount),
    texts.count === chunkCount,
    articleChunks.length === articles.count + 1,
    index.titleWords.count === articles.count,
    index.headingWords.count === headings.count,
    tagStarts.length === tags.count + 1,
  ];
  if (agree.includes(false)) throw unreadable('its sections disagree on how much there is');
  const [id = '', workspace = '', createdAt = ''] = decodeStrings(required('meta'));

  const article = (at: number): EditionArticle => {
    if (!(at >= 0 && at < articles.count)) throw new RangeError(`Cannot read article ${at} of ${articles.count}`);
    const [firstChunk = 0, endChunk = 0] = articleChunks.subarray(at, at + 2);
    return { ...decodeArticle(entryBytes(articles, at)), index: at, firstChunk, endChunk };
  };
  const chunk = (at: number): EditionChunk => {
    if (!(at >= 0 && at < chunkCount)) throw new RangeError(`Cannot read chunk ${at} of ${chunkCount}`);
    const [inArticle = 0, start = 0, end = 0, tokenCount = 0, heading = 0] = chunks.subarray(at * CHUNK_NUMBERS);
    return {
      index: at,
      article: inArticle,
      position: at - (articleChunks[inArticle] ?? at),
      headingPath: decodeStrings(entryBytes(headings, heading)),
      text: entryText(texts, at),
      start,
      end,
      tokenCount,
    };
  };
  const findArticle = (wanted: string): number => {
    let low = 0;
    let high = articles.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = compareByBytes(decodeArticle(entryBytes(articles, middle)).id, wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  };
  const articlesTagged = (kind: 'intent' | 'device', value: string): Uint32Array => {
    const place = findEntry(tags, new TextEncoder().encode(tagOf(kind, value)));
    return place < 0 ? tagArticles.subarray(0, 0) : tagArticles.subarray(tagStarts[place], tagStarts[place + 1]);
  };
  let devices: string[] | undefined;
  return {
    id,
    workspace,
    createdAt,
    articleCount: articles.count,
    chunkCount,
    wordTotal: index.termCounts.reduce((sum, count) => sum + count, 0),
    byteLength: bytes.byteLength,
    chunk,
    article,
    findArticle,
    articlesTagged,
    devices: () => {
      devices ??= Array.from({ length: tags.count }, (_, at) => entryText(tags, at))
        .filter((tag) => tag.startsWith('device '))
        .map((tag) => tag.slice('device '.length));
      return devices;
    },
    section,
    index,
  };
};

interface SectionReaders {
  required: (name: string) => Uint8Array;
  numbers: (name: string) => Uint32Array;
  table: (name: string) => TextTable;
  chunks: Uint32Array;
}

const openIndex = ({ required, numbers, table, chunks }: SectionReaders): EditionIndex => {
  const chunkCount = Math.floor(chunks.length / CHUNK_NUMBERS);
  const words = table('words');
  const terms = table('terms');
  const postingStarts = numbers('posting.starts');
  const postingImpacts = required('posting.impacts');
  checkStarts(postingStarts, postingImpacts.length);
  const index: EditionIndex = {
    words,
    wordIds: numbers('word.ids'),
    wordCounts: numbers('word.counts'),
    wordMasks: numbers('word.masks'),
    wordTerms: numbers('word.terms'),
    terms,
    termCounts: numbers('term.counts'),
    postingStarts,
    postingChunks: postingView(required('posting.chunks'), postingImpacts.length),
    postingImpacts,
    chunkWords: table('chunkWords'),
    headingWords: table('headingWords'),
    titleWords: table('titleWords'),
    articleOf: (chunk) => chunks[chunk * CHUNK_NUMBERS] ?? 0,
    headingOf: (chunk) => chunks[chunk * CHUNK_NUMBERS + 4] ?? 0,
    scores: new Float32Array(chunkCount),
    marks: new Uint8Array(terms.count),
  };
  const perWord = [index.wordIds, index.wordCounts, index.wordMasks, index.wordTerms];
  const agree =
    perWord.every(({ length }) => length === words.count) &&
    index.termCounts.length === terms.count &&
    postingStarts.length === terms.count + 1 &&
    index.chunkWords.count === chunkCount;
  if (!agree) throw unreadable('its index disagrees on how much there is');
  return index;
};

const decodeArticle = (bytes: Uint8Array): Omit<Article, 'text'> => {
  const [id = '', title = '', url = '', lastUpdated = '', author = '', intentCount = '0', ...tags] =
    decodeStrings(bytes);
  const intents = tags.slice(0, Number(intentCount) || 0);
  const article = { id, title, url, lastUpdated, intents, devices: tags.slice(intents.length) };
  return author === '' ? article : { ...article, author };
};
