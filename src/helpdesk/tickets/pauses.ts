import type { Sql } from '../../storage/sql.ts';

/** Until when the tools of a workspace ask to be left alone, by tool. */
export interface Pauses {
  all(now: number): Record<string, number>;
  set(helpdesk: string, until: number): void;
}

export const pauses = (sql: Sql): Pauses => {
  sql.run('CREATE TABLE IF NOT EXISTS pauses (helpdesk TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID');
  return {
    all: (now) =>
      Object.fromEntries(
        sql
          .all<{ helpdesk: string; until: number }>('SELECT helpdesk, until FROM pauses WHERE until > ?', now)
          .map(({ helpdesk, until }) => [helpdesk, until]),
      ),
    set: (helpdesk, until) =>
      sql.run(
        'INSERT INTO pauses (helpdesk, until) VALUES (?, ?) ON CONFLICT (helpdesk) DO UPDATE SET until = max(until, excluded.until)',
        ...[helpdesk, until],
      ),
  };
};
