import { analyseText, utf8Length } from '../text/analyse-text.ts';
import { stem } from '../text/stem.ts';
import type { Article, Chunk, EditionEntry } from './article.ts';
import { compareByBytes, encodeStrings } from './text-table.ts';

/** A table under construction: the end offset of each entry, and the bytes of all entries. */
export interface GrowingTable {
  ends: GrowingNumbers;
  bytes: GrowingBytes;
}

/** Result of the first pass over the articles. Words and terms are numbered in order of appearance. */
export interface CollectedWords {
  words: Map<string, number>;
  /** By word: its term and its number of occurrences. */
  wordTerms: GrowingNumbers;
  wordCounts: GrowingNumbers;
  terms: Map<string, number>;
  /** By term: the number of chunks that contain it in any field, and its total occurrences. */
  termChunks: GrowingNumbers;
  /** By term: the number of chunks that contain it in title, headings or text. */
  termTextChunks: GrowingNumbers;
  termCounts: GrowingNumbers;
  /** Number of content words of all chunks by field; titles and labels count once per chunk of their article. */
  fieldLengths: FieldLengths;
  articles: GrowingTable;
  titleWords: GrowingTable;
  labelWords: GrowingTable;
  /** By article: the number of chunks up to and including its last one. */
  articleChunkEnds: GrowingNumbers;
  headings: GrowingTable;
  headingWords: GrowingTable;
  chunkWords: GrowingTable;
  /** By chunk: article, start, end, tokens and heading, consecutively. */
  chunkNumbers: GrowingNumbers;
  /** By chunk: the end of its text in UTF-8 bytes. The second pass writes the texts themselves. */
  textEnds: GrowingNumbers;
  /** By tag (`intent setup`, `device apollo`): the articles that have it. */
  tags: Map<string, number[]>;
}

export interface FieldLengths {
  title: number;
  label: number;
  heading: number;
  body: number;
}

/** Numbers per chunk in `chunkNumbers`. */
export const CHUNK_NUMBERS = 5;

/**
 * First pass: numbers and counts the words, and stores every chunk as a list of word ids.
 *
 * @returns `undefined` as soon as an article's id does not sort after the previous one.
 */
export const collectWords = (entries: Iterable<EditionEntry>): CollectedWords | undefined => {
  const collected = emptyCollection();
  const number = wordNumbering(collected);
  const headingOf = headingNumbering(collected, number);
  let previous: string | undefined;
  for (const { article, chunks } of entries) {
    if (previous !== undefined && compareByBytes(previous, article.id) >= 0) return undefined;
    previous = article.id;
    const articleIndex = collected.articles.ends.length();
    addEntry(collected.articles, encodeArticle(article));
    for (const tag of tagsOf(article)) {
      const articles = collected.tags.get(tag);
      if (articles === undefined) collected.tags.set(tag, [articleIndex]);
      else articles.push(articleIndex);
    }
    const title = number(article.title, collected.titleWords);
    const label = number(labelsOf(article), collected.labelWords);
    for (const chunk of chunks) addChunk(collected, chunk, { articleIndex, title, label, number, headingOf });
    collected.articleChunkEnds.push(collected.textEnds.length());
  }
  return collected;
};

type NumberWords = (text: string, table: GrowingTable) => number[];
interface Heading {
  index: number;
  words: number[];
}

const addChunk = (
  collected: CollectedWords,
  chunk: Chunk,
  parts: {
    articleIndex: number;
    title: number[];
    label: number[];
    number: NumberWords;
    headingOf: (path: readonly string[]) => Heading;
  },
): void => {
  const heading = parts.headingOf(chunk.headingPath);
  const body = parts.number(chunk.text, collected.chunkWords);
  countChunk(collected, { texts: [parts.title, heading.words, body], label: parts.label });
  collected.fieldLengths.title += parts.title.length;
  collected.fieldLengths.label += parts.label.length;
  collected.fieldLengths.heading += heading.words.length;
  collected.fieldLengths.body += body.length;
  for (const value of [parts.articleIndex, chunk.start, chunk.end, chunk.tokenCount, heading.index]) {
    collected.chunkNumbers.push(value);
  }
  const { textEnds } = collected;
  textEnds.push(textEnds.get(textEnds.length() - 1) + utf8Length(chunk.text));
};

/** Counts the chunk once for each of its terms. */
const countChunk = (
  { wordTerms, termChunks, termTextChunks }: CollectedWords,
  { texts, label }: { texts: readonly number[][]; label: readonly number[] },
): void => {
  const seen = new Set<number>();
  for (const words of texts) for (const word of words) seen.add(wordTerms.get(word));
  for (const term of seen) termTextChunks.set(term, termTextChunks.get(term) + 1);
  for (const word of label) seen.add(wordTerms.get(word));
  for (const term of seen) termChunks.set(term, termChunks.get(term) + 1);
};

