import * as z from 'zod';
import { EmbeddingFailed } from '../../ai/embeddings/base.ts';
import type { ErrorInfo } from '../../contract/core/error-info.ts';
import { KnowledgeFile } from '../../contract/core/knowledge-file.ts';
import type { ArticleOwner, HostArticleReply } from '../../contract/wire/host-article.ts';
import {
  type SyncAccepted,
  type SyncProgress,
  SyncReport,
  type SyncRequest,
  type SyncStatus,
} from '../../contract/wire/sync.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import {
  type EditionStorage,
  FIRST_PAGE,
  partKey,
} from '../../platform/storage/edition-storage.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import {
  ArticleRefused,
  hashArticle,
  isForEverybody,
  type NormaliseOptions,
  readingOf,
  TREATMENT,
  takeInArticle,
} from '../articles/normalise-article.ts';
import type { LargePublisher } from '../large/large-publisher.ts';
import type { PublicationStep } from '../large/publishing-ports.ts';
import type { ArticleStore, LibraryState, StoredArticle } from './article-store.ts';
import { type EditionStore, EditionTooLarge } from './edition-store.ts';
import type { ChunkEmbedder, EmbeddingStep } from './embed-chunks.ts';
import { HostKbError } from './fetch-host-listing.ts';
import type { HostKbClient, HostPage, LibrarySource } from './host-kb-client.ts';
import {
  addSkipped,
  addWarnings,
  countChange,
  newSyncRun,
  openReport,
  type Readers,
  reportOf,
  type StagedArticle,
  StoredReport,
  SyncRun,
  type SyncStore,
} from './sync-run.ts';
import type { VectorStore } from './vector-store.ts';

interface DriverParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  editions: EditionStore;
  sync: SyncStore;
  editionStorage: EditionStorage;
  vectors: VectorStore;
  /** Both present with an embedding model. */
  embedder?: ChunkEmbedder | undefined;
  removeVectors?: (() => Promise<void>) | undefined;
  source: () => LibrarySource;
  normalise: NormaliseOptions;
  /** Publishes what has changed, or does the next step of that. */
  publish: () => Promise<PublicationStep>;
  /** Present where an index has the passages of a large base. */
  large?: LargePublisher | undefined;
  now: () => number;
  newId: () => string;
  wakeAt: (time: number) => void;
  onFault: (where: string, error: unknown) => void;
}

interface SyncDriver {
  status(): SyncStatus;
  /** The last report as those see it who may not read every article. */
  openReport(): SyncReport | null;
  start(request: SyncRequest): SyncAccepted;
  /** Takes in at once what the host has changed, or ends the sync that runs; false when the host could not be read. Never rejects. */
  syncNow(): Promise<boolean>;
  /** Does what is due within a time limit, and schedules the rest. */
  work(): Promise<void>;
  /** Schedules the next due work. */
  wake(): void;
  nextDueAt(): number | undefined;
}

/** How long readers may still load the previous edition; its deleted texts are removed with it. */
const EDITION_GRACE_MS = 300_000;
/** Age of a stored edition whose publishing never finished. */
const ORPHAN_MS = 3_600_000;
/** Clocks differ, and a host may stamp an article before it shows it. */
const OVERLAP_MS = 600_000;
const PUBLISH_AGAIN_MS = 5000;
const CLEAN_AGAIN_MS = 60_000;
const MAX_FAILURES = 3;
const CONTINUE_AFTER_MS = 30_000;
/** Chunks embedded of articles that were written here, before they are published. */
const SHORT_STEPS = 6;
const SHORT_LIMIT_MS = 3000;
/** At most some 6 s of work: an alarm has 30 s of processor time. */
const STEPS_AT_ONCE = 20;

/** When and from where the last listing that was taken in began, and the last one of everything. */
const ListedFrom = z.object({ url: z.string(), at: z.number(), fullAt: z.number().optional() });

/** Only a listing of everything shows what is gone: one is due when the last is a day old, with room for a wake-up that comes early. */
const FULL_EVERY_MS = 23.5 * 3_600_000;

