import { ArticleListingReply, HostArticleReply } from '../../../src/contract/wire/host-article.ts';
import type { SyncRequest } from '../../../src/contract/wire/sync.ts';
import { loadEdition } from '../../../src/knowledge/edition/edition-reader.ts';
import { HostKbError } from '../../../src/knowledge/library/fetch-host-listing.ts';
import type {
  HostCursor,
  HostKbClient,
  HostPage,
} from '../../../src/knowledge/library/host-kb-client.ts';
import { createLibrary, type Library } from '../../../src/knowledge/library/library.ts';
import type { EditionStorage } from '../../../src/platform/storage/edition-storage.ts';
import type { Sql } from '../../../src/platform/storage/sql.ts';
import { nodeSql } from '../../../tools/stand-ins/node-sql.ts';
import { fakeIndex, fakeModel } from '../vectors-for-test.ts';

type HostFilters = Parameters<HostKbClient['readPage']>[0];

type LibraryOptions = Parameters<typeof createLibrary>[0];

export function hostArticle(id: string, content: string, more: object = {}) {
  return {
    id,
    title: `Title of ${id}`,
    url: `https://kb.example/${id}`,
    content,
    metadata: { intent: [], device: [], last_updated: '2026-01-01T00:00:00Z' },
    ...more,
  };
}

/** A host with a listing that the test sets. */
export interface FakeHost {
  articles: unknown[];
  /** The total that the host reports; the number of articles by default. */
  total?: number | undefined;
  pageSize: number;
  /** Listings that fail from this page on, 0-based. */
  failsAtPage?: number | undefined;
  filters: HostFilters[];
}

export function hostWith(articles: unknown[], pageSize = 50): FakeHost {
  return { articles, pageSize, filters: [] };
}

/** A host with numbered articles, of which some have another text. A small one lists them on several pages too. */
export function hostOf(count: number, texts: Record<number, string> = {}): FakeHost {
  const textOf = (at: number) => texts[at] ?? `Text number ${at}.`;
  const articles = Array.from({ length: count }, (_, at) => hostArticle(`a${at}.md`, textOf(at)));
  return hostWith(articles, count > 20 ? 100 : 4);
}

type Varied =
  | 'embedding'
  | 'wordVectors'
  | 'maxEditionBytes'
  | 'pagedFromBytes'
  | 'complete'
  | 'history'
  | 'large'
  | 'newKey'
  | 'maxDraftTextBytes';
interface LibraryForTestOptions extends Partial<Pick<LibraryOptions, Varied>> {
  sql?: Sql | undefined;
  editionStorage?: ReturnType<typeof mapStorage> | undefined;
  clock?: { now: number } | undefined;
}

/** A library over SQLite with a fake host, edition storage and clock. */
export function libraryForTest(host: FakeHost, options: LibraryForTestOptions = {}) {
  const {
    sql = nodeSql(),
    editionStorage = mapStorage(),
    clock = { now: 1_800_000_000_000 },
    ...varied
  } = options;
  let ids = 0;
  const wakes: number[] = [];
  const faults: unknown[] = [];
  const client = {
    readPage: async (filters: HostFilters, cursor?: HostCursor) => pageOf(host, filters, cursor),
  };
  const library = createLibrary({
    workspace: 'default',
    sql,
    editionStorage,
    source: () => ({ url: 'https://kb.example/api', client }),
    articleUrl: (id) => `https://own.example/${id}`,
    now: () => clock.now,
    newId: () => `run-${++ids}`,
    wakeAt: (time) => wakes.push(time),
    onFault: (_, error) => faults.push(error),
    ...varied,
  });
  return { library, editionStorage, clock, wakes, faults, sql };
}

/** Runs a sync to its end and returns its report. */
export async function syncNow(library: Library, request: SyncRequest = {}) {
  library.startSync(request);
  await workOff(library);
  return library.status(['*']).last_report;
}

export async function workOff(library: Library): Promise<void> {
  while (library.status(['*']).state !== 'idle') await library.work();
}

/** Runs due work and moves the clock to each alarm, until none is due within the limit. */
export async function workThrough(
  { library, clock, wakes }: Pick<ReturnType<typeof libraryForTest>, 'library' | 'clock' | 'wakes'>,
  { withinMs = 600_000 }: { withinMs?: number | undefined } = {},
): Promise<void> {
  const end = clock.now + withinMs;
  for (let alarms = 0; alarms < 500; alarms += 1) {
    await library.work();
    const next = wakes.at(-1);
    if (library.dueAt() === undefined || next === undefined || next > end) return;
    clock.now = Math.max(clock.now, next);
  }
  throw new Error('The library has always more work');
}

