import { constants, inflateRawSync } from 'node:zlib';
import type { Nodes, Root } from 'hast';
import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { markdownOfHtml } from '../read-html.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { type CellSpan, cellSpansIn, type PackedObjects } from './pdf-cell-spans.ts';
import { linesOfPage, type PdfLine, readLines } from './pdf-lines.ts';
import { addDrawn, type PdfItem } from './pdf-text.ts';
import { hasEncoding, openPdf, TooMuch } from './pdf-thread.ts';
import { readTaggedPage, type TagNode } from './tagged-pdf.ts';

const MAX_PAGES = 2000;
/** Pieces of text and borders of marked parts of all pages together, and their characters: a page may show the content of others. */
const MAX_ITEMS = 80_000;
const MAX_CHARACTERS = 600_000;
/** Pages that cannot be read after which no other is tried. */
const MAX_DAMAGED = 20;
/** Pages that take too much after which the rest is left out. */
const MAX_TOO_MUCH = 2;
/**
 * Processor time of all pages: at the most, and by what the file holds. Of a hundred files from collections of others none takes more than
 * 2 ms a kilobyte of its streams that are no images, beyond the first 0.5 s; many pages of the same content do.
 */
const MAX_MS = 15_000;
const LEAST_MS = 600;
const MS_PER_KILOBYTE = 3;

/**
 * Markdown of a PDF. A tagged one says itself what are headings, lists and tables; of another its lines tell: larger type is a heading, a
 * number or bullet begins an item, and what stands on most pages at the same place is left out.
 *
 * @throws {NotReadable} When it is encrypted, damaged, or has no text.
 */
export async function pdfToMarkdown(bytes: Uint8Array): Promise<DocumentText> {
  checkContents(bytes);
  const { packedBytes, objects } = readStreams(bytes);
  hideMetadata(bytes);
  const maxMs = Math.min(MAX_MS, LEAST_MS + (MS_PER_KILOBYTE * packedBytes) / 1024);
  const spans = cellSpansIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), objects);
  const { tagged, lines, title, warnings, problem } = await readPages(bytes, { maxMs, spans });
  const encodings = unreadEncodings(bytes, objects);
  if (encodings.length > 0)
    warnings.push(
      `Left out text in fonts with an encoding that is not read: ${encodings.join(', ')}`,
    );
  const pages = holdsMost(tagged, lines) ? tagged : readLines(lines);
  const text = pages
    .map((page) => markdownOfHtml(page))
    .filter((markdown) => markdown !== '')
    .join('\n\n');
  if (text === '')
    throw new NotReadable(
      problem ?? 'it has no text, like scanned pages: run text recognition (OCR) over it first',
    );
  return {
    text,
    title: typeof title === 'string' ? title : undefined,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** A stream of text, fonts or objects, unpacked; images are not unpacked. */
const MAX_STREAM_BYTES = 32 * 1024 * 1024;
/** How often what is unpacked is packed itself. */
const MAX_FILTERS = 8;
const MAX_DICTIONARY = 2000;
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;

interface Streams {
  /** Bytes of all streams that are no images, as they are packed. */
  packedBytes: number;
  /** Streams of objects, unpacked, up to a limit of all of them. */
  objects: PackedObjects[];
}

/** Unpacks each stream once, as the library does it without a limit. What it says of its own size may be wrong. */
function readStreams(bytes: Uint8Array): Streams {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const streams: Streams = { packedBytes: 0, objects: [] };
  let left = MAX_OBJECT_BYTES;
  let end = 0;
  for (let at = file.indexOf('stream'); at !== -1; at = file.indexOf('stream', at + 6)) {
    const dictionary = file.toString('latin1', Math.max(0, at - MAX_DICTIONARY), at);
    const own = dictionary.slice(dictionary.lastIndexOf(' obj') + 1);
    if (dictionary.endsWith('end') || /\/Subtype\s{0,9}\/Image/.test(own)) continue;
    const start = at + 6 + (file[at + 6] === 13 ? 2 : 1);
    // None is sought again once there is none.
    if (end < start) end = file.indexOf('endstream', start);
    if (end === -1) end = file.length;
    streams.packedBytes += end - start;
    if (!own.includes('/Fl')) continue;
    let packed: Buffer = file.subarray(start);
    for (let filters = 0; filters < MAX_FILTERS && isDeflated(packed); filters += 1)
      packed = unpacked(packed);
    if (!/\/ObjStm\b/.test(own) || packed.length > left) continue;
    left -= packed.length;
    streams.objects.push({ dictionary: own, text: packed.toString('latin1') });
  }
  return streams;
}

/** Bytes of the references to the parts of a page: some ten thousand. */
const MAX_CONTENTS = 100_000;

/** A page may name the same part as often as it likes, and the library joins them all before it reads. */
function checkContents(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = file.indexOf(CONTENTS); at !== -1; at = file.indexOf(CONTENTS, at + 1)) {
    const rest = file.subarray(at + CONTENTS.length, at + CONTENTS.length + MAX_CONTENTS);
    if (
      /^\s*\[/.test(rest.toString('latin1', 0, 20)) &&
      rest.length === MAX_CONTENTS &&
      !rest.includes(']')
    )
      throw new NotReadable('a page of it has too many parts');
  }
}

const CONTENTS = '/Contents';

/** The library makes a tree of the metadata in XML, however large they are; the title that is read is none of them. */
function hideMetadata(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = file.indexOf(METADATA); at !== -1; at = file.indexOf(METADATA, at + 1))
    file.write('/Unread__', at);
}