/** Drives what a library does by itself, one step after the other; all that it knows is in the database. */
export function syncDriver(parts: DriverParts): SyncDriver {
  const { state, editions, articles, sync, sql, now, embedder, large } = parts;
  const currentRun = (): SyncRun | undefined =>
    SyncRun.optional().catch(undefined).parse(state.read('run'));

  const cleanAfter = (): number => Number(state.read('clean_after') ?? 0);

  /** Unused vectors are deleted once the edition that used them is not the current one. */
  const removalDueAt = (): number | undefined => {
    const removeAt = state.read('remove_vectors_at');
    const isUsed = editions.current()?.revision !== state.revision();
    return parts.removeVectors === undefined || typeof removeAt !== 'number' || isUsed
      ? undefined
      : removeAt;
  };

  const stepDueAt = ({ phase }: SyncRun): number =>
    phase === 'publishing' ? (large?.stepDueAt() ?? 0) : 0;

  const nextDueAt = (): number | undefined => {
    const run = currentRun();
    const retiredAt = editions.firstRetiredAt();
    const publishAt = state.read('publish_at');
    const embedAt = embedder?.dueAt();
    const times = [
      run === undefined
        ? embedAt
        : Math.max(now() + backOff(run), isEmbedding(run) ? (embedAt ?? 0) : stepDueAt(run)),
      large?.dueAt(),
      removalDueAt(),
      typeof publishAt === 'number' ? publishAt : undefined,
      retiredAt === undefined
        ? undefined
        : Math.max(retiredAt + EDITION_GRACE_MS + 1, cleanAfter()),
    ].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  };

  const wake = (): void => {
    const time = nextDueAt();
    if (time !== undefined) parts.wakeAt(time);
  };

  const status = (): SyncStatus => {
    const run = currentRun();
    const manifest = editions.current()?.manifest;
    const publishedAt = editions.publishedAt();
    const problem = large?.problem();
    return {
      state: run?.phase ?? 'idle',
      edition: manifest?.edition ?? null,
      ...(publishedAt === undefined ? {} : { published_at: new Date(publishedAt).toISOString() }),
      articles: manifest?.articles ?? 0,
      chunks: manifest?.chunks ?? 0,
      progress: run ? progressOf(run, large) : null,
      ...(problem === undefined ? {} : { problem }),
      // One that an earlier version wrote may lack a member.
      last_report: SyncReport.nullable()
        .catch(null)
        .parse(state.read('report') ?? null),
    };
  };

  const reportToAll = (): SyncReport | null => {
    const stored = StoredReport.safeParse(state.read('report'));
    return stored.success ? openReport(stored.data) : null;
  };

  /** False while another sync runs. */
  const begin = ({ full = false, force = false }: SyncRequest): boolean => {
    if (currentRun() !== undefined) return false;
    sql.transaction(() => {
      const run = newRun({ full, force });
      state.write('run', run);
      embedder?.restart(run);
      if (run.full) large?.checkSample();
    });
    return true;
  };

  const start = (request: SyncRequest): SyncAccepted => {
    const started = begin(request);
    wake();
    return { started, status: status() };
  };

  const syncNow = async (): Promise<boolean> => {
    try {
      begin({});
      // In case that this process ends before the work does.
      parts.wakeAt(now() + CONTINUE_AFTER_MS);
      // What is embedded was published before.
      for (let run = currentRun(); run !== undefined && !isEmbedding(run); run = currentRun())
        await work();
      return status().last_report?.outcome !== 'failed';
    } catch (error) {
      parts.onFault('sync before an answer', error);
      return false;
    }
  };

  /** The first sync, the first with another host, and one in a day list everything whatever was asked for. */
  const newRun = ({ full, force }: { full: boolean; force: boolean }): SyncRun => {
    const before = ListedFrom.safeParse(state.read('listed_from'));
    const url = sourceUrl();
    const last = before.success && before.data.url === url ? before.data : undefined;
    const isDue =
      last === undefined ||
      now() - (last.fullAt ?? 0) >= FULL_EVERY_MS ||
      articles.count('host') === 0;
    const rereads = state.read('read_by') !== TREATMENT && articles.count() > 0;
    const listsAll = full || force || isDue || rereads;
    const updatedSince = listsAll ? undefined : dayOf(last.at - OVERLAP_MS);
    sync.clear();
    return newSyncRun({
      id: parts.newId(),
      startedAt: now(),
      full: listsAll,
      force,
      rereads,
      updatedSince,
    });
  };

  const sourceUrl = (): string | undefined => {
    try {
      return parts.source().url;
    } catch {
      // The first step meets the same error and reports it.
      return undefined;
    }
  };

  const end = (
    run: SyncRun,
    { outcome, error }: { outcome: SyncReport['outcome']; error: ErrorInfo | null },
  ): void => {
    const edition = editions.current()?.manifest.edition ?? null;
    commit(run, parts.sql, state, (stored) => {
      state.write(
        'report',
        reportOf({ ...stored, writes: run.writes }, { outcome, error, edition, now: now() }),
      );
      const url = sourceUrl();
      if (outcome !== 'failed' && url !== undefined) {
        const last = ListedFrom.safeParse(state.read('listed_from')).data;
        const fullAt = run.full ? run.startedAt : last?.fullAt;
        state.write('listed_from', { url, at: run.startedAt, fullAt });
        if (run.full && state.read('read_by') !== TREATMENT) state.write('read_by', TREATMENT);
      }
      sync.clear();
      return undefined;
    });
  };

  const stepRun = async (run: SyncRun): Promise<boolean> => {
    try {
      if (isEmbedding(run) && (embedder?.dueAt() ?? 0) > now()) return false;
      if (run.phase !== 'publishing') {
        await stepSync(run, { ...parts, client: () => parts.source().client });
        return true;
      }
      const step = await publish();
      const writes = run.writes + step.writes;
      if (step.next !== 'done') {
        commit(run, sql, state, (stored) => ({
          ...stored,
          writes,
          embedded: stored.embedded + step.passages,
          failures: 0,
        }));
        return step.next === 'more';
      }
      if (run.embedsNext) {
        const embedding = { phase: 'embedding' as const, embedsNext: false, failures: 0 };
        commit(run, sql, state, (stored) => ({ ...stored, writes, ...embedding }));
        return true;
      }
      end({ ...run, writes }, { outcome: writes > 0 ? 'published' : 'unchanged', error: null });
      return true;
    } catch (error) {
      return failed(run, error);
    }
  };

  /** Returns whether work can continue at once. */
  const failed = (run: SyncRun, error: unknown): boolean => {
    parts.onFault('sync', error);
    if (error instanceof HostKbError) {
      end(run, {
        outcome: 'failed',
        error: errorInfo('DATA_SOURCE_ERROR', { message: error.message }),
      });
      return true;
    }
    if (isOutage(error) && run.failures + 1 >= MAX_FAILURES) {
      // The edition is published once the index answers again, without a sync.
      state.write('publish_at', large?.stepDueAt() ?? now() + PUBLISH_AGAIN_MS);
      const message = large?.problem() ?? 'Cannot publish now: the index does not answer';
      const suggestion = 'It is retried by itself; the edition before stays';
      end(run, {
        outcome: 'failed',
        error: errorInfo('DATA_SOURCE_ERROR', { message, suggestion, recoverable: true }),
      });
      return true;
    }
    if (error instanceof EditionTooLarge) {
      sql.transaction(() => state.write('publish_at', undefined));
      end(run, { outcome: 'failed', error: errorInfo(error.code, error.reported) });
      return true;
    }
    if (run.failures + 1 >= MAX_FAILURES) {
      end(run, {
        outcome: 'failed',
        error: errorInfo('INTERNAL_ERROR', {
          message: 'Cannot finish the sync: something went wrong inside',
        }),
      });
      return true;
    }
    commit(run, parts.sql, state, (stored) => ({ ...stored, failures: stored.failures + 1 }));
    return false;
  };

  const publish = async (): Promise<PublicationStep> => {
    const step = await parts.publish();
    sql.transaction(() => {
      const publishAt = state.read('publish_at');
      // What is planned goes on when the index may answer.
      if (step.next === 'waiting' && typeof publishAt === 'number')
        state.write('publish_at', large?.stepDueAt() ?? now() + PUBLISH_AGAIN_MS);
      if (step.next !== 'done' || editions.current()?.revision !== state.revision()) return;
      state.write('publish_at', undefined);
      state.write('publish_by', undefined);
    });
    return step;
  };

  const publishDue = async (): Promise<void> => {
    try {
      if (currentRun() === undefined) await embedShortly();
      await publish();
    } catch (error) {
      parts.onFault('publish', error);
      // It stays too large until an article is written or deleted, which plans the next attempt.
      state.write(
        'publish_at',
        error instanceof EditionTooLarge
          ? undefined
          : (large?.stepDueAt() ?? now() + PUBLISH_AGAIN_MS),
      );
      const last = StoredReport.safeParse(state.read('report'));
      if (error instanceof EditionTooLarge && last.success) {
        state.write('report', {
          ...last.data,
          outcome: 'failed',
          error: errorInfo(error.code, error.reported),
        });
      }
    }
  };

  /** One step for what was written outside of a sync or given up before; the result is published at its end. */
  const embedDue = async (options: { limitMs?: number } = {}): Promise<EmbeddingStep['next']> => {
    const note = await embedder?.step(options);
    return sql.transaction(() => {
      const { next } = note?.() ?? { next: 'done' as const };
      if (next !== 'more' && editions.current()?.revision !== state.revision())
        state.write('publish_at', now());
      return next;
    });
  };

  const embedOrPostpone = async (options?: { limitMs: number }): Promise<EmbeddingStep['next']> => {
    try {
      return await embedDue(options);
    } catch (error) {
      parts.onFault('embed', error);
      embedder?.postpone();
      return 'given-up';
    }
  };

  /** New articles wait for their vectors, but not for long: publishing their words takes precedence. */
  const embedShortly = async (): Promise<void> => {
    if (embedder === undefined || (embedder.dueAt() ?? 0) > now()) return;
    for (let step = 0; step < SHORT_STEPS; step += 1)
      if ((await embedOrPostpone({ limitMs: SHORT_LIMIT_MS })) !== 'more') return;
  };

  /** An edition's record is deleted only after its parts in edition storage, since only the record lists them. */
  const cleanUp = async (): Promise<void> => {
    if (cleanAfter() > now()) return;
    const old = editions.old({ retired: now() - EDITION_GRACE_MS, stored: now() - ORPHAN_MS });
    try {
      for (const manifest of old) {
        await Promise.all(manifest.parts.map(({ key }) => parts.editionStorage.delete(key)));
        // One after the other: there may be thousands.
        for (let page = 0; page < (manifest.pages ?? 0); page += 1)
          await parts.editionStorage.delete(partKey(manifest, FIRST_PAGE + page));
        editions.remove(manifest.edition);
      }
      if (old.length > 0) state.write('clean_after', undefined);
    } catch (error) {
      parts.onFault('clean up', error);
      state.write('clean_after', now() + CLEAN_AGAIN_MS);
    }
  };

  const work = async (): Promise<void> => {
    await cleanUp();
    await large?.clean().catch((error) => parts.onFault('remove passages', error));
    for (let step = 0; step < STEPS_AT_ONCE; step += 1) {
      const publishAt = state.read('publish_at');
      const isDue = typeof publishAt === 'number' && publishAt <= now();
      const run = currentRun();
      const isEmbedDue =
        run === undefined && (embedder?.dueAt() ?? Number.POSITIVE_INFINITY) <= now();
      if (!isDue && !isEmbedDue && run === undefined) break;
      if (isDue) await publishDue();
      else if (isEmbedDue) await embedOrPostpone();
      if (run !== undefined && !(await stepRun(run))) break;
    }
    for (
      let step = 0;
      step < STEPS_AT_ONCE && (removalDueAt() ?? Number.POSITIVE_INFINITY) <= now();
      step += 1
    )
      await parts.removeVectors?.();
    wake();
  };

  return { status, openReport: reportToAll, start, syncNow, work, wake, nextDueAt };
}

