import { CodedError } from '../../platform/http/coded-error.ts';
import { type Deadline, startDeadline } from '../../platform/http/deadline.ts';
import { unreadable } from './edition-format.ts';
import type { SectionReader } from './open-index.ts';
import type { TextPage } from './text-pages.ts';
import { entryBytes, entryText, type TextTable } from './text-table.ts';

/** The texts and word ids of an edition's chunks: in the edition, or on pages that are fetched when they are read. */
export interface ChunkTexts {
  /** @throws {PagesMissing} When its page is not in memory. */
  text(chunk: number): string;
  /** Word ids as varints; `undefined` when its page is not in memory. */
  words(chunk: number): Uint8Array | undefined;
  /** Says that chunks will be read. @throws {PagesMissing} Outside of `readPages`, when any is not in memory. */
  need(chunks: Iterable<number>): void;
  /** Absent when all is in memory. */
  paged?: PagedTexts | undefined;
}

interface PagedTexts {
  pageCount: number;
  /** Does synchronous work that may read what is not in memory, and says which pages it lacked. */
  attempt<T>(work: () => T): { outcome: { value: T } | { error: PagesMissing }; lacked: number[] };
  load: PageSource['load'];
}

/** Pages of an edition that are in memory. */
export interface PageSource {
  get(page: number): TextPage | undefined;
  /** Fetches pages in parallel; those to keep, which the same work reads, stay. @returns Those that cannot be had. */
  load(pages: readonly number[], keep: ReadonlySet<number>): Promise<number[]>;
}

/** Texts that reading needs are not in memory; `readPages` fetches them and reads again. */
class PagesMissing extends CodedError {
  override readonly name = 'PagesMissing';

  constructor() {
    const message = 'Cannot show the texts: they could not be read. Retry';
    super('SERVICE_UNAVAILABLE', message, { reported: { message } });
  }
}

/** @throws {EditionFormatError} When texts and chunks disagree on how many there are. */
export function openTexts(
  reader: SectionReader,
  chunkCount: number,
  source: PageSource | undefined,
): ChunkTexts {
  if (reader.has('pages.ends')) return openPaged(reader.numbers('pages.ends'), chunkCount, source);
  const texts = reader.table('texts');
  const words = reader.table('chunkWords');
  if (texts.count !== chunkCount || words.count !== chunkCount) throw countsDisagree();
  return {
    text: (chunk) => entryText(texts, chunk),
    words: (chunk) => entryBytes(words, chunk),
    need: () => undefined,
  };
}

const countsDisagree = () => unreadable('its texts and chunks disagree on how many there are');

const openPaged = (
  ends: Uint32Array,
  chunkCount: number,
  source: PageSource | undefined,
): ChunkTexts => {
  if ((ends.at(-1) ?? 0) !== chunkCount) throw countsDisagree();
  /** Pages that the current attempt lacked; `undefined` outside of one. */
  let lacked: Set<number> | undefined;
  const entryOf = (chunk: number, table: 'texts' | 'words'): [TextTable, number] | undefined => {
    const number = pageOf(ends, chunk);
    const page = source?.get(number);
    if (page === undefined) {
      lacked?.add(number);
      return undefined;
    }
    const first = ends[number - 1] ?? 0;
    if (page.texts.count !== (ends[number] ?? 0) - first)
      throw unreadable('a page has another number of chunks');
    return [page[table], chunk - first];
  };
  return {
    text: (chunk) => {
      const entry = entryOf(chunk, 'texts');
      if (entry === undefined) throw new PagesMissing();
      return entryText(...entry);
    },
    words: (chunk) => {
      const entry = entryOf(chunk, 'words');
      return entry && entryBytes(...entry);
    },
    need: (chunks) => {
      let isMissing = false;
      for (const chunk of chunks) isMissing = entryOf(chunk, 'texts') === undefined || isMissing;
      if (isMissing && lacked === undefined) throw new PagesMissing();
    },
    paged: {
      pageCount: ends.length,
      attempt: (work) => {
        const before = lacked;
        const mine = new Set<number>();
        lacked = mine;
        try {
          return { outcome: { value: work() }, lacked: [...mine] };
        } catch (error) {
          if (!(error instanceof PagesMissing)) throw error;
          return { outcome: { error }, lacked: [...mine] };
        } finally {
          lacked = before;
          for (const page of mine) before?.add(page);
        }
      },
      load: async (pages, keep) => (source === undefined ? [...pages] : source.load(pages, keep)),
    },
  };
};

/** The page of a chunk, given the chunks up to the end of each page. */
const pageOf = (ends: Uint32Array, chunk: number): number => {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= chunk) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Fetches of pages one after the other for a piece of work; what it lacks then is left out. */
const MAX_ROUNDS = 8;

/**
 * Does synchronous work that reads texts: fetches the pages that it lacks, in parallel, and repeats it, which must change nothing but its
 * result. In an edition without pages it is done at once.
 *
 * @param options.timeoutMs Ends waiting for pages; 2,000 when neither it nor `deadline` is given.
 * @returns `isComplete` is false when pages could not be had in time or at all: searches then left out what is on them.
 * @throws {PagesMissing} When the work cannot be done without them.
 */
export async function readPages<T>(
  { texts: { paged } }: { texts: ChunkTexts },
  work: () => T,
  options: ReadPagesOptions = {},
): Promise<{ value: T; isComplete: boolean }> {
  if (paged === undefined) return { value: work(), isComplete: true };
  if (options.deadline !== undefined) return readRounds(paged, work, options.deadline);
  const deadline = startDeadline({
    timeoutMs: options.timeoutMs ?? WAIT_MS,
    signal: options.signal,
  });
  try {
    return await readRounds(paged, work, deadline);
  } finally {
    deadline.clear();
  }
}

interface ReadPagesOptions {
  deadline?: Pick<Deadline, 'race'> | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const WAIT_MS = 2000;

const readRounds = async <T>(
  paged: PagedTexts,
  work: () => T,
  deadline: Pick<Deadline, 'race'>,
): Promise<{ value: T; isComplete: boolean }> => {
  const lost = new Set<number>();
  const read = new Set<number>();
  for (let round = 1; ; round += 1) {
    const { outcome, lacked } = paged.attempt(work);
    const wanted = lacked.filter((page) => !lost.has(page));
    if (wanted.length > 0 && round < MAX_ROUNDS) {
      for (const page of wanted) read.add(page);
      for (const page of await loaded(paged.load(wanted, read), wanted, deadline)) lost.add(page);
    } else if ('error' in outcome) throw outcome.error;
    else return { value: outcome.value, isComplete: lacked.length === 0 };
  }
};

/** The pages that did not arrive. */
const loaded = async (
  loading: Promise<number[]>,
  wanted: readonly number[],
  deadline: Pick<Deadline, 'race'>,
): Promise<readonly number[]> => {
  try {
    return await deadline.race(loading);
  } catch {
    return wanted;
  }
};
