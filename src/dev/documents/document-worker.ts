/** Reads one document after the other in a thread of its own, which can be ended: documents come from anywhere. */
import { parentPort } from 'node:worker_threads';
import { type DocumentText, NotReadable } from './document-text.ts';
import { pageReader, textReader } from './text-document.ts';

// Loaded with the first document of their kind: each library takes a tenth of a second.
const READERS: Record<string, () => Promise<(bytes: Uint8Array) => Promise<DocumentText>>> = {
  '.docx': async () => (await import('./docx-to-markdown.ts')).docxToMarkdown,
  '.pdf': async () => (await import('./pdf-to-markdown.ts')).pdfToMarkdown,
  '.rst': async () => pageReader((await import('./rst-to-markdown.ts')).rstToMarkdown),
  '.adoc': async () => pageReader((await import('./asciidoc-to-markdown.ts')).asciidocToMarkdown),
  '.asciidoc': async () => pageReader((await import('./asciidoc-to-markdown.ts')).asciidocToMarkdown),
  '.ipynb': async () => textReader((await import('./notebook-to-markdown.ts')).notebookToMarkdown),
  '.csv': async () => textReader((await import('./csv-to-markdown.ts')).csvToMarkdown),
  '.tsv': async () => textReader((await import('./csv-to-markdown.ts')).csvToMarkdown),
  '.xlsx': async () => (await import('./xlsx-to-markdown.ts')).xlsxToMarkdown,
  '.yaml': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
  '.yml': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
  '.json': async () => textReader((await import('./openapi-to-articles.ts')).openApiToArticles),
};

parentPort?.on('message', async ({ ending, bytes }: { ending: string; bytes: Uint8Array }) => {
  try {
    const read = await READERS[ending]?.();
    if (read === undefined) throw new NotReadable('it is of no kind that is read');
    parentPort?.postMessage(await read(bytes));
  } catch (error) {
    const problem = error instanceof NotReadable ? error.message : 'it is damaged';
    parentPort?.postMessage({ problem });
  }
});