const isEmbedding = ({ phase }: SyncRun): boolean => phase === 'embedding';

/** In the documented format of `updated_since`: a host may know days only. Duplicates are detected by hash. */
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** 0 s, 1 s, 2 s. */
const backOff = ({ failures }: SyncRun): number => (failures === 0 ? 0 : 500 * 2 ** failures);

/** The model or the index does not answer, which passes. */
const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof EmbeddingFailed;

const progressOf = (run: SyncRun, large: LargePublisher | undefined): SyncProgress => ({
  ...indexProgress(run, large),
  ...(run.phase === 'embedding' ? { embedded: run.embedded, to_embed: run.toEmbed } : {}),
  run_id: run.id,
  full: run.full,
  started_at: new Date(run.startedAt).toISOString(),
  listed: run.received,
  ...(run.total === undefined ? {} : { total: run.total }),
  processed: run.processed,
  to_process: run.toProcess,
});

const indexProgress = (
  { phase }: SyncRun,
  large: LargePublisher | undefined,
): Pick<SyncProgress, 'indexed' | 'to_index' | 'seconds_left'> => {
  const progress = phase === 'publishing' ? large?.progress() : undefined;
  if (progress === undefined) return {};
  const { indexed, toIndex: to_index, secondsLeft: seconds_left } = progress;
  return { indexed, to_index, seconds_left };
};

