import { HostArticleReply } from '../../contract/host-article.ts';
import type { Sql } from '../../storage/sql.ts';

/** A listed article that differs from what is known, until it is taken in. */
export interface StagedArticle {
  reply: HostArticleReply;
  hash: string;
}

/** What a running sync keeps between its steps, beside its `SyncRun`. */
export interface SyncStore {
  addPage(page: { number: number; cursor: string; ids: readonly string[] }): void;
  /** Whether a page was read with this cursor in this run. */
  hasCursor(cursor: string): boolean;
  /** Those of the ids that pages before have named. */
  listed(ids: readonly string[]): Set<string>;
  /** Ids of the host's articles that no page has named, sorted. */
  unlisted(): string[];
  stage(article: StagedArticle): void;
  stagedCount(): number;
  /** The next ones to take in: at most `maxArticles`, and no more than `maxBytes` of content but for the first. */
  nextStaged(bounds: { maxArticles: number; maxBytes: number }): StagedArticle[];
  unstage(id: string): void;
  clear(): void;
  isTombstone(id: string): boolean;
  addTombstone(id: string): void;
  removeTombstone(id: string): void;
  /** Forgets those whose article no page has named. */
  removeUnlistedTombstones(): void;
}

const LISTED = 'SELECT value FROM listed, json_each(listed.ids)';

export const syncStore = (sql: Sql): SyncStore => ({
  addPage: ({ number, cursor, ids }) =>
    sql.run('INSERT OR REPLACE INTO listed (page, cursor, ids) VALUES (?, ?, ?)', number, cursor, JSON.stringify(ids)),
  hasCursor: (cursor) => sql.all('SELECT 1 AS one FROM listed WHERE cursor = ?', cursor).length > 0,
  listed: (ids) => {
    const rows = sql.all<{ value: string }>(
      `${LISTED} WHERE value IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    return new Set(rows.map(({ value }) => value));
  },
  unlisted: () =>
    sql
      .all<{ id: string }>(`SELECT id FROM articles WHERE source = 'host' AND id NOT IN (${LISTED}) ORDER BY id`)
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
    return ids.flatMap(({ id }) => sql.all<StagedRow>('SELECT * FROM staged WHERE id = ?', id).map(stagedOf));
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
});

interface StagedRow extends Record<string, string> {
  hash: string;
  fields: string;
  content: string;
}

const stagedOf = ({ hash, fields, content }: StagedRow): StagedArticle => ({
  hash,
  reply: HostArticleReply.parse({ ...JSON.parse(fields), content }),
});
