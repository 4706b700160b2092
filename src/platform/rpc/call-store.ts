import { migrate, type Sql } from '../storage/sql.ts';

/** Calls that were made, so that a replay is rejected everywhere (docs/contract.md#calls-between-librarians). */
interface CallStore {
  /** Notes a call by the hash of its link; returns whether it is the first with that hash. */
  isFirst(linkHash: string, options: { ttlSeconds: number; nowMs: number }): boolean;
}

/** In the single database of a workspace, shared by all isolates: strict, not best effort. */
export function callStore(sql: Sql): CallStore {
  migrate(sql, 'calls', [
    [
      'CREATE TABLE IF NOT EXISTS calls (link TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID',
    ],
  ]);
  return {
    isFirst: (linkHash, { ttlSeconds, nowMs }) =>
      sql.transaction(() => {
        sql.run('DELETE FROM calls WHERE until <= ?', nowMs);
        if (sql.all('SELECT 1 AS one FROM calls WHERE link = ?', linkHash).length > 0) return false;
        sql.run(
          'INSERT INTO calls (link, until) VALUES (?, ?)',
          linkHash,
          nowMs + ttlSeconds * 1000,
        );
        return true;
      }),
  };
}