const METADATA = '/Metadata';

const MAX_ENCODINGS = 5;
const ENCODING = /\/Encoding\s{0,3}\/((?!Identity-)[A-Za-z0-9-]{1,30}-[HV]|[HV])\b/g;

/** Encodings of Chinese, Japanese and Korean fonts that a file only names (ISO 32000-2, 9.7.5.2), and that no table is there for. */
function unreadEncodings(bytes: Uint8Array, objects: readonly PackedObjects[]): string[] {
  const names = new Set<string>();
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  for (const text of [file, ...objects.map((each) => each.text)])
    for (const [, name = ''] of text.matchAll(ENCODING)) if (!hasEncoding(name)) names.add(name);
  return [...names].slice(0, MAX_ENCODINGS);
}

/** How such data begin (RFC 1950, 2.2). */
const isDeflated = (data: Uint8Array): boolean =>
  data.length > 2 &&
  ((data[0] ?? 0) & 15) === 8 &&
  (((data[0] ?? 0) << 8) | (data[1] ?? 0)) % 31 === 0;

/** Without the checksum, which may be wrong, or missing. */
function unpacked(packed: Uint8Array): Buffer {
  try {
    return inflateRawSync(packed.subarray(2), {
      maxOutputLength: MAX_STREAM_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    if (error instanceof RangeError)
      throw new NotReadable(
        `a part of it unpacks to more than ${MAX_STREAM_BYTES / 1024 / 1024} MiB`,
      );
    return Buffer.alloc(0);
  }
}

interface PdfPages {
  tagged: Root[];
  lines: PdfLine[][];
  title: unknown;
  warnings: string[];
  /** Why some of it could not be read. */
  problem: string | undefined;
}

async function readPages(
  bytes: Uint8Array,
  { maxMs, spans }: { maxMs: number; spans: ReadonlyMap<string, CellSpan> },
): Promise<PdfPages> {
  const pages: PdfPages = {
    tagged: [],
    lines: [],
    title: undefined,
    warnings: [],
    problem: undefined,
  };
  const budget: Budget = { items: MAX_ITEMS, characters: MAX_CHARACTERS };
  const fonts: PdfFonts = { fixed: new Set(), unreadable: new Set() };
  let damaged = 0;
  let usedMs = 0;
  let file = await openPdf(bytes);
  const { numPages } = file.pdf;
  pages.title = await file.bounded(titleOf(file.pdf));
  let number = 0;
  while (
    number < Math.min(numPages, MAX_PAGES) &&
    isLeft(budget) &&
    damaged < MAX_DAMAGED &&
    usedMs < maxMs
  ) {
    number += 1;
    const items: PdfItem[] = [];
    try {
      const tree = await file.bounded(readPage(file.pdf, { number, items, budget, fonts }));
      if (tree !== null) pages.tagged.push(readTaggedPage(tree, items, spans));
      usedMs = await file.usedMs();
    } catch (error) {
      damaged += 1;
      pages.problem = 'it is damaged';
      if (!(error instanceof TooMuch)) continue;
      pages.problem = error.message;
      pages.warnings.push(`Left out what follows on page ${number}: ${error.message}`);
    }
    pages.lines.push(linesOfPage(items));
    if (!file.isOpen()) {
      if (pages.warnings.length >= MAX_TOO_MUCH || number >= numPages) break;
      file = await openPdf(bytes);
    }
  }
  if (isLeft(budget)) await file.close();
  else file.end();
  const left = damaged - pages.warnings.length;
  if (left > 0)
    pages.warnings.push(
      `Left out ${left} ${left === 1 ? 'page that is' : 'pages that are'} damaged`,
    );
  if (fonts.unreadable.size > 0) {
    pages.warnings.push('Left out text in fonts that do not say which letters they show');
    pages.problem ??=
      'its fonts do not say which letters they show: run text recognition (OCR) over it first';
  }
  if (usedMs >= maxMs) pages.problem ??= 'reading it takes too long';
  if (number < numPages || !isLeft(budget))
    pages.warnings.push(
      `Cut after ${number} of ${numPages} pages: ${usedMs >= maxMs ? 'reading more takes too long' : 'the document has more than is read'}`,
    );
  return pages;
}

async function titleOf(pdf: PDFDocumentProxy): Promise<unknown> {
  const { info } = await pdf.getMetadata();
  return (info as { Title?: unknown }).Title; // the library's type is Object; looked at here
}

/** What may still be read of all pages. */
interface Budget {
  items: number;
  characters: number;
}

const isLeft = ({ items, characters }: Budget): boolean => items > 0 && characters > 0;

/** @returns The tags of the page. */
async function readPage(
  pdf: PDFDocumentProxy,
  {
    number,
    items,
    budget,
    fonts,
  }: { number: number; items: PdfItem[]; budget: Budget; fonts: PdfFonts },
): Promise<TagNode | null> {
  const page = await pdf.getPage(number);
  const reader = page.streamTextContent({ includeMarkedContent: true }).getReader();
  while (isLeft(budget)) {
    const { value, done } = await reader.read();
    if (done) break;
    const part = value as { items: PdfItem[]; styles: Record<string, { fontFamily?: string }> };
    // Each part names the fonts that the ones before it have not named.
    for (const [font, { fontFamily }] of Object.entries(part.styles))
      if (fontFamily === 'monospace') fonts.fixed.add(font);
    for (const item of part.items) {
      budget.items -= 1;
      budget.characters -= item.str?.length ?? 0;
      if (isLeft(budget)) addDrawn(items, item);
    }
  }
  readFonts(items, fonts);
  // One that is cut goes on, and answers nothing else.
  if (!isLeft(budget)) return null;
  // The library gives null for a page without tags, and leaves that out of its types.
  const tree = (await page.getStructTree()) as TagNode | null;
  page.cleanup();
  return tree;
}

/** Some programs tag a part of a document alone. */
const holdsMost = (tagged: readonly Root[], lines: readonly PdfLine[][]): boolean => {
  const letters = (text: string): number => text.replaceAll(/\s/g, '').length;
  const all = lines.flat().reduce((sum, { text }) => sum + letters(text), 0);
  return tagged.reduce((sum, page) => sum + letters(wordsOf(page)), 0) > 0.8 * all;
};

const wordsOf = (node: Nodes): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(wordsOf).join('') : '';

/** Letters of scripts in which all have one width, whatever their font. */
const WIDE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/gu;
const MAX_WIDE = 0.3;
/** What no letter is: controls, and characters that are not assigned. */
const NO_LETTER = /(?![\t\n\r])[\p{Cc}\p{Cn}]/gu;
/** Signs before items are single characters of such fonts. */
const MIN_LENGTH = 3;
const MIN_COUNT = 3;
const MAX_SHARE = 0.02;

/** What is known of the fonts of a file, by the names that the library gives them. */
interface PdfFonts {
  /** Those whose letters have the same width. */
  fixed: Set<string>;
  /**
   * Those that show glyphs by number and do not say which letters they are (ISO 32000-2, 9.10.2): the library takes the numbers for
   * characters, and those of spaces and digits mostly are controls.
   */
  unreadable: Set<string>;
}

/** Empties the text of a page that no one can read, and marks what is set in a font of one width. */
function readFonts(items: readonly PdfItem[], { fixed, unreadable }: PdfFonts): void {
  const byFont = Map.groupBy(items, ({ fontName = '' }) => fontName);
  for (const [font, own] of byFont) {
    if (font === '') continue;
    if (isUnreadable(own)) unreadable.add(font);
    if (unreadable.has(font)) for (const item of own) item.str = '';
    const isFixed =
      fixed.has(font) && shareOf(WIDE, own.map(({ str = '' }) => str).join('')) <= MAX_WIDE;
    for (const item of own) item.isFixed = isFixed;
  }
}

function isUnreadable(items: readonly PdfItem[]): boolean {
  const text = items.flatMap(({ str = '' }) => (str.length < MIN_LENGTH ? [] : [str])).join('');
  return countOf(NO_LETTER, text) >= MIN_COUNT && shareOf(NO_LETTER, text) > MAX_SHARE;
}

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;
const shareOf = (pattern: RegExp, text: string): number =>
  countOf(pattern, text) / Math.max(1, text.length);
