import type { WordVectors } from '../../ai/embeddings/word-vectors.ts';
import type {
  EditionActivated,
  EditionCause,
  EditionChanges,
  EditionChangesQuery,
  EditionList,
} from '../../contract/wire/editions.ts';
import type { ArticlePut, ArticleText } from '../../contract/wire/host-article.ts';
import type { Inventory, InventoryQuery } from '../../contract/wire/moving.ts';
import type {
  SyncAccepted,
  SyncProgress,
  SyncRequest,
  SyncStatus,
} from '../../contract/wire/sync.ts';
import { mayRead, mayReadAsked, NO_ONE } from '../../platform/context/capabilities.ts';
import { callStore } from '../../platform/rpc/call-store.ts';
import { type ObjectMethods, type Remote, remoteStore } from '../../platform/rpc/remote-store.ts';
import type { EditionManifest, EditionStorage } from '../../platform/storage/edition-storage.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import {
  ArticleRefused,
  hashArticle,
  readingOf,
  takeInArticle,
} from '../articles/normalise-article.ts';
import type { PageSource } from '../edition/chunk-texts.ts';
import { languageOfText } from '../edition/collect-words.ts';
import { largePublisher } from '../large/large-publisher.ts';
import type { LargeMode, PublicationStep } from '../large/publishing-ports.ts';
import {
  type ArticlePage,
  type ArticleQuery,
  type ArticleStore,
  articleStore,
  createTables,
  type LibraryState,
  libraryState,
  type StoredArticle,
} from './article-store.ts';
import {
  type ChangedArticles,
  countsOf,
  type EditionHistory,
  editionHistory,
} from './edition-history.ts';
import { buildDraft, editionStore, publishEdition, publishFile } from './edition-store.ts';
import { type ChunkEmbedder, chunkEmbedder } from './embed-chunks.ts';
import type { LibrarySource } from './host-kb-client.ts';
import { liveSync } from './live-sync.ts';
import { syncDriver } from './sync-driver.ts';
import { type SyncStore, syncStore } from './sync-run.ts';
import {
  editionVectorSource,
  type LibraryEmbedding,
  removeVectors,
  type VectorStore,
  vectorStore,
  wordVectorSource,
} from './vector-store.ts';

interface LibraryOptions {
  workspace: string;
  sql: Sql;
  editionStorage: EditionStorage;
  /** Called when a sync begins its work. Throws `HostKbError` when there is none, or it is set up wrongly. */
  source: () => LibrarySource;
  articleUrl: (id: string) => string;
  /** How many earlier editions are kept; none when absent. */
  history?: number | undefined;
  /** Whether the host is asked before answers what has changed. */
  isLive?: boolean | undefined;
  now: () => number;
  newId: () => string;
  /** Makes the key of an index, 32 bytes in hexadecimal; random when absent. */
  newKey?: (() => string) | undefined;
  /** Schedules a call of `work` at this time (milliseconds since 1970); a later call replaces an earlier one. */
  wakeAt: (time: number) => void;
  onFault: (where: string, error: unknown) => void;
  complete?: ((edition: Uint8Array, pages?: PageSource) => Uint8Array) | undefined;
  /** Absent: editions carry word vectors, if there is a table of them. */
  embedding?: LibraryEmbedding | undefined;
  /** Largest edition that readers open; 68 MiB when absent. */
  maxEditionBytes?: number | undefined;
  /** Bytes of texts from which they are on pages beside the edition; 28 MiB when absent. */
  pagedFromBytes?: number | undefined;
  /** Bytes of texts up to which an edition is built for an article that is not written yet; 3 MiB when absent, a second of work. */
  maxDraftTextBytes?: number | undefined;
  /** Opened when an edition is built. */
  wordVectors?: (() => WordVectors) | undefined;
  /** The index that has the passages of a large base; absent: it is not published. */
  large?: LargeMode | undefined;
}

/**
 * Operations on the knowledge base of one workspace. Results are plain data, so that they can cross a remote call. `audiences` are those of
 * the context that asks; without them it reads and changes only what is for everybody.
 */
