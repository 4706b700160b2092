import { TRANSLATED_SECTION, type TranslatedArticle } from '../../documents/group-translations.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { Article } from '../articles/article.ts';
import { type ChunkTexts, openTexts, type PageSource } from './chunk-texts.ts';
import { CHUNK_NUMBERS, tagOf } from './collect-words.ts';
import { readHeader, unreadable } from './edition-format.ts';
import type { NearChunk } from './nearest-rows.ts';
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
export interface EditionArticle extends Omit<Article, 'text' | 'audiences'> {
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
  /** Outermost first, without the article's title. */
  headingPath: string[];
  text: string;
  /** UTF-16 units into the article's text. */
  start: number;
  end: number;
}

/** A published state of a knowledge base, opened for reading. */
export interface Edition {
  id: string;
  workspace: string;
  /** ISO 8601. */
  createdAt: string;
  /** Languages of the articles (BCP 47), the most frequent first; empty when none could be detected. */
  languages: readonly string[];
  articleCount: number;
  chunkCount: number;
  /** Chunks that document frequencies count; more than `chunkCount` in an edition of some passages. */
  chunkTotal: number;
  /** Total occurrences of content words, the basis of a term's share. Counted on first use. */
  wordTotal: number;
  byteLength: number;
  /** @throws {RangeError} When there is no such chunk. @throws {PagesMissing} When its text is not in memory. */
  chunk: (index: number) => EditionChunk;
  /** The headings above a chunk, outermost first; always in memory. @throws {RangeError} When there is no such chunk. */
  headingPath: (chunk: number) => string[];
  /** @throws {RangeError} When there is no such article. */
  article: (index: number) => EditionArticle;
  /** Index of the article with this id, or -1. */
  findArticle: (id: string) => number;
  /** Language and translation key of an article; only an edition with articles for some audiences has them. */
  translated: (article: number) => Pick<TranslatedArticle, 'language' | 'translationKey'>;
  /** Indexes of the articles that have this intent or device, case-insensitive; empty if none does. */
  articlesTagged: (kind: 'intent' | 'device', value: string) => Uint32Array;
  /** All devices that articles name, in lower case, sorted. */
  devices: () => readonly string[];
  /** The section that `attachSection` added under this name. */
  section: (name: string) => Uint8Array | undefined;
  index: EditionIndex;
  texts: ChunkTexts;
  /**
   * In an edition of hits: what an index found closest to a search that it was made for, by `questionText`; `late` when the vector of the
   * search was not there in time.
   */
  meanings?:
    | ((text: string) => { model: string; near: readonly NearChunk[] } | 'late' | undefined)
    | undefined;
  /** Present if this is what some audiences may read of another edition (`editionFor`). */
  narrowed?:
    | { from: Edition; articles: Uint32Array; chunks: Uint32Array; ownChunks: Int32Array }
    | undefined;
}

/**
 * Opens an edition: checks its structure and lays views over its bytes, without parsing or copying. The time does not grow
 * with the edition: entries of a section are checked when they are read.
 *
 * @param buffer The whole edition; a view whose offset is not a multiple of four is copied.
 * @param pages The pages of an edition whose texts are beside it; without them no text of it can be read.
 * @throws {EditionFormatError} When the bytes are not an edition of this version, or are truncated or inconsistent.
 *   Reading an entry with a damaged offset throws it too. Damage inside texts and postings is not detected here (a
 *   checksum of the whole edition detects it) and never causes a read out of bounds.
 */
export function openEdition(buffer: ArrayBuffer | Uint8Array, pages?: PageSource): Edition {
  const given = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  const places = readHeader(bytes);
  const section = (name: string): Uint8Array | undefined => {
    const place = places.get(name);
    return place && bytes.subarray(place.start, place.start + place.length);
  };
  const reader = sectionReader(section);
  const index = openIndex(reader);
  const [id = '', workspace = '', createdAt = '', ...languages] = decodeStrings(
    reader.bytes('meta'),
  );
  let wordTotal: number | undefined;
  let translated: string[] | undefined;
  return {
    id,
    workspace,
    createdAt,
    languages,
    ...openArticles(reader, index, pages),
    ...openTags(reader),
    chunkTotal: index.scores.length,
    translated: (article) => {
      translated ??= decodeStrings(section(TRANSLATED_SECTION) ?? new Uint8Array(0));
      const [language = '', translationKey = ''] = translated.slice(2 * article, 2 * article + 2);
      return { language: language || undefined, translationKey: translationKey || undefined };
    },
    get wordTotal() {
      wordTotal ??= index.termCounts.reduce((sum, count) => sum + count, 0);
      return wordTotal;
    },
    byteLength: bytes.byteLength,
    section,
    index,
  };
}