interface SyncParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  sync: SyncStore;
  client: () => HostKbClient;
  normalise: NormaliseOptions;
  vectors: Pick<VectorStore, 'wantedCount' | 'missingCount'>;
  /** Present if there is an embedding model. */
  embedder?: ChunkEmbedder | undefined;
}

/** A sync removes nothing when more than this share of the host's articles would go. */
export const DELETION_LIMIT = 0.3;

const MAX_PAGES = 2000;
/** Batch of one step: some 0.3 s of work. */
const BATCH = { maxArticles: 50, maxBytes: 500_000 };

/**
 * Takes a sync one step further: one page, one comparison or one batch. What a step writes it writes in one transaction
 * together with the run, so that a crash between two steps, or within one, costs at most that step's work.
 *
 * @throws {HostKbError} When the listing cannot be read or not be trusted.
 */
const stepSync = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  if (run.phase === 'listing') await stepListing(run, parts);
  else if (run.phase === 'comparing') commitStep(run, parts, compare);
  else if (run.phase === 'chunking') commitStep(run, parts, takeInBatch);
  else if (run.phase === 'embedding') await stepEmbedding(run, parts);
};

/**
 * Stores what `change` makes of the run as it is stored now; `undefined` ends it. Does nothing when another step came
 * between.
 */
