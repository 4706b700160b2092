import type { Article } from './article.ts';
import { CHUNK_NUMBERS, tagOf } from './collect-words.ts';
import { readHeader, unreadable } from './edition-format.ts';
import { type EditionIndex, openIndex, type SectionReader, sectionReader } from './open-index.ts';
import {
  checkStarts,
  compareByBytes,
  decodeStrings,
  entryBytes,
  entryRange,
  entryText,
  findEntry,
} from './text-table.ts';

/** An article as stored in an edition; its text is stored in its chunks. */
export interface EditionArticle extends Omit<Article, 'text'> {
  /** Index in the edition, from 0, ordered by id. */
  index: number;
  /** Its first chunk. */
  firstChunk: number;
  /** The chunk after its last one. */
  endChunk: number;
}

/** A chunk as stored in an edition. */
export interface EditionChunk {
  /** Index in the edition, from 0. */
  index: number;
  /** Index of its article in the edition. */
  article: number;
  /** Index in its article, from 0. */
  position: number;
  /** Outermost first, without the article's title. */
  headingPath: string[];
  text: string;
  /** UTF-16 units into the article's text. */
  start: number;
  end: number;
  tokenCount: number;
}

/** A published state of a knowledge base, opened for reading. */
export interface Edition {
  id: string;
  workspace: string;
  /** ISO 8601. */
  createdAt: string;
  articleCount: number;
  chunkCount: number;
  /** Total occurrences of content words, the basis of a term's share. Counted on first use. */
  wordTotal: number;
  byteLength: number;
  /** @throws {RangeError} When there is no such chunk. */
  chunk: (index: number) => EditionChunk;
  /** @throws {RangeError} When there is no such article. */
  article: (index: number) => EditionArticle;
  /** Index of the article with this id, or -1. */
  findArticle: (id: string) => number;
  /** Indexes of the articles that have this intent or device, case-insensitive; empty if none does. */
  articlesTagged: (kind: 'intent' | 'device', value: string) => Uint32Array;
  /** All devices that articles name, in lower case, sorted. */
  devices: () => readonly string[];
  /** The section that `attachSection` added under this name. */
  section: (name: string) => Uint8Array | undefined;
  index: EditionIndex;
}

/**
 * Opens an edition: checks its structure and lays views over its bytes, without parsing or copying. The time does not grow
 * with the edition: entries of a section are checked when they are read.
 *
 * @param buffer The whole edition; a view whose offset is not a multiple of four is copied.
 * @throws {EditionFormatError} When the bytes are not an edition of this version, or are truncated or inconsistent.
 *   Reading an entry with a damaged offset throws it too. Damage inside texts and postings is not detected here (a
 *   checksum of the whole edition detects it) and never causes a read out of bounds.
 */
export const openEdition = (buffer: ArrayBuffer | Uint8Array): Edition => {
  const given = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const places = readHeader(bytes);
  const section = (name: string): Uint8Array | undefined => {
    const place = places.get(name);
    return place && bytes.subarray(place.start, place.start + place.length);
  };
  const reader = sectionReader(section);
  const index = openIndex(reader);
  const [id = '', workspace = '', createdAt = ''] = decodeStrings(reader.bytes('meta'));
  let wordTotal: number | undefined;
  return {
    id,
    workspace,
    createdAt,
    ...openArticles(reader, index),
    ...openTags(reader),
    get wordTotal() {
      wordTotal ??= index.termCounts.reduce((sum, count) => sum + count, 0);
      return wordTotal;
    },
    byteLength: bytes.byteLength,
    section,
    index,
  };
};

type Contents = Pick<Edition, 'articleCount' | 'chunkCount' | 'article' | 'chunk' | 'findArticle'>;

const openArticles = ({ numbers, table }: SectionReader, index: EditionIndex): Contents => {
  const chunks = numbers('chunks');
  const chunkCount = chunks.length / CHUNK_NUMBERS;
  const articles = table('articles');
  const articleChunks = numbers('article.chunks');
  const headings = table('headings');
  const texts = table('texts');
  checkStarts(articleChunks, chunkCount);
  const agrees =
    texts.count === chunkCount &&
    articleChunks.length === articles.count + 1 &&
    index.titleWords.count === articles.count &&
    index.labelWords.count === articles.count &&
    index.headingWords.count === headings.count;
  if (!agrees) throw unreadable('its contents disagree on how much there is');

  const article = (at: number): EditionArticle => {
    if (!(at >= 0 && at < articles.count)) throw new RangeError(`Cannot read article ${at} of ${articles.count}`);
    const { start: firstChunk, end: endChunk } = entryRange(articleChunks, at);
    return { ...decodeArticle(entryBytes(articles, at)), index: at, firstChunk, endChunk };
  };
  const chunk = (at: number): EditionChunk => {
    if (!(at >= 0 && at < chunkCount)) throw new RangeError(`Cannot read chunk ${at} of ${chunkCount}`);
    const [, start = 0, end = 0, tokenCount = 0] = chunks.subarray(at * CHUNK_NUMBERS);
    const inArticle = index.articleOf(at);
    const position = at - (articleChunks[inArticle] ?? at);
    const headingPath = decodeStrings(entryBytes(headings, index.headingOf(at)));
    return { index: at, article: inArticle, position, headingPath, text: entryText(texts, at), start, end, tokenCount };
  };
  const findArticle = (id: string): number => {
    let low = 0;
    let high = articles.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareByBytes(article(middle).id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low < articles.count && article(low).id === id ? low : -1;
  };
  return { articleCount: articles.count, chunkCount, article, chunk, findArticle };
};

const openTags = ({ numbers, table }: SectionReader): Pick<Edition, 'articlesTagged' | 'devices'> => {
  const tags = table('tags');
  const starts = numbers('tag.starts');
  const tagged = numbers('tag.articles');
  checkStarts(starts, tagged.length);
  if (starts.length !== tags.count + 1) throw unreadable('its tags disagree on how many there are');
  let devices: string[] | undefined;
  return {
    articlesTagged: (kind, value) => {
      const place = findEntry(tags, new TextEncoder().encode(tagOf(kind, value)));
      return place < 0 ? tagged.subarray(0, 0) : tagged.subarray(starts[place], starts[place + 1]);
    },
    devices: () => {
      const prefix = tagOf('device', '');
      devices ??= Array.from({ length: tags.count }, (_, at) => entryText(tags, at))
        .filter((tag) => tag.startsWith(prefix))
        .map((tag) => tag.slice(prefix.length));
      return devices;
    },
  };
};

const decodeArticle = (bytes: Uint8Array): Omit<Article, 'text'> => {
  const [id = '', title = '', url = '', lastUpdated = '', author = '', intentCount = '0', ...tags] =
    decodeStrings(bytes);
  const intents = tags.slice(0, Number(intentCount) || 0);
  const article = { id, title, url, lastUpdated, intents, devices: tags.slice(intents.length) };
  return author === '' ? article : { ...article, author };
};