export interface Library {
  status(audiences?: readonly string[]): SyncStatus;
  /** Starts a sync unless one runs; that one is left to finish. */
  startSync(request: SyncRequest, audiences?: readonly string[]): SyncAccepted;
  listArticles(query: ArticleQuery): ArticlePage & { updatedAt: string };
  inventory(query: InventoryQuery, audiences?: readonly string[]): Inventory;
  readArticle(id: string, audiences?: readonly string[]): StoredArticle | undefined;
  readText(id: string, audiences?: readonly string[]): ArticleText | undefined;
  /** Adds an article owned by the library, or takes over one of a source: syncs do not change it. It is published within some seconds. */
  writeArticle(
    id: string,
    article: ArticlePut,
    audiences?: readonly string[],
  ): Promise<
    | { article: StoredArticle; isNew: boolean; note?: string }
    | { refused: string }
    /** `isMissing`: no article of this id can be read, and the caller must not learn whether there is one. */
    | { forbidden: string; isMissing?: boolean }
  >;
  /** The edition that an article would make if it was written, without vectors of an embedding model. Nothing is stored. */
  draftEdition(
    id: string,
    article: ArticlePut,
    audiences?: readonly string[],
  ): Uint8Array<ArrayBuffer> | { refused: string };
  /** Removes an article, for good even if the host still lists it, and publishes that before it returns. */
  deleteArticle(id: string, audiences?: readonly string[]): Promise<boolean>;
  /** The editions that are kept; `hidden` from those who may not read all articles. */
  editions(audiences?: readonly string[]): EditionList | 'hidden';
  editionChanges(
    edition: string,
    query: EditionChangesQuery,
    audiences?: readonly string[],
  ): EditionChanges | 'hidden' | undefined;
  /** Makes the articles what they were in an edition, and publishes that. The next sync lists everything and publishes the sources again. */
  activateEdition(
    edition: string,
    audiences?: readonly string[],
  ): Promise<EditionActivated | 'hidden' | 'unknown' | 'syncing' | 'too many'>;
  /** Notes a call that writes; false for a replay. */
  isFirstCall(linkHash: string, options: { ttlSeconds: number; nowMs: number }): boolean;
  currentEdition(): EditionManifest | undefined;
  /** The same, with what the host has changed where it is asked before answers. Waits at most so many milliseconds for it. */
  freshEdition(withinMs: number): Promise<EditionManifest | undefined>;
  /** An edition that is still stored: the current one, or one that was replaced within the last five minutes. */
  storedEdition(edition: string): EditionManifest | undefined;
  editionPart(edition: string, part: number): Uint8Array<ArrayBuffer> | undefined;
  /** Does what is due: a sync's next steps, publishing, cleaning up. */
  work(): Promise<void>;
  /** When `work` has something to do next, in milliseconds since 1970. */
  dueAt(): number | undefined;
}

/** A change is published so long after it ... */
const PUBLISH_AFTER_MS = 1000;
/** ... unless others keep coming: then so long after the first. */
const PUBLISH_WITHIN_MS = 5000;