const commit = (
  { id, step }: SyncRun,
  sql: Sql,
  state: LibraryState,
  change: (run: SyncRun) => SyncRun | undefined,
): void =>
  sql.transaction(() => {
    const stored = SyncRun.optional().parse(state.read('run'));
    if (stored?.id !== id || stored.step !== step) return;
    const run = change(stored);
    state.write('run', run && { ...run, step: step + 1 });
  });

/** Commits a step that works on the run in place. */
const commitStep = (
  run: SyncRun,
  parts: SyncParts,
  work: (run: SyncRun, parts: SyncParts) => void,
): void =>
  commit(run, parts.sql, parts.state, (stored) => {
    work(stored, parts);
    return { ...stored, failures: 0 };
  });

/** Articles of our own that are read again in a step. */
const OWN_AT_ONCE = 20;

/** Reads articles that were written over HTTP again, from what was written. */
const rereadOwn = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  const { articles, normalise } = parts;
  const ids = articles.ownIds(run.ownAfter, OWN_AT_ONCE);
  const written = ids.flatMap((id) => articles.read(id) ?? []);
  const replies = await Promise.all(
    written.map(async (stored) => {
      const reply = replyOfStored(stored, normalise);
      return { reply, hash: await hashArticle(reply), content: stored.content };
    }),
  );
  commitStep(run, parts, (current) => {
    let isChanged = false;
    for (const { reply, hash, content } of replies) {
      // Written or deleted again meanwhile.
      if (articles.owner(reply.id) !== 'local' || articles.read(reply.id)?.content !== content)
        continue;
      if (articles.known([reply.id]).get(reply.id)?.hash === hash) continue;
      isChanged = takeIn(current, { reply, hash }, parts, 'local') || isChanged;
    }
    if (isChanged) parts.state.bumpRevision();
    current.ownAfter = ids.at(-1) ?? current.ownAfter;
    current.isOwnRead = ids.length < OWN_AT_ONCE;
  });
};