/** Gives each new word an id and a term, and appends the words of a text to a table as varints. */
const wordNumbering = (collected: CollectedWords): NumberWords => {
  const { words, wordTerms, wordCounts, terms, termChunks, termTextChunks, termCounts } = collected;
  const addWord = (word: string): number => {
    const wordIndex = words.size;
    const stemmed = detached(stem(word));
    const term = terms.get(stemmed) ?? terms.size;
    if (term === terms.size) {
      terms.set(stemmed, term);
      termChunks.push(0);
      termTextChunks.push(0);
      termCounts.push(0);
    }
    words.set(detached(word), wordIndex);
    wordTerms.push(term);
    wordCounts.push(0);
    return wordIndex;
  };
  return (text, table) => {
    const numbers: number[] = [];
    analyseText(text, (word) => {
      const wordIndex = words.get(word) ?? addWord(word);
      const term = wordTerms.get(wordIndex);
      wordCounts.set(wordIndex, wordCounts.get(wordIndex) + 1);
      termCounts.set(term, termCounts.get(term) + 1);
      table.bytes.pushVarint(wordIndex);
      numbers.push(wordIndex);
    });
    table.ends.push(table.bytes.length());
    return numbers;
  };
};

/** Copies a string, as a substring may keep its whole parent string in memory. */
const detached = (piece: string): string => new TextDecoder().decode(new TextEncoder().encode(piece));

/** Knowledge bases repeat their headings, so each path is stored once. */
const headingNumbering = (collected: CollectedWords, number: NumberWords): ((path: readonly string[]) => Heading) => {
  const headings = new Map<string, Heading>();
  return (path) => {
    const key = JSON.stringify(path);
    const known = headings.get(key);
    if (known !== undefined) return known;
    addEntry(collected.headings, encodeStrings(path));
    const heading = { index: headings.size, words: number(path.join('\n'), collected.headingWords) };
    headings.set(key, heading);
    return heading;
  };
};

/** Normalises `intent` and `device` tags: trimmed, lower case, unique. */
export const tagOf = (kind: 'intent' | 'device', value: string): string => `${kind} ${value.trim().toLowerCase()}`;

const tagsOf = ({ intents, devices }: Article): Set<string> =>
  new Set([...intents.map((intent) => tagOf('intent', intent)), ...devices.map((device) => tagOf('device', device))]);

/** Searchable text of intents and devices: `not_hashing` is two words, and not also `nothashing`. */
const labelsOf = ({ intents, devices }: Article): string => [...intents, ...devices].join('\n').replaceAll('_', ' ');

const encodeArticle = ({ id, title, url, lastUpdated, author, intents, devices }: Article): Uint8Array =>
  encodeStrings([id, title, url, lastUpdated, author ?? '', String(intents.length), ...intents, ...devices]);

const addEntry = (table: GrowingTable, bytes: Uint8Array): void => {
  table.bytes.push(bytes);
  table.ends.push(table.bytes.length());
};

const growingTable = (): GrowingTable => ({ ends: growingNumbers(), bytes: growingBytes() });

const emptyCollection = (): CollectedWords => ({
  words: new Map(),
  wordTerms: growingNumbers(),
  wordCounts: growingNumbers(),
  terms: new Map(),
  termChunks: growingNumbers(),
  termTextChunks: growingNumbers(),
  termCounts: growingNumbers(),
  fieldLengths: { title: 0, label: 0, heading: 0, body: 0 },
  articles: growingTable(),
  titleWords: growingTable(),
  labelWords: growingTable(),
  articleChunkEnds: growingNumbers(),
  headings: growingTable(),
  headingWords: growingTable(),
  chunkWords: growingTable(),
  chunkNumbers: growingNumbers(),
  textEnds: growingNumbers(),
  tags: new Map(),
});

/** A growing buffer of bytes and numbers. */
interface GrowingBytes {
  length: () => number;
  /** Writes an integer from 0 to 2^32 - 1 as a varint: seven bits per byte, lowest first. */
  pushVarint: (value: number) => void;
  push: (bytes: Uint8Array) => void;
  /** Writes everything to the start of `target`. */
  copyTo: (target: Uint8Array) => void;
}

const BLOCK_BYTES = 65_536;

/** Stored in blocks, so that peak memory is the content plus one block. */
const growingBytes = (): GrowingBytes => {
  const blocks: Uint8Array[] = [];
  let block = new Uint8Array(0);
  let used = 0;
  let full = 0;
  const pushByte = (byte: number): void => {
    if (used === block.length) {
      full += used;
      block = new Uint8Array(BLOCK_BYTES);
      blocks.push(block);
      used = 0;
    }
    block[used++] = byte;
  };
  return {
    length: () => full + used,
    pushVarint: (value) => {
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) pushByte((rest % 128) | 128);
      pushByte(rest);
    },
    push: (bytes) => bytes.forEach(pushByte),
    copyTo: (target) => {
      let at = 0;
      for (const part of blocks) {
        const end = part === block ? used : part.length;
        target.set(part.subarray(0, end), at);
        at += end;
      }
    },
  };
};

interface GrowingNumbers {
  length: () => number;
  push: (value: number) => void;
  get: (at: number) => number;
  set: (at: number, value: number) => void;
  /** A view, valid until the next push. */
  view: () => Uint32Array;
}

/** A growing array of unsigned 32-bit numbers; doubles when full. */
const growingNumbers = (): GrowingNumbers => {
  let numbers = new Uint32Array(1024);
  let length = 0;
  return {
    length: () => length,
    push: (value) => {
      if (length === numbers.length) {
        const larger = new Uint32Array(length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = value;
    },
    get: (at) => numbers[at] ?? 0,
    set: (at, value) => {
      numbers[at] = value;
    },
    view: () => numbers.subarray(0, length),
  };
};
