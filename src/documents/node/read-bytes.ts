import { type DocumentText, NotReadable } from './document-text.ts';
import { pageReader, textReader } from './text-document.ts';

// Loaded with the first document of their kind: each library takes a tenth of a second.
const READERS: Record<string, () => Promise<(bytes: Uint8Array) => Promise<DocumentText>>> = {
  '.docx': async () => (await import('./docx-to-markdown.ts')).docxToMarkdown,
  '.pdf': async () => (await import('./pdf-to-markdown.ts')).pdfToMarkdown,
  '.rst': async () => pageReader((await import('./rst-to-markdown.ts')).rstToMarkdown),
  '.adoc': async () => pageReader((await import('./asciidoc-to-markdown.ts')).asciidocToMarkdown),
  '.asciidoc': async () =>
    pageReader((await import('./asciidoc-to-markdown.ts')).asciidocToMarkdown),
  '.ipynb': async () => textReader((await import('./notebook-to-markdown.ts')).notebookToMarkdown),
  '.csv': async () => textReader((await import('./csv-to-markdown.ts')).csvToMarkdown),
  '.tsv': async () => textReader((await import('./csv-to-markdown.ts')).csvToMarkdown),
  '.xlsx': async () => (await import('./xlsx-to-markdown.ts')).xlsxToMarkdown,
  '.yaml': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
  '.yml': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
  '.json': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
};

/** Reads a document by the ending of its name; `problem` says why it cannot be read. */
export async function readBytes(
  ending: string,
  bytes: Uint8Array,
): Promise<DocumentText | { problem: string }> {
  try {
    const read = await READERS[ending]?.();
    if (read === undefined) throw new NotReadable('it is of no kind that is read');
    return await read(bytes);
  } catch (error) {
    return { problem: error instanceof NotReadable ? error.message : 'it is damaged' };
  }
}