const replyOfStored = (
  stored: StoredArticle,
  { articleUrl }: SyncParts['normalise'],
): HostArticleReply => ({
  id: stored.id,
  title: stored.title,
  content: stored.content,
  ...(stored.url === articleUrl(stored.id) ? {} : { url: stored.url }),
  metadata: {
    intent: stored.intents,
    device: stored.devices,
    last_updated: stored.lastUpdated,
    author: stored.author,
    audience: stored.audiences,
    format: stored.format,
    language: stored.language,
    translation_key: stored.translationKey,
  },
});

const stepListing = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  if (run.rereads && !run.isOwnRead) return rereadOwn(run, parts);
  const { updatedSince, cursor } = run;
  if (run.pages >= MAX_PAGES) throw new HostKbError(`more than ${MAX_PAGES} pages`);
  const page = await parts.client().readPage({ updatedSince }, cursor);
  const hashed = await Promise.all(
    page.articles.map(async (reply) => ({ reply, hash: await hashArticle(reply) })),
  );
  commitStep(run, parts, (stored) => addPage(stored, { page, hashed }, parts));
};

const addPage = (
  run: SyncRun,
  { page, hashed }: { page: HostPage; hashed: StagedArticle[] },
  parts: SyncParts,
): void => {
  const { sync, articles } = parts;
  const ids = [
    ...new Set([...hashed.map(({ reply }) => reply.id), ...page.skipped.map(({ id }) => id)]),
  ];
  const before = sync.listed(ids);
  const known = articles.known(ids);
  addSkipped(run, page.skipped, 'some');
  run.nameless += page.skipped.filter(
    ({ id }) => !KnowledgeFile.safeParse(id).success || id.startsWith('('),
  ).length;
  const seen = new Set(before);
  for (const article of hashed) {
    const { id } = article.reply;
    const version = known.get(id);
    const problem = seen.has(id)
      ? 'its id was listed before'
      : version?.owner === 'local'
        ? LOCAL
        : undefined;
    seen.add(id);
    if (problem)
      addSkipped(
        run,
        [{ id, reason: `Cannot take in the article: ${problem}` }],
        readersOf(article.reply),
      );
    else if (version?.hash === article.hash || sync.isTombstone(id))
      countChange(run, {
        before: version?.readers ?? readersOf(article.reply),
        after: undefined,
        isSame: true,
      });
    else sync.stage(article);
  }
  // A host that does not page sends the same again and again; one that loops, the same cursor.
  const isRepeated =
    run.cursor?.kind === 'count' && ids.length > 0 && ids.every((id) => before.has(id));
  const next = isRepeated ? undefined : page.next;
  sync.addPage({ number: run.pages, cursor: JSON.stringify(run.cursor ?? null), ids });
  if (next && sync.hasCursor(JSON.stringify(next)))
    throw new HostKbError('its pages lead in a circle');
  run.pages += 1;
  run.received += isRepeated ? 0 : page.received;
  if (page.total !== undefined) run.total = page.total;
  if (next) run.cursor = next;
  else run.phase = 'comparing';
};

const LOCAL = 'the library has an article of its own under this id';

const compare = (run: SyncRun, { sync, articles, state, embedder }: SyncParts): void => {
  if (run.full) {
    const known = articles.count('host');
    if (run.total !== undefined && run.received < run.total)
      throw new HostKbError(
        `the host says that there are ${run.total} articles, and sent ${run.received}`,
      );
    if (run.received === 0 && known > 0)
      throw new HostKbError(`it is empty, and ${known} articles are known`);
    removeUnlisted(run, { sync, articles, state, known });
    // An incomplete listing does not show which articles the host has deleted.
    if (run.held === null && run.nameless === 0) sync.removeUnlistedTombstones();
  }
  run.toProcess = sync.stagedCount();
  if (run.toProcess > 0) run.phase = 'chunking';
  else leaveChunking(run, embedder);
};