/** The knowledge base of one workspace, over a database of its own. One at a time may exist for a database. */
export function createLibrary(options: LibraryOptions): Library {
  const { sql, workspace, editionStorage, now } = options;
  createTables(sql);
  const state = libraryState(sql);
  const { history: keptEditions = 0 } = options;
  // In large mode no earlier edition would ever let go of them.
  const articles = articleStore(sql, { keepsVersions: () => keptEditions > 0 && !isLarge() });
  const history = editionHistory(sql, { kept: keptEditions });
  const editions = editionStore(sql);
  const sync = syncStore(sql);
  const vectors = vectorStore(sql);
  const normalise = { articleUrl: options.articleUrl };
  const embedded = withEmbedding(options, { state, articles, vectors });

  // One at a time: two editions built at once would be distinguished by their numbers, but cost twice.
  let publishing: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = publishing.then(work);
    publishing = result.catch(() => {});
    return result;
  };
  const stores = { sql, editions, editionStorage, workspace, now };
  const large =
    options.large &&
    largePublisher({
      sql,
      workspace,
      mode: options.large,
      articles: { ...articles, revision: state.revision },
      state,
      publishFile: (file) => inTurn(() => publishFile(file, stores)),
      now,
      newKey: options.newKey ?? randomKey,
    });
  const isLarge = (): boolean => large?.isOn() === true;

  const publishWhole = (): Promise<number> =>
    inTurn(() =>
      publishEdition({
        ...stores,
        state,
        articles,
        complete: options.complete,
        maxBytes: options.maxEditionBytes,
        pagedFromBytes: options.pagedFromBytes,
        onCurrent: ({ edition, articles: count, chunks }: EditionManifest, inventory: string) => {
          const cause = causeOf(state);
          state.write('activating', undefined);
          history.record({ edition, cause, inventory, articles: count, chunks }, now());
          if (!isLarge()) large?.retire();
        },
        vectors:
          embedded?.source ??
          (options.wordVectors && wordVectorSource(options.wordVectors, { articles })),
      }),
    );

  const stepPublishing = async (): Promise<PublicationStep> => {
    if (large === undefined || !isLarge())
      return { next: 'done', writes: await publishWhole(), passages: 0 };
    const step = await large.step();
    const current = editions.current();
    if (step.next === 'done' && current !== undefined && current.revision !== large.revision())
      editions.setRevision(current.manifest.edition, large.revision());
    return embedded === undefined ? { ...step, passages: 0 } : step;
  };

  /** What was changed here, at once; in large mode what was deleted. */
  const publishNow = (): Promise<number> =>
    large !== undefined && isLarge() && large.isCurrent()
      ? large.publishDeletions()
      : publishWhole();

  const driver = syncDriver({
    ...options,
    ...embedded?.work,
    ...(embedded && { embedder: unlessLarge(embedded.work.embedder, isLarge) }),
    state,
    articles,
    editions,
    sync,
    vectors,
    normalise,
    publish: stepPublishing,
    large,
  });

  const freshen = liveSync({ sync: driver.syncNow, now });
  const isLive = (): boolean => options.isLive === true && hasHost(options);
  const current = (isFresh: boolean | undefined): EditionManifest | undefined => {
    const manifest = editions.current()?.manifest;
    return manifest && isFresh !== undefined ? { ...manifest, isFresh } : manifest;
  };

  const planPublishing = (): void => {
    const by = Number(state.read('publish_by') ?? now() + PUBLISH_WITHIN_MS);
    state.write('publish_by', by);
    state.write('publish_at', Math.min(by, now() + PUBLISH_AFTER_MS));
  };

  const readable = (id: string, held: readonly string[] = []): StoredArticle | undefined => {
    const article = articles.read(id);
    return article !== undefined && mayRead(held, article.audiences) ? article : undefined;
  };

  /** Articles for no audience that a key can hold do not count: only a mistake makes them. */
  const readsAll = (held: readonly string[]): boolean =>
    mayReadAsked(held, ['*']) || articles.readable([...held, NO_ONE]).articles === articles.count();

  /**
   * Whether times, editions and numbers of all articles may be shown. It depends on the asker alone: else the difference would tell whether
   * there are articles for others, and when they are changed.
   */
  const seesAll = (held: readonly string[]): boolean => mayReadAsked(held, ['*']);

  let visible: { key: string; state: VisibleState } | undefined;
  /** What the asker may read: it changes with those articles alone. */
  const visibleState = (held: readonly string[]): VisibleState => {
    const key = JSON.stringify([state.revision(), held]);
    if (visible?.key !== key) visible = { key, state: visibleStateOf(articles.versions(held)) };
    return visible.state;
  };

  /** Counts what the asker may read; of a sync, what it did to articles for everybody. */
  const shownStatus = (status: SyncStatus, held: readonly string[]): SyncStatus => {
    if (seesAll(held)) return status;
    const report = driver.openReport();
    const { edition } = visibleState(held);
    const { published_at: _at, problem: _problem, ...rest } = status;
    return {
      ...rest,
      ...articles.readable(held),
      edition: status.edition && edition,
      progress: status.progress && openProgress(status.progress),
      last_report: report && { ...report, edition: report.edition && edition },
    };
  };

  // After a deployment: the next sync may be an hour away.
  if (editions.isCurrentUnreadable()) {
    planPublishing();
    driver.wake();
  }

  return {
    status: (held = []) => shownStatus(driver.status(), held),
    startSync: (request, held = []) => {
      const { status, ...accepted } = driver.start(request);
      return { ...accepted, status: shownStatus(status, held) };
    },
    work: driver.work,
    dueAt: driver.nextDueAt,
    listArticles: (query) => ({
      ...articles.page(query),
      updatedAt: seesAll(query.audiences ?? [])
        ? (editions.current()?.manifest.createdAt ?? new Date(0).toISOString())
        : visibleState(query.audiences ?? []).updatedAt,
    }),
    inventory: (query, held = []) => articles.listed(query, held),
    readArticle: readable,
    readText: (id, held) => {
      const article = readable(id, held);
      const read = article && articles.readText(id);
      if (article === undefined || read === undefined) return undefined;
      const language = languageOfText(`${article.title}\n${read.text}`, article.language);
      return { id, ...read, ...(language === undefined ? {} : { language }) };
    },
    writeArticle: async (id, put, held = []) => {
      const reply = replyOf(id, put, now());
      const hash = await hashArticle(reply);
      try {
        const { warnings, omitted, content, format, ...entry } = takeInArticle(reply, normalise);
        if (!mayRead(held, entry.article.audiences)) return { forbidden: NOT_HELD };
        const owner = articles.owner(id);
        const isNew = owner === undefined;
        // A refusal of taken ids alone would say which ids are taken.
        if (readable(id, held) === undefined && !(isNew && readsAll(held)))
          return { forbidden: CREATES_NONE, isMissing: true };
        sql.transaction(() => {
          articles.put(entry, {
            owner: 'local',
            hash,
            content,
            format,
            reading: readingOf({ omitted, warnings }),
          });
          sync.removeTombstone(id);
          state.bumpRevision();
          planPublishing();
        });
        driver.wake();
        const { text: _text, ...article } = entry.article;
        return {
          article: { ...article, content, ...(format === undefined ? {} : { format }) },
          isNew,
          ...(owner === 'host' ? { note: TAKEN_OVER } : {}),
        };
      } catch (error) {
        if (error instanceof ArticleRefused) return { refused: error.message };
        throw error;
      }
    },
    draftEdition: (id, put, held = []) => {
      if (articles.textBytes() > (options.maxDraftTextBytes ?? MAX_DRAFT_TEXT_BYTES))
        return { refused: TOO_LARGE_FOR_DRAFT };
      try {
        const entry = takeInArticle(replyOf(id, put, now()), normalise);
        if (!mayRead(held, entry.article.audiences)) return { refused: NOT_HELD };
        const isNew = articles.owner(id) === undefined;
        // As in `writeArticle`: a refusal of taken ids alone would say which ids are taken.
        if (readable(id, held) === undefined && !(isNew && readsAll(held)))
          return { refused: CREATES_NONE };
        const chunkCount = (): number => articles.chunkCount() + entry.chunks.length;
        const { wordVectors, complete } = options;
        const hasWords = embedded === undefined && wordVectors !== undefined;
        const vectors = hasWords
          ? wordVectorSource(wordVectors, { articles: { ...articles, chunkCount } })
          : undefined;
        const createdAt = new Date(now()).toISOString();
        return buildDraft(entry, { articles, workspace, createdAt, complete, vectors });
      } catch (error) {
        if (error instanceof ArticleRefused) return { refused: error.message };
        throw error;
      }
    },
    deleteArticle: async (id, held) => {
      if (readable(id, held) === undefined) return false;
      sql.transaction(() => {
        articles.remove(id);
        history.forget(id);
        // Also under an article of our own: the host may list one with this id.
        sync.addTombstone(id);
        state.bumpRevision();
        planPublishing();
      });
      // Should this fail, the plan above stands.
      driver.wake();
      await publishNow();
      // Its vectors can go now.
      driver.wake();
      return true;
    },
    editions: (held = []) => {
      if (!seesAll(held)) return 'hidden';
      const { editions: kept, ...rest } = history.list(now());
      return {
        editions: kept.map((one) => ({ ...one, is_stored: editions.stored(one.id) !== undefined })),
        ...rest,
      };
    },
    editionChanges: (edition, { from, article }, held = []) => {
      if (!seesAll(held)) return 'hidden';
      const changed = history.changes(edition, from);
      return changed && changesOf(changed, article, history);
    },
    activateEdition: async (edition, held = []) => {
      if (!seesAll(held)) return 'hidden';
      const done = sql.transaction(() =>
        activate(edition, { state, articles, history, sync, planPublishing }),
      );
      if (typeof done !== 'object') return done;
      // Should this fail, the plan stands.
      driver.wake();
      await publishNow();
      driver.wake();
      return { ...done, edition: editions.current()?.manifest.edition ?? edition, note: ACTIVATED };
    },
    isFirstCall: callStore(sql).isFirst,
    currentEdition: () => current(isLive() ? false : undefined),
    freshEdition: async (withinMs) => current(isLive() ? await freshen(withinMs) : undefined),
    storedEdition: (edition) => editions.stored(edition)?.manifest,
    editionPart: editions.part,
  };
}

