import * as z from 'zod';
import type { ErrorInfo } from '../../contract/error-info.ts';
import {
  type SyncAccepted,
  type SyncProgress,
  SyncReport,
  type SyncRequest,
  type SyncStatus,
} from '../../contract/sync.ts';
import { errorInfo } from '../../runtime/error-info-of.ts';
import type { EditionStorage } from '../../storage/edition-storage.ts';
import type { Sql } from '../../storage/sql.ts';
import type { NormaliseOptions } from '../articles/normalise-article.ts';
import type { ArticleStore } from './article-store.ts';
import type { EditionStore } from './edition-store.ts';
import type { ChunkEmbedder, EmbeddingStep } from './embed-chunks.ts';
import { HostKbError } from './fetch-host-json.ts';
import type { LibrarySource } from './library-source.ts';
import type { LibraryState } from './library-state.ts';
import { newSyncRun, reportOf, SyncRun } from './sync-run.ts';
import { commit, stepSync } from './sync-steps.ts';
import type { SyncStore } from './sync-store.ts';
import type { VectorStore } from './vector-store.ts';

export interface DriverParts {
  sql: Sql;
  state: LibraryState;
  articles: ArticleStore;
  editions: EditionStore;
  sync: SyncStore;
  shelf: EditionStorage;
  vectors: VectorStore;
  /** Both where there is an embedding model. */
  embedder?: ChunkEmbedder | undefined;
  removeVectors?: (() => Promise<void>) | undefined;
  source: () => LibrarySource;
  normalise: NormaliseOptions;
  /** Publishes what has changed; returns the rows written. */
  publish: () => Promise<number>;
  now: () => number;
  newId: () => string;
  wakeAt: (time: number) => void;
  onFault: (where: string, error: unknown) => void;
}

export interface SyncDriver {
  status(): SyncStatus;
  start(request: SyncRequest): SyncAccepted;
  /** Does what is due, for a while, and asks to be called again for the rest. */
  work(): Promise<void>;
  /** Asks to be called when the next thing is due. */
  wake(): void;
  nextDueAt(): number | undefined;
}

/** Readers may still be loading the edition before, for so long; its deleted texts go with it. */
const EDITION_GRACE_MS = 300_000;
/** Where an edition was stored and its publishing never ended. */
const ORPHAN_MS = 3_600_000;
/** Clocks differ, and a host may stamp an article before it shows it. */
const OVERLAP_MS = 600_000;
const PUBLISH_AGAIN_MS = 5000;
const CLEAN_AGAIN_MS = 60_000;
const MAX_FAILURES = 3;
/** What is embedded of articles that were written here before they are published. */
const SHORT_STEPS = 6;
const SHORT_LIMIT_MS = 3000;
/** Some 6 s of work at most: an alarm has 30 s of processor time. */
const STEPS_AT_ONCE = 20;

/** When and from where the last listing that was taken in began. */
const ListedFrom = z.object({ url: z.string(), at: z.number() });