/** Deletions do not wait for the vectors of other articles: an edition without them is published first. */
const leaveChunking = (run: SyncRun, embedder: ChunkEmbedder | undefined): void => {
  run.embedsNext = embedder !== undefined && run.removed + run.changed > 0;
  run.phase = embedder === undefined || run.embedsNext ? 'publishing' : 'embedding';
};

const removeUnlisted = (
  run: SyncRun,
  {
    sync,
    articles,
    state,
    known,
  }: Pick<SyncParts, 'sync' | 'articles' | 'state'> & { known: number },
): void => {
  const gone = sync.unlisted();
  if (gone.length === 0) return;
  if (!run.force && (gone.length > known * DELETION_LIMIT || run.nameless > 0)) {
    run.held = {
      count: gone.length,
      of: known,
      limit: DELETION_LIMIT,
      ids: gone.slice(0, 20),
      how_to_force:
        'Send POST /v1/sync with {"full": true, "force": true} to remove them after all',
    };
    return;
  }
  const before = articles.known(gone);
  for (const id of gone) {
    run.writes += articles.remove(id);
    countChange(run, { before: before.get(id)?.readers, after: undefined });
  }
  state.bumpRevision();
};

const takeInBatch = (
  run: SyncRun,
  { sync, articles, state, normalise, embedder }: SyncParts,
): void => {
  const batch = sync.nextStaged(BATCH);
  const known = articles.known(batch.map(({ id }) => id));
  let isChanged = false;
  for (const { id, article } of batch) {
    sync.unstage(id);
    run.processed += 1;
    // Written or deleted here since it was listed: what was done here counts.
    if (known.get(id)?.owner === 'local' || sync.isTombstone(id)) continue;
    if (article === undefined) addSkipped(run, [{ id, reason: DAMAGED }], 'some');
    else isChanged = takeIn(run, article, { articles, normalise }) || isChanged;
  }
  if (isChanged) state.bumpRevision();
  if (sync.stagedCount() === 0) leaveChunking(run, embedder);
};

const DAMAGED =
  'Cannot take in the article: the copy that was fetched is damaged. The next full sync fetches it again';

/** Stores an article and counts it; false when it was refused. */
const takeIn = (
  run: SyncRun,
  { reply, hash }: StagedArticle,
  { articles, normalise }: Pick<SyncParts, 'articles' | 'normalise'>,
  owner: ArticleOwner = 'host',
): boolean => {
  try {
    const { warnings, omitted, content, format, ...entry } = takeInArticle(reply, normalise);
    const before = articles.known([reply.id]).get(reply.id)?.readers;
    const after = entry.article.audiences === undefined ? 'everybody' : 'some';
    run.writes += articles.put(entry, {
      owner,
      hash,
      content,
      format,
      reading: readingOf({ omitted, warnings }),
    });
    countChange(run, { before, after });
    addWarnings(
      run,
      warnings.map((reason) => ({ id: reply.id, reason })),
      after,
    );
    return true;
  } catch (error) {
    if (!(error instanceof ArticleRefused)) throw error;
    addSkipped(run, [{ id: reply.id, reason: error.message }], readersOf(reply));
    return false;
  }
};

/** Who may read an article that is not taken in: as it says itself, which its front matter may do too. */
const readersOf = (reply: HostArticleReply): Readers =>
  isForEverybody(reply) ? 'everybody' : 'some';

const stepEmbedding = async (run: SyncRun, parts: SyncParts): Promise<void> => {
  const note = await parts.embedder?.step();
  commitStep(run, parts, (stored) => {
    const {
      embedded,
      next,
      warning,
      article = '(vectors)',
    }: EmbeddingStep = note?.() ?? { embedded: 0, next: 'done' };
    stored.embedded += embedded;
    stored.writes += embedded;
    const wanted = parts.vectors.wantedCount();
    stored.toEmbed = stored.embedded + wanted;
    if (warning !== undefined) addWarnings(stored, [{ id: article, reason: warning }], 'some');
    if (next !== 'done' && next !== 'given-up') return;
    stored.missing = parts.vectors.missingCount();
    stored.phase = 'publishing';
  });
};