/** Vectors of large mode are made with the records. */
const unlessLarge = (embedder: ChunkEmbedder, isLarge: () => boolean): ChunkEmbedder => ({
  ...embedder,
  step: async (options) =>
    isLarge() ? () => ({ embedded: 0, next: 'done' }) : embedder.step(options),
  dueAt: () => (isLarge() ? undefined : embedder.dueAt()),
});

const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

const MAX_DRAFT_TEXT_BYTES = 3 * 1024 * 1024;
const TOO_LARGE_FOR_DRAFT =
  'Cannot check the article before it is saved: the knowledge base is too large. Its checks are run once it is published';

const hasHost = ({ source }: LibraryOptions): boolean => {
  try {
    source();
    return true;
  } catch {
    return false;
  }
};

const CREATES_NONE =
  'Cannot write the article: none of that id can be read with this key, and where some articles are for audiences that a key does not hold, it replaces articles and creates none. Use a key that holds all audiences (*)';
/** Counts of a running sync are of all articles. */
const openProgress = ({ run_id, full, started_at }: SyncProgress): SyncProgress => ({
  run_id,
  full,
  started_at,
  listed: 0,
  processed: 0,
  to_process: 0,
});

interface VisibleState {
  /** In the form of an edition's id; only ever compared. */
  edition: string;
  updatedAt: string;
}

