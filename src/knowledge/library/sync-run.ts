import * as z from 'zod';
import { type ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import { HostArticleReply } from '../../contract/wire/host-article.ts';
import { HeldDeletions, SkippedArticle, SyncReport } from '../../contract/wire/sync.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import { readStored, type Sql } from '../../platform/storage/sql.ts';
import { HostCursor } from './host-kb-client.ts';

const Count = z.int().min(0).default(0);
const Named = z
  .array(SkippedArticle)
  .max(100)
  .default(() => []);

/** What a sync did to articles for everybody, which is all that those see of it who may not read every article. */
const OpenChanges = z.object({
  added: Count,
  changed: Count,
  removed: Count,
  unchanged: Count,
  skipped: Named,
  skippedCount: Count,
  warnings: Named,
  warningCount: Count,
});

/** A sync between two steps. Everything needed to resume after a crash is here and in its tables. */
export const SyncRun = z.object({
  id: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  full: z.boolean(),
  force: z.boolean(),
  phase: z.enum(['listing', 'comparing', 'chunking', 'embedding', 'publishing']),
  /** Version: a step that finds another number than it began with has been superseded. */
  step: Count,
  /** Steps in a row that failed for no reason of the host's. */
  failures: Count,
  updatedSince: z.string().optional(),
  cursor: HostCursor.optional(),
  pages: Count,
  received: Count,
  total: z.int().min(0).optional(),
  /** Entries without a usable id: any known article may be among them. */
  nameless: Count,
  skipped: Named,
  skippedCount: Count,
  warnings: Named,
  warningCount: Count,
  added: Count,
  changed: Count,
  removed: Count,
  unchanged: Count,
  writes: Count,
  toProcess: Count,
  processed: Count,
  held: HeldDeletions.nullable().default(null),
  open: OpenChanges.prefault({}),
  /** Texts embedded, those that had no vector when that began, and those that have none in the end. */
  embedded: Count,
  toEmbed: Count,
  missing: Count,
  /** Whether all articles are read again, as this version reads them differently, and the last of our own that was. */
  rereads: z.boolean().default(false),
  ownAfter: z.string().default(''),
  isOwnRead: z.boolean().default(false),
  /** Whether embedding follows the publishing in progress. */
  embedsNext: z.boolean().default(false),
});
export type SyncRun = z.infer<typeof SyncRun>;

export function newSyncRun(
  begin: Pick<SyncRun, 'id' | 'startedAt' | 'full' | 'force' | 'rereads'> & {
    updatedSince?: string | undefined;
  },
): SyncRun {
  return SyncRun.parse({ ...begin, phase: 'listing' });
}

const MAX_NAMED = 100;

/** Who may read an article that a sync names: everybody, or only some; those too of which it is not known. */
export type Readers = 'everybody' | 'some';

/** Adds articles that were not taken in; a hundred are named, all are counted. */
export function addSkipped(
  run: SyncRun,
  skipped: readonly SkippedArticle[],
  readers: Readers,
): void {
  for (const list of readers === 'everybody' ? [run, run.open] : [run]) {
    list.skippedCount += skipped.length;
    list.skipped.push(...skipped.slice(0, MAX_NAMED - list.skipped.length).map(shortened));
  }
}

export function addWarnings(
  run: SyncRun,
  warnings: readonly SkippedArticle[],
  readers: Readers,
): void {
  for (const list of readers === 'everybody' ? [run, run.open] : [run]) {
    list.warningCount += warnings.length;
    list.warnings.push(...warnings.slice(0, MAX_NAMED - list.warnings.length).map(shortened));
  }
}

/**
 * Counts an article that was taken in, removed, or left as it was.
 *
 * @param before Who could read it; undefined when it was not there.
 * @param after Who can read it now; undefined when it was removed.
 */
export function countChange(
  run: SyncRun,
  change: { before: Readers | undefined; after: Readers | undefined; isSame?: boolean },
): void {
  const kind = kindOf(change);
  if (kind !== undefined) run[kind] += 1;
  const forEverybody = (readers: Readers | undefined) =>
    readers === 'everybody' ? readers : undefined;
  const own = kindOf({
    ...change,
    before: forEverybody(change.before),
    after: forEverybody(change.after),
  });
  if (own !== undefined) run.open[own] += 1;
}

const kindOf = ({
  before,
  after,
  isSame = false,
}: Parameters<typeof countChange>[1]):
  | 'added'
  | 'changed'
  | 'removed'
  | 'unchanged'
  | undefined => {
  if (isSame) return before === undefined ? undefined : 'unchanged';
  if (before === undefined) return after === undefined ? undefined : 'added';
  return after === undefined ? 'removed' : 'changed';
};

const shortened = ({ id, reason }: SkippedArticle): SkippedArticle => ({
  id: id.slice(0, 300),
  reason: reason.slice(0, 500),
});

/** Result of a run. */
export function reportOf(
  run: SyncRun,
  end: {
    outcome: SyncReport['outcome'];
    error: ErrorInfo | null;
    edition: string | null;
    now: number;
  },
): StoredReport {
  return {
    run_id: run.id,
    full: run.full,
    forced: run.force,
    outcome: end.outcome,
    added: run.added,
    changed: run.changed,
    removed: run.removed,
    unchanged: run.unchanged,
    skipped_count: run.skippedCount,
    skipped: run.skipped,
    warning_count: run.warningCount,
    warnings: run.warnings,
    held_deletions: run.held,
    open: run.open,
    writes: run.writes,
    embeddings: run.embedded,
    ...(run.missing === 0 ? {} : { embeddings_missing: run.missing }),
    ...(run.rereads ? { reread: true } : {}),
    error: end.error,
    edition: end.edition,
    started_at: new Date(run.startedAt).toISOString(),
    finished_at: new Date(end.now).toISOString(),
  };
}

/** A report as it is stored: with what those see of it who may not read every article. */
export const StoredReport = SyncReport.extend({ open: OpenChanges.prefault({}) });
type StoredReport = z.infer<typeof StoredReport>;

/** The report without what concerns articles for some only, the numbers that are made of all, and a failure's words, which may tell them. */
export function openReport({ open, error, ...report }: StoredReport): SyncReport {
  const { added, changed, removed, unchanged, skipped, skippedCount, warnings, warningCount } =
    open;
  const { embeddings_missing: _, ...rest } = report;
  const outcome = added + changed + removed > 0 ? 'published' : 'unchanged';
  return {
    ...rest,
    outcome: report.outcome === 'failed' ? 'failed' : outcome,
    added,
    changed,
    removed,
    unchanged,
    skipped,
    skipped_count: skippedCount,
    warnings,
    warning_count: warningCount,
    held_deletions: null,
    writes: 0,
    embeddings: 0,
    error: error && errorInfo(error.code),
  };
}

/** A listed article that differs from what is known, until it is taken in. */
export interface StagedArticle {
  reply: HostArticleReply;
  hash: string;
}

/** Tables of a running sync, besides its `SyncRun`. */
export interface SyncStore {
  addPage(page: { number: number; cursor: string; ids: readonly string[] }): void;
  /** Whether a page was read with this cursor in this run. */
  hasCursor(cursor: string): boolean;
  /** Those of the ids that previous pages contained. */
  listed(ids: readonly string[]): Set<string>;
  /** Ids of the host's articles that no page has named, sorted. */
  unlisted(): string[];
  stage(article: StagedArticle): void;
  stagedCount(): number;
  /** The next articles to process: at most `maxArticles`, and at most `maxBytes` of content except the first. */
  /** Those whose stored copy is damaged have an id only. */
  nextStaged(bounds: {
    maxArticles: number;
    maxBytes: number;
  }): { id: string; article: StagedArticle | undefined }[];
  unstage(id: string): void;
  clear(): void;
  isTombstone(id: string): boolean;
  addTombstone(id: string): void;
  removeTombstone(id: string): void;
  /** Deletes entries whose article no page contained. */
  removeUnlistedTombstones(): void;
}

const LISTED = 'SELECT value FROM listed, json_each(listed.ids)';

export function syncStore(sql: Sql): SyncStore {
  return {
    addPage: ({ number, cursor, ids }) =>
      sql.run(
        'INSERT OR REPLACE INTO listed (page, cursor, ids) VALUES (?, ?, ?)',
        number,
        cursor,
        JSON.stringify(ids),
      ),
    hasCursor: (cursor) =>
      sql.all('SELECT 1 AS one FROM listed WHERE cursor = ?', cursor).length > 0,
    listed: (ids) => {
      const rows = sql.all<{ value: string }>(
        `${LISTED} WHERE value IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      );
      return new Set(rows.map(({ value }) => value));
    },
    unlisted: () =>
      sql
        .all<{ id: string }>(
          `SELECT id FROM articles WHERE source = 'host' AND id NOT IN (${LISTED}) ORDER BY id`,
        )
        .map(({ id }) => id),
    stage: ({ reply: { content, ...fields }, hash }) =>
      sql.run(
        'INSERT OR REPLACE INTO staged (id, hash, fields, content) VALUES (?, ?, ?, ?)',
        ...[fields.id, hash, JSON.stringify(fields), content],
      ),
    stagedCount: () => sql.all<{ n: number }>('SELECT count(*) AS n FROM staged')[0]?.n ?? 0,
    nextStaged: ({ maxArticles, maxBytes }) => {
      const sizes = sql.all<{ id: string; size: number }>(
        'SELECT id, octet_length(content) AS size FROM staged ORDER BY rowid LIMIT ?',
        maxArticles,
      );
      let bytes = 0;
      const ids = sizes.filter(({ size }, index) => {
        bytes += size;
        return index === 0 || bytes <= maxBytes;
      });
      return ids.flatMap(({ id }) =>
        sql
          .all<StagedRow>('SELECT * FROM staged WHERE id = ?', id)
          .map((row) => ({ id, article: stagedOf(row) })),
      );
    },
    unstage: (id) => sql.run('DELETE FROM staged WHERE id = ?', id),
    clear: () => {
      sql.run('DELETE FROM listed');
      sql.run('DELETE FROM staged');
    },
    isTombstone: (id) => sql.all('SELECT 1 AS one FROM tombstones WHERE id = ?', id).length > 0,
    addTombstone: (id) => sql.run('INSERT OR IGNORE INTO tombstones (id) VALUES (?)', id),
    removeTombstone: (id) => sql.run('DELETE FROM tombstones WHERE id = ?', id),
    removeUnlistedTombstones: () => sql.run(`DELETE FROM tombstones WHERE id NOT IN (${LISTED})`),
  };
}

interface StagedRow extends Record<string, string> {
  hash: string;
  fields: string;
  content: string;
}

const stagedOf = ({ hash, fields, content }: StagedRow): StagedArticle | undefined => {
  const read = readAs(HostArticleReply, {
    ...readStored(z.record(z.string(), z.unknown()), fields),
    content,
  });
  return read.ok ? { hash, reply: read.value } : undefined;
};
