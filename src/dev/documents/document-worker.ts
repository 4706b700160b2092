/** Reads one document after the other in a thread of its own, which can be ended: documents come from anywhere. */
import { parentPort } from 'node:worker_threads';
import { NotReadable } from './document-text.ts';

// Loaded with the first document of their kind: each library takes a tenth of a second.
const READERS = {
  '.docx': async () => (await import('./docx-to-markdown.ts')).docxToMarkdown,
  '.pdf': async () => (await import('./pdf-to-markdown.ts')).pdfToMarkdown,
};

parentPort?.on('message', async ({ ending, bytes }: { ending: keyof typeof READERS; bytes: Uint8Array }) => {
  try {
    const read = await READERS[ending]();
    parentPort?.postMessage(await read(bytes));
  } catch (error) {
    const problem = error instanceof NotReadable ? error.message : 'it is damaged';
    parentPort?.postMessage({ problem });
  }
});