const visibleStateOf = (
  versions: readonly { id: string; hash: string; lastUpdated: string }[],
): VisibleState => {
  let hash = FNV_OFFSET;
  let updatedAt = new Date(0).toISOString();
  for (const { id, hash: own, lastUpdated } of versions) {
    for (const character of `${id} ${own}\n`)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
    if (lastUpdated > updatedAt) updatedAt = lastUpdated;
  }
  return { edition: `e000000-${hash.toString(16).padStart(8, '0')}`, updatedAt };
};

/** FNV-1a, 32 bits. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const NOT_HELD =
  'Cannot write the article: it is for audiences of which the key holds none. Name one in metadata.audience that it holds, or use another key';

const ACTIVATED =
  'The next sync lists all sources and publishes them again: correct the articles there, or this edition is replaced';

const TAKEN_OVER =
  'It came from a source: from now on no sync changes or removes it, and what changes there does not arrive here. Make this change at the source too';

const causeOf = (state: LibraryState): EditionCause => {
  if (state.read('activating') !== undefined) return 'activate';
  return state.read('run') === undefined ? 'write' : 'sync';
};

/** Articles that one activation changes: some 6 s of work. */
const MAX_RESTORED = 1000;

interface ActivateParts {
  state: LibraryState;
  articles: ArticleStore;
  history: EditionHistory;
  sync: SyncStore;
  planPublishing: () => void;
}

