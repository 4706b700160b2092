import type { Sql } from '../../storage/sql.ts';
import { backOffMs } from './ticket-times.ts';

/** A sync of a workspace's knowledge base that an article event asked for. */
export interface ArticleSync {
  /** `full` notices what is gone. Several requests before it has begun are one. */
  request(options: { full: boolean; now: number }): void;
  /** When it is to be asked for; undefined when none is. */
  dueAt(): number | undefined;
  /** Asks for it, when it is due. Never throws. */
  work(): Promise<void>;
}

export interface ArticleSyncParts {
  sql: Sql;
  now: () => number;
  random: () => number;
  retryMs: number;
  /** Starts a sync. False when one was running already, which may have read the articles before they changed. Throws when it cannot. */
  start(options: { full: boolean }): Promise<boolean>;
  onFault(where: string, error: unknown): void;
}

/** While another sync runs: a few seconds, as it takes. */
const BUSY_RETRIES = 2;

type Asked = { asked: number; full: number; failures: number; due_at: number };

/** Kept until a sync has begun that was asked for after the last event: none is lost, however often it fails. */
export const articleSync = ({ sql, now, random, retryMs, start, onFault }: ArticleSyncParts): ArticleSync => {
  sql.run(
    `CREATE TABLE IF NOT EXISTS article_sync (
      id INTEGER PRIMARY KEY, asked INTEGER NOT NULL, full INTEGER NOT NULL, failures INTEGER NOT NULL, due_at INTEGER NOT NULL
    )`,
  );
  const asked = (): Asked | undefined => sql.all<Asked>('SELECT asked, full, failures, due_at FROM article_sync')[0];
  const again = (failures: number): void =>
    sql.run(
      'UPDATE article_sync SET failures = ?, due_at = ?',
      ...[failures, now() + backOffMs(failures === 0 ? BUSY_RETRIES : failures, { retryMs, random })],
    );
  return {
    request: ({ full, now: time }) =>
      sql.run(
        `INSERT INTO article_sync (id, asked, full, failures, due_at) VALUES (1, 1, ?, 0, ?)
          ON CONFLICT (id) DO UPDATE SET asked = asked + 1, full = max(full, excluded.full)`,
        ...[full ? 1 : 0, time],
      ),
    dueAt: () => asked()?.due_at,
    work: async () => {
      const wanted = asked();
      if (wanted === undefined || wanted.due_at > now()) return;
      try {
        const hasBegun = await start({ full: wanted.full === 1 });
        // What was asked for in the meantime may not be in what was begun.
        if (hasBegun) sql.run('DELETE FROM article_sync WHERE asked = ?', wanted.asked);
        if (asked() !== undefined) again(0);
      } catch (error) {
        onFault('sync', error);
        again(wanted.failures + 1);
      }
    },
  };
};