/** Drives what a library does by itself, one step after the other; all that it knows is in the database. */
export const syncDriver = (parts: DriverParts): SyncDriver => {
  const { state, editions, articles, sync, sql, now, embedder } = parts;
  const currentRun = (): SyncRun | undefined => SyncRun.optional().parse(state.read('run'));

  const cleanAfter = (): number => Number(state.read('clean_after') ?? 0);

  /** Vectors that are not used any more go once the edition that used them is not the current one. */
  const removalDueAt = (): number | undefined => {
    const removeAt = state.read('remove_vectors_at');
    const isUsed = editions.current()?.revision !== state.revision();
    return parts.removeVectors === undefined || typeof removeAt !== 'number' || isUsed ? undefined : removeAt;
  };

  const nextDueAt = (): number | undefined => {
    const run = currentRun();
    const retiredAt = editions.firstRetiredAt();
    const publishAt = state.read('publish_at');
    const embedAt = embedder?.dueAt();
    const times = [
      run === undefined ? embedAt : Math.max(now() + backOff(run), isEmbedding(run) ? (embedAt ?? 0) : 0),
      removalDueAt(),
      typeof publishAt === 'number' ? publishAt : undefined,
      retiredAt === undefined ? undefined : Math.max(retiredAt + EDITION_GRACE_MS + 1, cleanAfter()),
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
    return {
      state: run?.phase ?? 'idle',
      edition: manifest?.edition ?? null,
      articles: manifest?.articles ?? 0,
      chunks: manifest?.chunks ?? 0,
      progress: run ? progressOf(run) : null,
      // One that an earlier version wrote may lack a member.
      last_report: SyncReport.nullable()
        .catch(null)
        .parse(state.read('report') ?? null),
    };
  };

  const start = ({ full = false, force = false }: SyncRequest): SyncAccepted => {
    const started = currentRun() === undefined;
    if (started) {
      sql.transaction(() => {
        const run = newRun({ full, force });
        state.write('run', run);
        embedder?.restart(run);
      });
    }
    wake();
    return { started, status: status() };
  };

  /** The first sync, and the first with another host, list everything whatever was asked for. */
  const newRun = ({ full, force }: { full: boolean; force: boolean }): SyncRun => {
    const before = ListedFrom.safeParse(state.read('listed_from'));
    const url = sourceUrl();
    const listsAll = full || force || !before.success || before.data.url !== url || articles.count('host') === 0;
    const updatedSince = listsAll ? undefined : dayOf(before.data.at - OVERLAP_MS);
    sync.clear();
    return newSyncRun({ id: parts.newId(), startedAt: now(), full: listsAll, force, updatedSince });
  };

  const sourceUrl = (): string | undefined => {
    try {
      return parts.source().url;
    } catch {
      // The first step meets the same error and reports it.
      return undefined;
    }
  };

  const end = (run: SyncRun, { outcome, error }: { outcome: SyncReport['outcome']; error: ErrorInfo | null }): void => {
    const edition = editions.current()?.manifest.edition ?? null;
    commit(run, parts.sql, state, (stored) => {
      state.write('report', reportOf({ ...stored, writes: run.writes }, { outcome, error, edition, now: now() }));
      const url = sourceUrl();
      if (outcome !== 'failed' && url !== undefined) state.write('listed_from', { url, at: run.startedAt });
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
      const writes = run.writes + (await publish());
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

  /** Returns whether work may go on at once. */
  const failed = (run: SyncRun, error: unknown): boolean => {
    parts.onFault('sync', error);
    if (error instanceof HostKbError) {
      end(run, { outcome: 'failed', error: errorInfo('DATA_SOURCE_ERROR', { message: error.message }) });
      return true;
    }
    if (run.failures + 1 >= MAX_FAILURES) {
      end(run, {
        outcome: 'failed',
        error: errorInfo('INTERNAL_ERROR', { message: 'Cannot finish the sync: something went wrong inside' }),
      });
      return true;
    }
    commit(run, parts.sql, state, (stored) => ({ ...stored, failures: stored.failures + 1 }));
    return false;
  };

  const publish = async (): Promise<number> => {
    const writes = await parts.publish();
    sql.transaction(() => {
      if (editions.current()?.revision !== state.revision()) return;
      state.write('publish_at', undefined);
      state.write('publish_by', undefined);
    });
    return writes;
  };

  const publishDue = async (): Promise<void> => {
    try {
      if (currentRun() === undefined) await embedShortly();
      await publish();
    } catch (error) {
      parts.onFault('publish', error);
      state.write('publish_at', now() + PUBLISH_AGAIN_MS);
    }
  };

  /** One step for what was written outside of a sync, or was given up before; what it brings is published when it ends. */
  const embedDue = async (options: { limitMs?: number } = {}): Promise<EmbeddingStep['next']> => {
    const note = await embedder?.step(options);
    return sql.transaction(() => {
      const { next } = note?.() ?? { next: 'done' as const };
      if (next !== 'more' && editions.current()?.revision !== state.revision()) state.write('publish_at', now());
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

  /** What was just written waits for its vectors, but not for long: its words are worth more. */
  const embedShortly = async (): Promise<void> => {
    if (embedder === undefined || (embedder.dueAt() ?? 0) > now()) return;
    for (let step = 0; step < SHORT_STEPS; step += 1)
      if ((await embedOrPostpone({ limitMs: SHORT_LIMIT_MS })) !== 'more') return;
  };

  /** An edition is forgotten only once the shelf has forgotten it: nobody else knows what lies there. */
  const cleanUp = async (): Promise<void> => {
    if (cleanAfter() > now()) return;
    const old = editions.old({ retired: now() - EDITION_GRACE_MS, stored: now() - ORPHAN_MS });
    try {
      for (const manifest of old) {
        await Promise.all(manifest.parts.map(({ key }) => parts.shelf.delete(key)));
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
    for (let step = 0; step < STEPS_AT_ONCE; step += 1) {
      const publishAt = state.read('publish_at');
      const isDue = typeof publishAt === 'number' && publishAt <= now();
      const run = currentRun();
      const isEmbedDue = run === undefined && (embedder?.dueAt() ?? Number.POSITIVE_INFINITY) <= now();
      if (!isDue && !isEmbedDue && run === undefined) break;
      if (isDue) await publishDue();
      else if (isEmbedDue) await embedOrPostpone();
      if (run !== undefined && !(await stepRun(run))) break;
    }
    for (let step = 0; step < STEPS_AT_ONCE && (removalDueAt() ?? Number.POSITIVE_INFINITY) <= now(); step += 1)
      await parts.removeVectors?.();
    wake();
  };

  return { status, start, work, wake, nextDueAt };
};

const isEmbedding = ({ phase }: SyncRun): boolean => phase === 'embedding';

/** As seed 001 shows `updated_since`: a host may know days only. What it sends twice is told by its hash. */
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** 0 s, 1 s, 2 s. */
const backOff = ({ failures }: SyncRun): number => (failures === 0 ? 0 : 500 * 2 ** failures);

const progressOf = (run: SyncRun): SyncProgress => ({
  ...(run.phase === 'embedding' ? { embedded: run.embedded, to_embed: run.toEmbed } : {}),
  run_id: run.id,
  full: run.full,
  started_at: new Date(run.startedAt).toISOString(),
  listed: run.received,
  ...(run.total === undefined ? {} : { total: run.total }),
  processed: run.processed,
  to_process: run.toProcess,
});
