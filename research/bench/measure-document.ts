/** `node measure-document.ts <number>`: reads one hostile document in a process of its own, and prints what that took as JSON. */
import { setTimeout as wait } from 'node:timers/promises';
import { splitFrontMatter } from '../../src/documents/front-matter.ts';
import { readBytes } from '../../src/documents/node/read-bytes.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import { type HostileDocument, hostileDocuments } from './hostile-documents.ts';

const TEXTS = new Set(['md', 'mdx', 'html', 'txt']);

/** What reading a document leaves. */
interface DocumentOutcome {
  characters: number;
  articles: number;
  warnings: string[];
  problem?: string | undefined;
}

/** As it is printed. */
export interface MeasuredDocument extends DocumentOutcome {
  /** Processor time. */
  ms: number;
  /** By which the memory of the process grew. */
  bytes: number;
  /** Bytes or characters of the document. */
  size: number;
}

async function read(ending: string, content: string | Uint8Array): Promise<DocumentOutcome> {
  if (TEXTS.has(ending)) {
    const { body, warnings } = splitFrontMatter(String(content));
    const document = readDocument(body, { path: `a.${ending}` });
    return {
      characters: document.text.length,
      articles: 1,
      warnings: [...warnings, ...document.warnings],
    };
  }
  const document = await readBytes(`.${ending}`, new Uint8Array(Buffer.from(content)));
  if ('problem' in document)
    return { characters: 0, articles: 0, warnings: [], problem: document.problem };
  const others = document.articles ?? [];
  return {
    characters: others.reduce((sum, { text }) => sum + text.length, document.text.length),
    articles: 1 + others.length,
    warnings: document.warnings ?? [],
  };
}

const [number] = process.argv.slice(2);
const document = hostileDocuments[Number(number)];
if (document === undefined) throw new Error(`There is no document ${number}`);
const { ending, content }: HostileDocument = document;
const bytes = content();
// Loads the library.
await read(ending, typeof bytes === 'string' ? 'a\n' : bytes.subarray(0, 1000));
await wait(50);
globalThis.gc?.();
const memory = process.memoryUsage.rss();
const before = process.cpuUsage();
const outcome = await read(ending, bytes);
const { user, system } = process.cpuUsage(before);
const most = process.resourceUsage().maxRSS * 1024;
const measured: MeasuredDocument = {
  ...outcome,
  ms: (user + system) / 1000,
  bytes: most - memory,
  size: bytes.length,
};
console.log(JSON.stringify(measured));
process.exit(0);
