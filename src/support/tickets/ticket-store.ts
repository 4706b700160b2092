import type { DraftState, TicketResult, TicketState } from '../../contract/wire/tickets.ts';
import { type JobRecord, sqlJobs } from '../../platform/jobs/job-store.ts';
import { addColumn, migrate, type Sql, type SqlValue } from '../../platform/storage/sql.ts';

/**
 * Progress of a job. `accepted`: nothing was done; `composed`: its note is stored here; `writing`: the note may or may not be in
 * the ticket; `written`: the note is there, or none is wanted.
 */
type JobStep = 'accepted' | 'composed' | 'writing' | 'written';

/** The work on one message of the ticket. Times are milliseconds since 1970. */
export type Job = JobRecord & {
  id: number;
  /** `first`, `latest`, or `m:` and the message's id. */
  about: string;
  state: TicketState;
  step: JobStep;
  /** Until then a note that was sent (in `writing`), or a draft (in `written`), may still appear; 0 when none was. */
  settle_at: number;
  /** Number of deliveries: a job without a message id may be about a later message by now. */
  deliveries: number;
  /** JSON of the ticket in the delivery, for tools whose tickets cannot be read. */
  ticket: string | null;
  /** Note and draft as JSON, while they are needed. */
  note: string | null;
  draft: string | null;
  /** Marker of the note. */
  marker: string | null;
  /** Id of the helpdesk. */
  note_id: string | null;
  result: TicketResult | null;
  /** Why nothing was written for the message, in a few words; null where something was, or it is not known. */
  reason: string | null;
  /** For the list of tickets, without personal data. */
  title: string | null;
  excerpt: string | null;
  /** First name of the customer. */
  customer: string | null;
  draft_state: DraftState | null;
  intent: string | null;
  accepted_at: number;
  /** When it was accepted or last replayed. */
  begun_at: number;
  changed_at: number;
  /** Number of changes; those up to `told` were reported to the workspace's object. */
  version: number;
  told: number;
};

/** Whether a job names no message yet. */
export function isUnnamed({ about }: Job): boolean {
  return about === 'first' || about === 'latest';
}

type Changes = Partial<Omit<Job, 'id' | 'version' | 'changed_at'>>;

/** A message that has our note; never deleted. */
type Mark = { message: string; marker: string | null; note: string | null };

const MIGRATIONS = [
  [
    `CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, about TEXT NOT NULL UNIQUE, state TEXT NOT NULL, step TEXT NOT NULL,
    attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, nudge_at INTEGER NOT NULL, nudges INTEGER NOT NULL,
    settle_at INTEGER NOT NULL, deliveries INTEGER NOT NULL, ticket TEXT, note TEXT, draft TEXT, marker TEXT, note_id TEXT, result TEXT, error TEXT,
    accepted_at INTEGER NOT NULL, begun_at INTEGER NOT NULL, changed_at INTEGER NOT NULL,
    version INTEGER NOT NULL, told INTEGER NOT NULL
  )`,
    'CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, changed_at)',
    'CREATE INDEX IF NOT EXISTS jobs_untold ON jobs (id) WHERE told < version',
    `CREATE TABLE IF NOT EXISTS marks (message TEXT PRIMARY KEY, marker TEXT, note TEXT, at INTEGER NOT NULL) WITHOUT ROWID`,
    'CREATE INDEX IF NOT EXISTS marks_by_note ON marks (note)',
  ],
  addColumn('jobs', 'refusals', 'INTEGER NOT NULL DEFAULT 0'),
  addColumn('jobs', 'reason', 'TEXT'),
  addColumn('jobs', 'title', 'TEXT'),
  addColumn('jobs', 'intent', 'TEXT'),
  // Jobs were queued until the runner worked on them by its own alarm.
  [
    'ALTER TABLE jobs DROP COLUMN nudge_at',
    'ALTER TABLE jobs DROP COLUMN nudges',
    'CREATE INDEX jobs_by_time ON jobs (state, due_at, id)',
  ],
  addColumn('jobs', 'excerpt', 'TEXT'),
  addColumn('jobs', 'customer', 'TEXT'),
  addColumn('jobs', 'draft_state', 'TEXT'),
];

