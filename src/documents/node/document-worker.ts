/** Reads one document after the other in a thread of its own, which can be ended: documents come from anywhere. */
import { parentPort, workerData } from 'node:worker_threads';
import { readBytes } from './read-bytes.ts';

parentPort?.on('message', async ({ ending, bytes }: { ending: string; bytes: Uint8Array }) => {
  parentPort?.postMessage(await readBytes(ending, bytes));
});
// A thread of such a thread parses PDFs, and says when it can.
if (workerData?.pdf !== undefined) {
  await (await import('./pdf-thread.ts')).servePdf(workerData.pdf);
  parentPort?.postMessage('ready');
}