const activate = (
  edition: string,
  { state, articles, history, sync, planPublishing }: ActivateParts,
):
  | Pick<EditionActivated, 'restored' | 'removed' | 'left_out'>
  | 'unknown'
  | 'syncing'
  | 'too many' => {
  if (state.read('run') !== undefined) return 'syncing';
  const current = history.current();
  const changed = current === undefined ? undefined : history.changes(edition, current);
  if (changed === undefined) return 'unknown';
  if (changed.articles.length > MAX_RESTORED) return 'too many';
  const done = { restored: 0, removed: 0, left_out: 0 };
  for (const { id, after } of changed.articles) {
    const version =
      after === undefined || sync.isTombstone(id) ? undefined : history.version(id, after);
    if (after === undefined) done.removed += articles.remove(id);
    else if (version === undefined) done.left_out += 1;
    else {
      articles.put(version.entry, version.origin);
      done.restored += 1;
    }
  }
  state.bumpRevision();
  state.write('activating', edition);
  // So that the next sync compares everything with the sources.
  state.write('listed_from', undefined);
  planPublishing();
  return done;
};

const MAX_LISTED_CHANGES = 500;
const MAX_SHOWN_TEXT = 60_000;

const changesOf = (
  changed: ChangedArticles,
  article: string | undefined,
  history: EditionHistory,
): EditionChanges => {
  const { edition, from, articles } = changed;
  const version = (id: string, hash: string | undefined) =>
    hash === undefined ? undefined : history.version(id, hash);
  const asked = article === undefined ? undefined : articles.find(({ id }) => id === article);
  const [before, after] = asked
    ? [version(asked.id, asked.before), version(asked.id, asked.after)]
    : [];
  const texts = [before, after].map((each) => each?.entry.article.text);
  return {
    edition,
    from,
    ...countsOf(changed),
    articles: articles.slice(0, MAX_LISTED_CHANGES).map(({ id, before: old, after: next }) => ({
      id,
      title: (version(id, next) ?? version(id, old))?.entry.article.title.slice(0, 500) ?? null,
      change: old === undefined ? 'added' : next === undefined ? 'removed' : 'changed',
    })),
    article:
      asked === undefined
        ? null
        : {
            before: texts[0]?.slice(0, MAX_SHOWN_TEXT) ?? null,
            after: texts[1]?.slice(0, MAX_SHOWN_TEXT) ?? null,
            is_cut: texts.some((text) => (text?.length ?? 0) > MAX_SHOWN_TEXT),
          },
  };
};

/** Additional operations with an embedding model. */
const withEmbedding = (
  { sql, now, onFault, embedding }: LibraryOptions,
  stores: { state: LibraryState; articles: ArticleStore; vectors: VectorStore },
) => {
  if (embedding === undefined) return undefined;
  const parts = { sql, now, onFault, embedding, ...stores };
  return {
    source: editionVectorSource(parts),
    work: {
      embedder: chunkEmbedder(parts),
      removeVectors: () => removeVectors({ ...parts, index: embedding.index }),
    },
  };
};

const replyOf = (id: string, { title, url, content, metadata = {} }: ArticlePut, now: number) => ({
  id,
  title,
  url,
  content,
  metadata: {
    intent: metadata.intent ?? [],
    device: metadata.device ?? [],
    last_updated: metadata.last_updated ?? new Date(now).toISOString(),
    author: metadata.author,
    audience: metadata.audience,
    format: metadata.format,
    language: metadata.language,
    translation_key: metadata.translation_key,
  },
});

/** The RPC methods of the object; no other member can be called from outside. */
export const LIBRARY_METHODS = [
  'status',
  'startSync',
  'listArticles',
  'inventory',
  'readArticle',
  'readText',
  'editions',
  'editionChanges',
  'activateEdition',
  'writeArticle',
  'draftEdition',
  'deleteArticle',
  'isFirstCall',
  'currentEdition',
  'freshEdition',
  'storedEdition',
  'editionPart',
] as const satisfies (keyof Library)[];
type LibraryMethod = (typeof LIBRARY_METHODS)[number];

/** A library in a Durable Object. */
export type RemoteLibrary = Remote<Library, LibraryMethod>;

export function remoteLibrary(
  stub: (workspace: string) => ObjectMethods<Library, LibraryMethod>,
  workspace: string,
): RemoteLibrary {
  return remoteStore<Library, LibraryMethod>(LIBRARY_METHODS, { workspace, stub });
}
