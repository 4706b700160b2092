import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DocumentText } from './document-text.ts';
import { MAX_YOUNG_MIB, type ThreadBounds, watchThread } from './watch-thread.ts';

/** Endings of the files that are read here. */
export const DOCUMENT_ENDINGS = [
  '.docx',
  '.pdf',
  '.rst',
  '.adoc',
  '.asciidoc',
  '.ipynb',
  '.csv',
  '.tsv',
  '.xlsx',
] as const;
/** Endings of files that are read when they describe an HTTP interface. */
export const INTERFACE_ENDINGS = ['.yaml', '.yml', '.json'] as const;

const READ_HERE: ReadonlySet<string> = new Set([...DOCUMENT_ENDINGS, ...INTERFACE_ENDINGS]);

export function isDocument(path: string): boolean {
  return READ_HERE.has(extname(path).toLowerCase());
}

type ReadDocument = DocumentText | { problem: string };

export interface DocumentReader {
  /**
   * One at a time; a file that has not changed since is not read again.
   *
   * @param text What the file holds, where parts of other files were put into it.
   */
  read(file: string, text?: string): Promise<ReadDocument>;
  /** Ends the thread; the next document starts another. */
  close(): Promise<void>;
}

interface Bounds extends ThreadBounds {
  /** Limit of a file. */
  maxBytes: number;
}

const BOUNDS: Bounds = {
  maxBytes: 50 * 1024 * 1024,
  maxMs: 20_000,
  maxGrowthBytes: 768 * 1024 * 1024,
};
const MAX_HEAP_MIB = 512;
const MAX_KEPT_CHARACTERS = 50_000_000;

/**
 * Reads Word documents and PDFs as Markdown. Each is bounded in bytes, time and memory, whatever it holds; one that cannot be read has a
 * `problem`.
 */
export function documentReader(bounds: Bounds = BOUNDS): DocumentReader {
  const { maxBytes } = bounds;
  const kept = new Map<string, { version: string; read: ReadDocument }>();
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const readNow = async (file: string, text: string | undefined): Promise<ReadDocument> => {
    const { size, mtimeMs } = await stat(file);
    const version = `${size} ${mtimeMs} ${text === undefined ? '' : createHash('sha256').update(text).digest('hex')}`;
    const known = kept.get(file);
    if (known?.version === version) return known.read;
    const read =
      size > maxBytes
        ? { problem: `it is larger than ${maxBytes / 1024 / 1024} MiB` }
        : await convert(file, text);
    kept.delete(file);
    kept.set(file, { version, read });
    dropOldest(kept);
    return read;
  };

  const convert = async (file: string, text: string | undefined): Promise<ReadDocument> => {
    const bytes =
      text === undefined ? new Uint8Array(await readFile(file)) : new TextEncoder().encode(text);
    worker ??= startWorker();
    const result = await answerOf(worker, { ending: extname(file).toLowerCase(), bytes }, bounds);
    if (result.isOver) worker = undefined;
    return result.read;
  };

  return {
    read: (file, text) => {
      const read = last.then(() => readNow(file, text));
      last = read.catch(() => undefined);
      return read;
    },
    close: async () => {
      await worker?.terminate();
      worker = undefined;
    },
  };
}

/** Beside this file under its own ending: built, both are JavaScript. */
const startWorker = (): Worker => {
  const file = new URL(`./document-worker${extname(import.meta.url)}`, import.meta.url);
  const resourceLimits = {
    maxOldGenerationSizeMb: MAX_HEAP_MIB,
    maxYoungGenerationSizeMb: MAX_YOUNG_MIB,
  };
  // What libraries print about a document is dropped.
  return new Worker(file, { resourceLimits, stdout: true, stderr: true });
};

/** `isOver`: the thread has ended, by itself or because the document took too much. */
const answerOf = async (
  worker: Worker,
  task: { ending: string; bytes: Uint8Array<ArrayBuffer> },
  bounds: ThreadBounds,
): Promise<{ read: ReadDocument; isOver: boolean }> => {
  const { promise, resolve } = Promise.withResolvers<{ read: ReadDocument; isOver: boolean }>();
  const end = watchThread(worker, bounds, (problem) => {
    void worker.terminate();
    resolve({ read: { problem }, isOver: true });
  });
  const onMessage = (read: ReadDocument): void => resolve({ read, isOver: false });
  worker.once('message', onMessage);
  worker.ref();
  worker.postMessage(task, [task.bytes.buffer]);
  try {
    return await promise;
  } finally {
    end();
    worker.off('message', onMessage);
    // A thread that waits keeps no process alive.
    worker.unref();
  }
};

const dropOldest = (kept: Map<string, { read: ReadDocument }>): void => {
  let characters = 0;
  for (const { read } of kept.values()) characters += 'text' in read ? read.text.length : 0;
  for (const [file, { read }] of kept) {
    if (characters <= MAX_KEPT_CHARACTERS) return;
    characters -= 'text' in read ? read.text.length : 0;
    kept.delete(file);
  }
};
