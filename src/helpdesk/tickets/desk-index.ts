import type { TicketJob, TicketState, TicketsResponse } from '../../contract/tickets.ts';
import type { Sql } from '../../storage/sql.ts';
import type { JobReport } from './report-jobs.ts';

/** Where a job is: the ticket's own object, and its number there. */
export interface JobPlace {
  helpdesk: string;
  ticketId: string;
  job: number;
}

/** A delivery that could not be kept in its ticket's object, as JSON of a queue message. */
export interface Undelivered {
  helpdesk: string;
  ticketId: string;
  /** The message that it is about: its id, `first` or `latest`. */
  about: string;
  message: string;
}

/** How the tickets of one workspace stand. */
export interface DeskIndex {
  /** Takes in what a ticket's object tells of its jobs; what is older than what is known is left out. */
  report(place: { helpdesk: string; ticketId: string }, jobs: readonly JobReport[]): void;
  list(query: { state: TicketState; limit: number; cursor?: string | undefined }): TicketsResponse | 'unknown cursor';
  /** Dead jobs by their ids, or the first of all. */
  dead(ids: readonly string[] | 'all', limit: number): { id: string; place: JobPlace; message: string | null }[];
  countDead(): number;
  /** A job that is not where it was: it is not listed any more. */
  forget(id: string): void;
  /** Lists a delivery that could not be kept anywhere else. */
  addUndelivered(undelivered: Undelivered, options: { now: number; error: string }): void;
  /** Forgets what ended before a time. */
  prune(before: number): void;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS tickets (
    id TEXT PRIMARY KEY, helpdesk TEXT NOT NULL, ticket TEXT NOT NULL, job INTEGER NOT NULL, version INTEGER NOT NULL,
    state TEXT NOT NULL, result TEXT, attempts INTEGER NOT NULL, error TEXT, accepted_at TEXT NOT NULL,
    changed_at TEXT NOT NULL, next_at TEXT, message TEXT
  ) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS tickets_by_state ON tickets (state, changed_at, id)',
];

/** Dead deliveries that are kept with what they say, at most: they wait for a person. */
const MAX_UNDELIVERED = 10_000;

type Row = {
  id: string;
  helpdesk: string;
  ticket: string;
  job: number;
  state: TicketState;
  result: TicketJob['result'];
  attempts: number;
  error: string | null;
  accepted_at: string;
  changed_at: string;
  next_at: string | null;
  message: string | null;
};

export const deskIndex = (sql: Sql): DeskIndex => {
  for (const statement of TABLES) sql.run(statement);
  const count = (state: TicketState): number =>
    sql.all<{ n: number }>('SELECT count(*) AS n FROM tickets WHERE state = ?', state)[0]?.n ?? 0;
  return {
    report: ({ helpdesk, ticketId }, jobs) =>
      sql.transaction(() => {
        for (const told of jobs) {
          sql.run(
            `INSERT INTO tickets (id, helpdesk, ticket, job, version, state, result, attempts, error, accepted_at, changed_at, next_at)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state, result = excluded.result,
                attempts = excluded.attempts, error = excluded.error, accepted_at = excluded.accepted_at,
                changed_at = excluded.changed_at, next_at = excluded.next_at, message = NULL
              WHERE excluded.version > version`,
            ...[idOf({ helpdesk, ticketId, job: told.job }), helpdesk, ticketId, told.job, told.version, told.state],
            ...[told.result, told.attempts, told.last_error, told.accepted_at, told.changed_at, told.next_attempt_at],
          );
        }
      }),
    list: ({ state, limit, cursor }) => {
      const from = cursor === undefined ? { at: '~', id: '' } : readCursor(cursor);
      if (from === undefined) return 'unknown cursor';
      const rows = sql.all<Row>(
        `SELECT * FROM tickets WHERE state = ? AND (changed_at, id) < (?, ?) ORDER BY changed_at DESC, id DESC LIMIT ?`,
        ...[state, from.at, from.id, limit + 1],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { tickets: shown.map(ticketOf), total: count(state), next_cursor: last ? writeCursor(last) : null };
    },
    dead: (ids, limit) => {
      const rows =
        ids === 'all'
          ? sql.all<Row>("SELECT * FROM tickets WHERE state = 'dead' ORDER BY changed_at, id LIMIT ?", limit)
          : ids.flatMap((id) => sql.all<Row>("SELECT * FROM tickets WHERE state = 'dead' AND id = ?", id));
      return rows.map(({ id, helpdesk, ticket, job, message }) => ({
        ...{ id, message },
        place: { helpdesk, ticketId: ticket, job },
      }));
    },
    countDead: () => count('dead'),
    forget: (id) => sql.run('DELETE FROM tickets WHERE id = ?', id),
    addUndelivered: ({ helpdesk, ticketId, about, message }, { now, error }) => {
      const [kept] = sql.all<{ n: number }>('SELECT count(*) AS n FROM tickets WHERE message IS NOT NULL');
      if ((kept?.n ?? 0) >= MAX_UNDELIVERED) throw new Error('Cannot list the delivery: too many wait already');
      // No job yet: what the ticket's object tells later stands under numbers from 1.
      const time = new Date(now).toISOString();
      sql.run(
        `INSERT INTO tickets (id, helpdesk, ticket, job, version, state, attempts, error, accepted_at, changed_at, message)
          VALUES (?, ?, ?, 0, 0, 'dead', 0, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET changed_at = excluded.changed_at, message = excluded.message`,
        ...[
          `${idOf({ helpdesk, ticketId, job: 0 })}/${encodeURIComponent(about.toWellFormed())}`,
          helpdesk,
          ticketId,
          error,
          time,
          time,
        ],
        message,
      );
    },
    prune: (before) =>
      sql.run(
        "DELETE FROM tickets WHERE state IN ('dead', 'done') AND message IS NULL AND changed_at < ?",
        new Date(before).toISOString(),
      ),
  };
};

/** Readable, and of one form only: `chatwoot/1207/1`. */
const idOf = ({ helpdesk, ticketId, job }: JobPlace): string =>
  `${helpdesk}/${encodeURIComponent(ticketId.toWellFormed())}/${job}`;

const ticketOf = (row: Row): TicketJob => ({
  id: row.id,
  helpdesk: row.helpdesk,
  ticket_id: row.ticket,
  state: row.state,
  result: row.result,
  attempts: row.attempts,
  last_error: row.error,
  accepted_at: row.accepted_at,
  changed_at: row.changed_at,
  next_attempt_at: row.next_at,
});

const writeCursor = ({ changed_at, id }: Row): string => `${changed_at} ${id}`;

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S+)$/;

const readCursor = (cursor: string): { at: string; id: string } | undefined => {
  const [, at, id] = CURSOR.exec(cursor) ?? [];
  return at === undefined || id === undefined ? undefined : { at, id };
};