export type TicketStore = ReturnType<typeof ticketStore>;

/** Jobs and marks of one ticket, in the database of its object. */
export function ticketStore(sql: Sql) {
  migrate(sql, 'tickets', MIGRATIONS);
  const one = (query: string, ...values: SqlValue[]): Job | undefined =>
    sql.all<Job>(query, ...values)[0];
  const jobAbout = (about: string): Job | undefined =>
    one('SELECT * FROM jobs WHERE about = ?', about);
  /** Stores changes and their time. Returns the changed job. */
  const change = (job: Job, changes: Changes, now: number): Job => {
    // Column names come from the type, never from input.
    const entries = Object.entries({ ...changes, changed_at: now });
    const columns = entries.map(([name]) => `${name} = ?`).join(', ');
    sql.run(
      `UPDATE jobs SET ${columns}, version = version + 1 WHERE id = ?`,
      ...entries.map(([, value]) => value),
      job.id,
    );
    return { ...job, ...changes, changed_at: now, version: job.version + 1 };
  };
  return {
    ...sqlJobs<Job>(sql, {
      table: 'jobs',
      openCondition: "state = 'open'",
      bury: (job, error, now) => void change(job, { state: 'dead', error }, now),
    }),
    open: () => sql.all<Job>("SELECT * FROM jobs WHERE state = 'open' ORDER BY id"),
    /** The first hundred whose current version was not reported. */
    unreported: () => sql.all<Job>('SELECT * FROM jobs WHERE told < version ORDER BY id LIMIT 100'),
    /** The first hundred that ended at or before a time. */
    endedBy: (time: number) =>
      sql.all<Job>(
        "SELECT * FROM jobs WHERE state IN ('dead', 'done') AND changed_at <= ? LIMIT 100",
        time,
      ),
    /** When the first of the jobs that are not open ended. */
    endedAt: (): number | undefined =>
      sql.all<{ at: number | null }>(
        "SELECT min(changed_at) AS at FROM jobs WHERE state IN ('dead', 'done')",
      )[0]?.at ?? undefined,
    job: (id: number) => one('SELECT * FROM jobs WHERE id = ?', id),
    latest: () => one('SELECT * FROM jobs ORDER BY id DESC LIMIT 1'),
    withTitle: () => sql.all<Job>('SELECT * FROM jobs WHERE title IS NOT NULL'),
    jobAbout,
    add: (about: string, { ticket, now }: { ticket: string | null; now: number }): Job => {
      sql.run(
        `INSERT INTO jobs (about, state, step, attempts, due_at, settle_at, deliveries, ticket, accepted_at, begun_at,
          changed_at, version, told) VALUES (?, 'open', 'accepted', 0, ?, 0, 1, ?, ?, ?, ?, 1, 0)`,
        ...[about, now, ticket, now, now, now],
      );
      const added = jobAbout(about);
      if (added === undefined)
        throw new Error('Cannot store the job: it is missing after the write');
      return added;
    },
    change,
    markReported: (id: number, version: number) =>
      sql.run('UPDATE jobs SET told = max(told, ?) WHERE id = ?', version, id),
    remove: (id: number) => sql.run('DELETE FROM jobs WHERE id = ?', id),
    markOf: (message: string): Mark | undefined =>
      sql.all<Mark>('SELECT message, marker, note FROM marks WHERE message = ?', message)[0],
    /** Whether a message is one of our own notes. */
    isOwnNote: (message: string) =>
      sql.all('SELECT 1 AS one FROM marks WHERE note = ? LIMIT 1', message).length > 0,
    mark: ({ message, marker, note }: Mark, now: number) =>
      sql.run(
        'INSERT OR REPLACE INTO marks (message, marker, note, at) VALUES (?, ?, ?, ?)',
        ...[message, marker, note, now],
      ),
    transaction: <T>(work: () => T): T => sql.transaction(work),
  };
}