export function mapStorage(): EditionStorage & { parts: Map<string, Uint8Array<ArrayBuffer>> } {
  const parts = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    parts,
    put: async (key, part) => void parts.set(key, part),
    delete: async (key) => void parts.delete(key),
  };
}

interface EmbeddingLibraryOptions extends LibraryForTestOptions {
  model?: ReturnType<typeof fakeModel> | undefined;
  delayMs?: number;
  index?: ReturnType<typeof fakeIndex>;
  indexName?: string;
}

/** A library that embeds with a fake model, for its editions or for a fake index. */
export function embeddingLibrary(
  place: 'edition' | 'index',
  host: FakeHost,
  given: EmbeddingLibraryOptions = {},
) {
  const {
    model = fakeModel(),
    clock = { now: 1_800_000_000_000 },
    delayMs = 0,
    indexName = 'one',
    ...more
  } = given;
  const { index = fakeIndex({ clock, delayMs }), ...options } = more;
  const embedding = { provider: model, index: place === 'index' ? index : undefined, indexName };
  const parts = { model, index, ...libraryForTest(host, { clock, embedding, ...options }) };
  const sync = async (request: SyncRequest = { full: true }, withinMs = 200_000) => {
    parts.library.startSync(request);
    await workThrough(parts, { withinMs });
    const report = parts.library.status(['*']).last_report;
    if (report === null) throw new Error('The sync has not ended');
    return report;
  };
  return { ...parts, sync, rest: (withinMs?: number) => workThrough(parts, { withinMs }) };
}

/** The current edition, open. */
export async function editionOf(library: Library) {
  const manifest = library.currentEdition();
  if (!manifest) throw new Error('There is no edition');
  return loadEdition(manifest, {
    parts: [{ readPart: async (of, part) => library.editionPart(of.edition, part) }],
  });
}

export class Killed extends Error {}

/** The same database and edition storage for a process that crashes at the write after this number of writes. */
export function killedAfter(
  writes: number,
  { sql, editionStorage }: { sql: Sql; editionStorage: ReturnType<typeof mapStorage> },
) {
  let left = writes;
  const alive = <T>(work: () => T, cost = 0): T => {
    left -= left < 0 ? 0 : cost;
    if (left < 0) throw new Killed();
    return work();
  };
  const mortal: Sql = {
    all: (query, ...values) => alive(() => sql.all(query, ...values)),
    run: (query, ...values) => alive(() => sql.run(query, ...values), 1),
    transaction: (work) => sql.transaction(work),
  };
  const put = async (key: string, bytes: Uint8Array<ArrayBuffer>) =>
    alive(() => editionStorage.put(key, bytes), 1);
  return { sql: mortal, editionStorage: { ...editionStorage, put } };
}

/** Whether the work ended without a crash. */
export async function survives(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof Killed) return false;
    throw error;
  }
}

/** The ids and contents of the current edition. */
export function contentsOf(library: Library): string[] {
  return library
    .listArticles({ limit: 500 })
    .articles.map(({ id, content }) => `${id}: ${content}`)
    .sort();
}

const pageOf = (host: FakeHost, filters: HostFilters, cursor: HostCursor | undefined): HostPage => {
  const offset = cursor?.kind === 'count' ? cursor.offset : 0;
  const number = offset / host.pageSize;
  if (offset === 0) host.filters.push(filters);
  if (host.failsAtPage !== undefined && number >= host.failsAtPage)
    throw new HostKbError('status is 500');
  const { articles } = ArticleListingReply.parse({
    articles: host.articles.slice(offset, offset + host.pageSize),
  });
  const read = articles.map((article) => HostArticleReply.safeParse(article));
  const end = offset + host.pageSize;
  return {
    articles: read.flatMap(({ data }) => data ?? []),
    skipped: read.flatMap(({ success }, index) =>
      success
        ? []
        : [
            {
              id: `(number ${index + 1} on its page)`,
              reason: 'Cannot take in the article: it is broken',
            },
          ],
    ),
    received: articles.length,
    total: host.total ?? host.articles.length,
    next: end < host.articles.length ? { kind: 'count', page: number + 2, offset: end } : undefined,
  };
};
