import type { Nodes, Root } from 'hast';
import { getDocumentProxy } from 'unpdf';
import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { markdownOfHtml } from '../../documents/read-html.ts';
import { type DocumentText, NotReadable } from './document-text.ts';
import { linesOfPage, type PdfLine, readLines } from './pdf-lines.ts';
import type { PdfItem } from './pdf-text.ts';
import { readTaggedPage, type TagNode } from './tagged-pdf.ts';

const MAX_PAGES = 2000;

/**
 * Markdown of a PDF. A tagged one says itself what are headings, lists and tables; of another its lines tell: larger type is a heading, a
 * number or bullet begins an item, and what stands on most pages at the same place is left out.
 *
 * @throws {NotReadable} When it is encrypted, damaged, has too many pages, or no text.
 */
export const pdfToMarkdown = async (bytes: Uint8Array): Promise<DocumentText> => {
  const pdf = await openPdf(bytes);
  if (pdf.numPages > MAX_PAGES) throw new NotReadable(`it has ${pdf.numPages} pages, more than ${MAX_PAGES}`);
  const tagged: Root[] = [];
  const lines: PdfLine[][] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const items: PdfItem[] = (await page.getTextContent({ includeMarkedContent: true })).items;
    // The library gives null for a page without tags, and leaves that out of its types.
    const tree = (await page.getStructTree()) as TagNode | null;
    if (tree !== null) tagged.push(readTaggedPage(tree, items));
    lines.push(linesOfPage(items));
    page.cleanup();
  }
  const pages = holdsMost(tagged, lines) ? tagged : readLines(lines);
  const text = pages
    .map((page) => markdownOfHtml(page))
    .filter((markdown) => markdown !== '')
    .join('\n\n');
  if (text === '')
    throw new NotReadable('it has no text, like scanned pages: run text recognition (OCR) over it first');
  const { info } = await pdf.getMetadata();
  const { Title: title } = info as { Title?: unknown }; // the library's type is Object; looked at here
  return { text, title: typeof title === 'string' ? title : undefined };
};

const openPdf = async (bytes: Uint8Array): Promise<PDFDocumentProxy> => {
  try {
    return await getDocumentProxy(bytes, {
      ...{ isEvalSupported: false, enableXfa: false, useSystemFonts: false, disableFontFace: true },
      ...{ useWorkerFetch: false, stopAtErrors: false, verbosity: 0 },
    });
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === 'PasswordException';
    throw new NotReadable(isEncrypted ? 'it is encrypted' : 'it is damaged or no PDF', { cause: error });
  }
};

/** Some programs tag a part of a document alone. */
const holdsMost = (tagged: readonly Root[], lines: readonly PdfLine[][]): boolean => {
  const letters = (text: string): number => text.replaceAll(/\s/g, '').length;
  const all = lines.flat().reduce((sum, { text }) => sum + letters(text), 0);
  return tagged.reduce((sum, page) => sum + letters(wordsOf(page)), 0) > 0.8 * all;
};

const wordsOf = (node: Nodes): string =>
  node.type === 'text' ? node.value : 'children' in node ? node.children.map(wordsOf).join('') : '';
