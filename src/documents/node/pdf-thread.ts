import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { getResolvedPDFJS } from 'unpdf';
import type { PDFDocumentProxy, PDFWorker } from 'unpdf/pdfjs';
import { NotReadable } from './document-text.ts';
import { MAX_YOUNG_MIB, type ThreadBounds, watchThread } from './watch-thread.ts';

/** A step of reading, such as a page, takes too much; the thread that read it has been ended. */
export class TooMuch extends NotReadable {
  override name = 'TooMuch';
}

/** For opening a file, and for each page. */
const BOUNDS: ThreadBounds = { maxMs: 700, maxGrowthBytes: 128 * 1024 * 1024 };
const MAX_HEAP_MIB = 128;

/** An open file, whose parts the library reads in a thread of its own: it has no limits itself. */
export interface OpenPdf {
  pdf: PDFDocumentProxy;
  /**
   * Waits for what the library reads.
   *
   * @throws {TooMuch} When it takes too much; the file is closed then.
   */
  bounded<T>(step: Promise<T>): Promise<T>;
  isOpen(): boolean;
  /** Processor time that the library took since the file was opened, or the time on the clock where Node does not say. */
  usedMs(): Promise<number>;
  close(): Promise<void>;
  /** Ends the thread, where the library still reads and may never close. */
  end(): void;
}

/**
 * Folder of the tables of Chinese, Japanese and Korean characters that a file only names (ISO 32000-2, 9.7.5.2), of the library's own project.
 * Empty where that is not installed: what needs a table is left out and named then.
 */
const ENCODINGS = encodingsFolder();

function encodingsFolder(): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve('pdfjs-dist/package.json')), 'cmaps') + sep;
  } catch {
    return '';
  }
}

/** Whether there is a table for an encoding: `GBK-EUC-H`. */
export function hasEncoding(name: string): boolean {
  return existsSync(`${ENCODINGS}${name}.bcmap`);
}

interface PdfThread {
  thread: Worker;
  port: MessagePort;
  worker: PDFWorker;
}

/** Kept for the next file. */
let idle: PdfThread | undefined;

/** @throws {NotReadable} When it is encrypted, damaged, or takes too much. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const own = idle ?? (await startThread());
  idle = undefined;
  own.thread.ref();
  own.port.ref();
  const startMs = await timeOf(own.thread);
  const usedMs = async (): Promise<number> => (await timeOf(own.thread)) - startMs;
  let isOpen = true;
  const bounded = async <T>(step: Promise<T>): Promise<T> => {
    try {
      return await within(own.thread, step);
    } catch (error) {
      if (error instanceof TooMuch) isOpen = false;
      throw error;
    }
  };
  const { getDocument } = await getResolvedPDFJS();
  // The library takes the bytes away.
  const task = getDocument({
    data: bytes.slice(),
    worker: own.worker,
    enableXfa: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    cMapUrl: ENCODINGS === '' ? undefined : ENCODINGS,
    cMapPacked: true,
    stopAtErrors: false,
    verbosity: 0,
  });
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    await bounded(task.destroy()).catch(() => undefined);
    // A thread that waits keeps no process alive.
    own.thread.unref();
    own.port.unref();
    if (isOpen) idle = own;
    isOpen = false;
  };
  const end = (): void => {
    isOpen = false;
    void own.thread.terminate();
  };
  try {
    const pdf = await bounded(task.promise);
    return { pdf, bounded, isOpen: () => isOpen, usedMs, close, end };
  } catch (error) {
    await close();
    if (error instanceof TooMuch) throw error;
    const isEncrypted = error instanceof Error && error.name === 'PasswordException';
    throw new NotReadable(isEncrypted ? 'it is encrypted' : 'it is damaged or no PDF', {
      cause: error,
    });
  }
}

async function timeOf(thread: Worker): Promise<number> {
  if (typeof thread.cpuUsage !== 'function') return performance.now();
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

/** The file of a thread that reads documents, which is there under its own ending. */
async function startThread(): Promise<PdfThread> {
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(
    new URL(`./document-worker${extname(import.meta.url)}`, import.meta.url),
    {
      workerData: { pdf: port2 },
      transferList: [port2],
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MIB,
        maxYoungGenerationSizeMb: MAX_YOUNG_MIB,
      },
      stdout: true,
      stderr: true,
    },
  );
  // Loading the library is no part of reading a file.
  await once(thread, 'message');
  const { PDFWorker } = await getResolvedPDFJS();
  return { thread, port: port1, worker: new PDFWorker({ port: port1 as unknown as null }) }; // the types of the library know no ports
}

async function within<T>(thread: Worker, step: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = watchThread(thread, BOUNDS, (problem) => {
    void thread.terminate();
    reject(new TooMuch(problem));
  });
  // What is read goes on until the thread has ended.
  step.catch(() => undefined);
  try {
    return await Promise.race([step, promise]);
  } finally {
    end();
  }
}

/** What a thread does that parses: it answers the library of the thread that has started it. */
export async function servePdf(port: MessagePort): Promise<void> {
  await getResolvedPDFJS();
  // The library leaves it here for pages of the web without threads.
  const { pdfjsWorker } = globalThis as unknown as {
    pdfjsWorker: { WorkerMessageHandler: { initializeFromPort(port: MessagePort): void } };
  };
  pdfjsWorker.WorkerMessageHandler.initializeFromPort(port);
  port.start();
}
