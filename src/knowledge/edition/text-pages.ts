import { unreadable } from './edition-format.ts';
import {
  type GrowingNumbers,
  type GrowingTable,
  growingTable,
  openTextTable,
  type TextTable,
} from './text-table.ts';

/** Pages of an edition while it is built: stored beside it, so that texts take no memory. */
export interface EditionPages {
  write(page: number, bytes: Uint8Array<ArrayBuffer>): void;
  read(page: number): Uint8Array<ArrayBuffer> | undefined;
}

/** The texts and word ids of consecutive chunks. */
export interface TextPage {
  texts: TextTable;
  words: TextTable;
}

/** Bytes of texts and words on a page; one of a single long chunk has more. */
const PAGE_BYTES = 65_536;
/** Guess of the bytes of its words for each UTF-16 unit of a text. */
const WORD_SHARE = 0.25;

/** Distributes chunks over pages in their order; an article that fits on one page is not divided. */
export function pageWriter(pages: Pick<EditionPages, 'write'>, pageEnds: GrowingNumbers) {
  const encoder = new TextEncoder();
  let texts: Uint8Array[] = [];
  let words = growingTable();
  let bytes = 0;
  let chunks = 0;
  const flush = (): void => {
    if (texts.length === 0) return;
    pages.write(pageEnds.length(), encodePage(texts, words));
    pageEnds.push(chunks);
    texts = [];
    words = growingTable();
    bytes = 0;
  };
  return {
    startArticle: (length: number): void => {
      if (bytes + length * (1 + WORD_SHARE) > PAGE_BYTES) flush();
    },
    /** Table for the word ids of the next chunk. */
    wordsOf: (text: string): GrowingTable => {
      const encoded = encoder.encode(text);
      if (bytes + encoded.length + words.bytes.length() > PAGE_BYTES) flush();
      texts.push(encoded);
      bytes += encoded.length;
      chunks += 1;
      return words;
    },
    end: flush,
  };
}

/** The number of chunks, the starts of their texts, those of their words (each with the end of the last), then both. */
const encodePage = (texts: readonly Uint8Array[], words: GrowingTable): Uint8Array<ArrayBuffer> => {
  const count = texts.length;
  const textBytes = texts.reduce((sum, { length }) => sum + length, 0);
  const tables = 4 * (1 + 2 * (count + 1));
  const page = new Uint8Array(tables + textBytes + words.bytes.length());
  const numbers = new Uint32Array(page.buffer, 0, tables / 4);
  numbers[0] = count;
  let at = 0;
  for (const [place, text] of texts.entries()) {
    page.set(text, tables + at);
    at += text.length;
    numbers[2 + place] = at;
  }
  numbers.set(words.ends.view(), 3 + count);
  words.bytes.copyTo(page.subarray(tables + textBytes));
  return page;
};

/** @throws {EditionFormatError} When the bytes are no page. */
export function openPage(bytes: Uint8Array): TextPage {
  const given = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const count = given.length < 4 ? 0 : (new Uint32Array(given.buffer, given.byteOffset, 1)[0] ?? 0);
  const tables = 4 * (1 + 2 * (count + 1));
  if (tables > given.length) throw unreadable('a page is truncated');
  const numbers = new Uint32Array(given.buffer, given.byteOffset, tables / 4);
  const textStarts = numbers.subarray(1, count + 2);
  const textsEnd = tables + (textStarts[count] ?? 0);
  return {
    texts: openTextTable(textStarts, given.subarray(tables, textsEnd)),
    words: openTextTable(numbers.subarray(count + 2), given.subarray(textsEnd)),
  };
}