type Contents = Pick<
  Edition,
  'articleCount' | 'chunkCount' | 'article' | 'chunk' | 'findArticle' | 'headingPath' | 'texts'
>;

const openArticles = (
  reader: SectionReader,
  index: EditionIndex,
  pages: PageSource | undefined,
): Contents => {
  const { numbers, table } = reader;
  const chunks = numbers('chunks');
  const chunkCount = chunks.length / CHUNK_NUMBERS;
  const articles = table('articles');
  const articleChunks = numbers('article.chunks');
  const headings = table('headings');
  const texts = openTexts(reader, chunkCount, pages);
  checkStarts(articleChunks, chunkCount);
  const agrees =
    articleChunks.length === articles.count + 1 &&
    index.titleWords.count === articles.count &&
    index.labelWords.count === articles.count &&
    index.headingWords.count === headings.count;
  if (!agrees) throw unreadable('its contents disagree on how much there is');

  const article = (at: number): EditionArticle => {
    if (!(at >= 0 && at < articles.count))
      throw new RangeError(`Cannot read article ${at} of ${articles.count}`);
    const { start: firstChunk, end: endChunk } = entryRange(articleChunks, at);
    return { ...decodeArticle(entryBytes(articles, at)), index: at, firstChunk, endChunk };
  };
  const headingPath = (at: number): string[] => {
    if (!(at >= 0 && at < chunkCount))
      throw new RangeError(`Cannot read chunk ${at} of ${chunkCount}`);
    return decodeStrings(entryBytes(headings, index.headingOf(at)));
  };
  const chunk = (at: number): EditionChunk => {
    const path = headingPath(at);
    const [, start = 0, end = 0] = chunks.subarray(at * CHUNK_NUMBERS);
    const inArticle = index.articleOf(at);
    const text = texts.text(at);
    return { index: at, article: inArticle, headingPath: path, text, start, end };
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
  return {
    articleCount: articles.count,
    chunkCount,
    article,
    chunk,
    findArticle,
    headingPath,
    texts,
  };
};

const openTags = ({
  numbers,
  table,
}: SectionReader): Pick<Edition, 'articlesTagged' | 'devices'> => {
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

const decodeArticle = (bytes: Uint8Array): Omit<Article, 'text' | 'audiences'> => {
  const [id = '', title = '', url = '', lastUpdated = '', author = '', intentCount = '0', ...tags] =
    decodeStrings(bytes);
  const intents = tags.slice(0, Number(intentCount) || 0);
  const article = { id, title, url, lastUpdated, intents, devices: tags.slice(intents.length) };
  return author === '' ? article : { ...article, author };
};

/** A decoded chunk with its article. Shared between callers: do not modify. */
export interface CachedChunk extends Readonly<EditionChunk> {
  readonly source: EditionArticle;
}

/** Maximum number of cached chunks, and of cached articles, per edition. */
const MAX_CACHED = 500;

/** A decoded chunk, from an LRU cache of 500. */
export function cachedChunk(edition: Edition, index: number): CachedChunk {
  return recent(shelvesOf(edition).chunks, index, () => {
    const chunk = edition.chunk(index);
    return { ...chunk, source: cachedArticle(edition, chunk.article) };
  });
}

/** A decoded article, from an LRU cache of 500. */
export function cachedArticle(edition: Edition, index: number): EditionArticle {
  return recent(shelvesOf(edition).articles, index, () => edition.article(index));
}

const shelvesOf = oncePer((_: Edition) => ({
  chunks: new Map<number, CachedChunk>(),
  articles: new Map<number, EditionArticle>(),
}));

/** Reads or creates a cache entry; the least recently used one is evicted. */
const recent = <Value>(cache: Map<number, Value>, key: number, make: () => Value): Value => {
  const known = cache.get(key);
  if (known !== undefined) {
    // Reordering costs more than it gains while the cache is not full.
    if (cache.size < MAX_CACHED) return known;
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const value = make();
  if (cache.size >= MAX_CACHED) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(key, value);
  return value;
};
