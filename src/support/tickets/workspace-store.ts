import type {
  DraftOutcome,
  DraftState,
  LessonsQuery,
  TicketJob,
  TicketOutcomes,
  TicketState,
  TicketsRequest,
} from '../../contract/wire/tickets.ts';
import { backOffMs } from '../../platform/jobs/back-off.ts';
import { type JobKind, jobRunner, NotYet } from '../../platform/jobs/job-runner.ts';
import { type JobRecord, sqlJobs } from '../../platform/jobs/job-store.ts';
import { addColumn, migrate, type Sql, type SqlValue } from '../../platform/storage/sql.ts';
import type { HelpdeskId } from '../tools/helpdesk-tool.ts';
import type { RatedDraft, RepliedMessage } from './ticket-draft.ts';
import type {
  ChangedDraft,
  DeadJob,
  JobPlace,
  JobReport,
  Refusals,
  TicketPage,
  TicketRef,
  Undelivered,
} from './ticket-objects.ts';

const INDEX_MIGRATIONS = [
  [
    `CREATE TABLE IF NOT EXISTS tickets (
    id TEXT PRIMARY KEY, helpdesk TEXT NOT NULL, ticket TEXT NOT NULL, job INTEGER NOT NULL, version INTEGER NOT NULL,
    state TEXT NOT NULL, result TEXT, attempts INTEGER NOT NULL, error TEXT, accepted_at TEXT NOT NULL,
    changed_at TEXT NOT NULL, next_at TEXT, message TEXT
  ) WITHOUT ROWID`,
    'CREATE INDEX IF NOT EXISTS tickets_by_state ON tickets (state, changed_at, id)',
  ],
  [
    'CREATE INDEX tickets_by_time ON tickets (changed_at, id)',
    'CREATE INDEX tickets_by_ticket ON tickets (ticket, changed_at, id)',
    'CREATE TABLE refusals (helpdesk TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at TEXT NOT NULL) WITHOUT ROWID',
  ],
  [
    `CREATE TABLE outcomes (
    id TEXT PRIMARY KEY, helpdesk TEXT NOT NULL, ticket TEXT NOT NULL, intent TEXT NOT NULL, articles TEXT NOT NULL,
    outcome TEXT NOT NULL, share REAL NOT NULL, at TEXT NOT NULL
  ) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE draft_feedback (
    id TEXT PRIMARY KEY, helpdesk TEXT NOT NULL, ticket TEXT NOT NULL, intent TEXT NOT NULL, articles TEXT NOT NULL,
    value TEXT NOT NULL, at TEXT NOT NULL
  ) WITHOUT ROWID`,
  ],
  addColumn('tickets', 'reason', 'TEXT'),
  addColumn('tickets', 'title', 'TEXT'),
  addColumn('tickets', 'intent', 'TEXT'),
  addColumn('tickets', 'replied', 'INTEGER NOT NULL DEFAULT 0'),
  addColumn('tickets', 'excerpt', 'TEXT'),
  addColumn('tickets', 'customer', 'TEXT'),
  addColumn('tickets', 'draft_state', 'TEXT'),
  [
    // In lower case, for the filter by words.
    "ALTER TABLE tickets ADD COLUMN words TEXT NOT NULL DEFAULT ''",
    'CREATE INDEX tickets_by_arrival ON tickets (accepted_at, id)',
  ],
  // A better draft was sent back. Before, each of them counted as one that did not help.
  addColumn('draft_feedback', 'rewritten', 'INTEGER NOT NULL DEFAULT 0'),
];

const COUNTS = `coalesce(sum(outcome = 'kept'), 0) AS kept, coalesce(sum(outcome = 'edited'), 0) AS edited,
  coalesce(sum(outcome = 'discarded'), 0) AS discarded, coalesce(avg(share), 0) AS share,
  coalesce(sum(value = 'up'), 0) AS up, coalesce(sum(value = 'down'), 0) AS down,
  coalesce(sum(rewritten), 0) AS rewritten`;
const LEARNED = `(SELECT intent, articles, outcome, share, NULL AS value, 0 AS rewritten FROM outcomes
  UNION ALL SELECT intent, articles, NULL, NULL, value, rewritten FROM draft_feedback) AS learned`;
const MAX_COUNTED = 200;

/** Dead deliveries stored with their content, at most: they wait for a person. */
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
  reason: string | null;
  title: string | null;
  excerpt: string | null;
  customer: string | null;
  draft_state: DraftState | null;
  intent: string | null;
  outcome: DraftOutcome | null;
  rewritten: number;
  accepted_at: string;
  changed_at: string;
  next_at: string | null;
  message: string | null;
};

export type TicketIndex = ReturnType<typeof ticketIndex>;

/** The jobs of all tickets of one workspace. */
export function ticketIndex(sql: Sql) {
  migrate(sql, 'ticket index', INDEX_MIGRATIONS);
  const count = (state: TicketState): number =>
    sql.all<{ n: number }>('SELECT count(*) AS n FROM tickets WHERE state = ?', state)[0]?.n ?? 0;
  return {
    /** Records what a ticket's object reports about its jobs; ignores reports older than the known state. */
    report: ({ helpdesk, ticketId }: Omit<JobPlace, 'job'>, jobs: readonly JobReport[]) =>
      sql.transaction(() => {
        for (const reported of jobs) {
          const { job, version, state, result, attempts } = reported;
          sql.run(
            `INSERT INTO tickets (id, helpdesk, ticket, job, version, state, result, attempts, error, accepted_at, changed_at, next_at,
                reason, title, intent, excerpt, customer, draft_state, words)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (id) DO UPDATE SET version = excluded.version, state = excluded.state, result = excluded.result,
                attempts = excluded.attempts, error = excluded.error, accepted_at = excluded.accepted_at,
                changed_at = excluded.changed_at, next_at = excluded.next_at, reason = excluded.reason, title = excluded.title,
                intent = excluded.intent, excerpt = excluded.excerpt, customer = excluded.customer,
                draft_state = excluded.draft_state, words = excluded.words, message = NULL
              WHERE excluded.version > version`,
            ...[
              idOf({ helpdesk, ticketId, job }),
              helpdesk,
              ticketId,
              job,
              version,
              state,
              result,
              attempts,
            ],
            ...[
              reported.last_error,
              reported.accepted_at,
              reported.changed_at,
              reported.next_attempt_at,
            ],
            ...[reported.reason ?? null, reported.title ?? null, reported.intent ?? null],
            ...[reported.excerpt ?? null, reported.customer_name ?? null],
            ...[reported.draft_state ?? null, wordsIn(reported)],
          );
        }
      }),
    list: ({ limit, cursor, ...filter }: TicketsRequest): TicketPage | 'unknown cursor' => {
      const from = cursor === undefined ? { at: '~', id: '' } : readCursor(cursor);
      if (from === undefined) return 'unknown cursor';
      const { where, values } = conditionsOf(filter);
      const rows = sql.all<Row>(
        `SELECT *, ${OUTCOME} FROM tickets WHERE ${where} (changed_at, id) < (?, ?) ORDER BY changed_at DESC, id DESC LIMIT ?`,
        ...[...values, from.at, from.id, limit + 1],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      const total =
        sql.all<{ n: number }>(
          `SELECT count(*) AS n FROM tickets WHERE ${where} true`,
          ...values,
        )[0]?.n ?? 0;
      const refusals = sql.all<Refusals>('SELECT * FROM refusals ORDER BY helpdesk');
      return {
        tickets: shown.map(toTicketJob),
        total,
        next_cursor: last ? writeCursor(last) : null,
        refusals,
      };
    },
    /** Counts deliveries that no secret of the connection verifies. */
    addRefused: (helpdesk: HelpdeskId, { count, now }: { count: number; now: number }): void =>
      sql.run(
        `INSERT INTO refusals (helpdesk, count, last_at) VALUES (?, ?, ?)
          ON CONFLICT (helpdesk) DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at`,
        ...[helpdesk, count, new Date(now).toISOString()],
      ),
    /** Lists jobs of another deployment, which stay as they are; true for those that were not listed. Any report of a ticket is newer. */
    restore: (jobs: readonly TicketJob[]): boolean[] =>
      sql.transaction(() =>
        jobs.map(({ id, ...job }) => {
          if (sql.all('SELECT 1 AS found FROM tickets WHERE id = ?', id).length > 0) return false;
          sql.run(
            `INSERT INTO tickets (id, helpdesk, ticket, job, version, state, result, attempts, error, accepted_at, changed_at, reason, intent)
              VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
            ...[
              id,
              job.helpdesk,
              job.ticket_id,
              Number(id.split('/')[2]),
              job.state,
              job.result,
              job.attempts,
            ],
            ...[job.last_error, job.accepted_at, job.changed_at, job.reason ?? null],
            job.intent ?? null,
          );
          return true;
        }),
      ),
    /** Dead jobs by their ids, or the first of all. */
    dead: (ids: readonly string[] | 'all', limit: number): DeadJob[] => {
      const rows =
        ids === 'all'
          ? sql.all<Row>(
              "SELECT * FROM tickets WHERE state = 'dead' ORDER BY changed_at, id LIMIT ?",
              limit,
            )
          : ids.flatMap((id) =>
              sql.all<Row>("SELECT * FROM tickets WHERE state = 'dead' AND id = ?", id),
            );
      return rows.map(({ id, helpdesk, ticket, job, message }) => ({
        id,
        message,
        place: { helpdesk, ticketId: ticket, job },
      }));
    },
    countDead: () => count('dead'),
    forget: (id: string) => sql.run('DELETE FROM tickets WHERE id = ?', id),
    /** Lists a delivery that could not be stored anywhere else. */
    addUndelivered: (
      {
        helpdesk,
        ticketId,
        about,
        message,
      }: Omit<Undelivered, 'message'> & { message: string | null },
      { now, error }: { now: number; error: string },
    ): void => {
      const [stored] = sql.all<{ n: number }>(
        'SELECT count(*) AS n FROM tickets WHERE message IS NOT NULL',
      );
      if ((stored?.n ?? 0) >= MAX_UNDELIVERED)
        throw new Error('Cannot list the delivery: too many are waiting already');
      // There is no job yet; numbers of jobs begin with 1.
      const id = `${idOf({ helpdesk, ticketId, job: 0 })}/${encodeURIComponent(about.toWellFormed())}`;
      const time = new Date(now).toISOString();
      sql.run(
        `INSERT INTO tickets (id, helpdesk, ticket, job, version, state, attempts, error, accepted_at, changed_at, message)
          VALUES (?, ?, ?, 0, 0, 'dead', 0, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET changed_at = excluded.changed_at, message = excluded.message`,
        ...[id, helpdesk, ticketId, error, time, time, message],
      );
    },
    /** Notes that an agent has replied to a message, and what became of its draft. */
    addReply: (
      { helpdesk, ticketId }: TicketRef,
      { job, outcome: learned }: RepliedMessage,
      now: number,
    ): void => {
      sql.run('UPDATE tickets SET replied = 1 WHERE id = ?', idOf({ helpdesk, ticketId, job }));
      if (learned === undefined) return;
      sql.run(
        'INSERT OR REPLACE INTO outcomes (id, helpdesk, ticket, intent, articles, outcome, share, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[idOf({ helpdesk, ticketId, job: learned.job }), helpdesk, ticketId, learned.intent],
        ...[
          JSON.stringify(learned.articles),
          learned.outcome,
          learned.share,
          new Date(now).toISOString(),
        ],
      );
    },
    /** Notes whether a draft helped, of which the last word counts, and that a better one was sent back. */
    addFeedback: (
      { helpdesk, ticketId }: TicketRef,
      { job, intent, articles, value, isRewritten = false }: RatedDraft,
      now: number,
    ): void =>
      sql.run(
        `INSERT INTO draft_feedback (id, helpdesk, ticket, intent, articles, value, at, rewritten) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET intent = excluded.intent, articles = excluded.articles, at = excluded.at,
            value = iif(excluded.value = '', value, excluded.value), rewritten = max(rewritten, excluded.rewritten)`,
        ...[
          idOf({ helpdesk, ticketId, job }),
          helpdesk,
          ticketId,
          intent,
          JSON.stringify(articles),
          value ?? '',
        ],
        ...[new Date(now).toISOString(), isRewritten ? 1 : 0],
      ),
    /** What became of drafts, by intent and by cited article. */
    outcomes: (): TicketOutcomes => ({
      intents: sql.all<TicketOutcomes['intents'][number]>(
        `SELECT intent, ${COUNTS} FROM ${LEARNED} GROUP BY intent ORDER BY count(*) DESC, intent LIMIT ${MAX_COUNTED}`,
      ),
      articles: sql.all<TicketOutcomes['articles'][number]>(
        `SELECT cited.value AS url, ${COUNTS.replaceAll('value', 'learned.value')} FROM ${LEARNED}, json_each(learned.articles) AS cited
          GROUP BY cited.value ORDER BY count(*) DESC, url LIMIT ${MAX_COUNTED}`,
      ),
    }),
    /** Drafts that agents changed, replaced, or found unhelpful, newest first. */
    changedDrafts: ({ intent, helpdesk, ticket_id: ticket, limit }: LessonsQuery): ChangedDraft[] =>
      sql.all<ChangedDraft & Record<string, SqlValue>>(
        `SELECT changed.helpdesk, changed.ticket AS ticket_id, changed.intent, changed.outcome, changed.at,
            tickets.title, tickets.job
          FROM (SELECT id, helpdesk, ticket, intent, outcome, at FROM outcomes WHERE outcome <> 'kept'
            UNION ALL SELECT id, helpdesk, ticket, intent, 'rewritten', at FROM draft_feedback
              WHERE (value = 'down' OR rewritten = 1) AND id NOT IN (SELECT id FROM outcomes)) AS changed
          JOIN tickets ON tickets.id = changed.id
          WHERE (?1 IS NULL OR changed.intent = ?1) AND (?2 IS NULL OR changed.helpdesk = ?2)
            AND (?3 IS NULL OR changed.ticket = ?3)
          ORDER BY changed.at DESC, changed.id LIMIT ?4`,
        ...[intent ?? null, helpdesk ?? null, ticket ?? null, limit],
      ),
    eraseOutcomes: ({ helpdesk, ticketId }: TicketRef): void => {
      for (const table of ['outcomes', 'draft_feedback'])
        sql.run(`DELETE FROM ${table} WHERE helpdesk = ? AND ticket = ?`, helpdesk, ticketId);
    },
    /** Removes jobs that ended before a time, and counts of refusals that ended then. */
    prune: (before: number) => {
      const time = new Date(before).toISOString();
      sql.run(
        "DELETE FROM tickets WHERE state IN ('dead', 'done') AND message IS NULL AND changed_at < ?",
        time,
      );
      sql.run('DELETE FROM refusals WHERE last_at < ?', time);
      for (const table of ['outcomes', 'draft_feedback'])
        sql.run(`DELETE FROM ${table} WHERE at < ?`, time);
    },
  };
}

/** Conditions of a list, each followed by AND. */
const conditionsOf = ({
  helpdesk,
  ticket_id,
  outcome,
  intent,
  text,
  from,
  to,
  state = [ticket_id, outcome, intent, text, from, to].every((each) => each === undefined)
    ? 'dead'
    : 'all',
}: TicketFilter) => {
  const words = [...new Set(text?.toLowerCase().split(/\s+/).slice(0, MAX_WORDS))];
  const given = [
    { sql: 'state = ?', value: state === 'all' ? undefined : state },
    { sql: 'helpdesk = ?', value: helpdesk },
    { sql: 'ticket = ?', value: ticket_id },
    { sql: 'intent = ?', value: intent },
    { sql: 'accepted_at >= ?', value: from && new Date(from).toISOString() },
    { sql: 'accepted_at < ?', value: to && new Date(to).toISOString() },
    ...words.map((value) => ({ sql: 'instr(words, ?) > 0', value })),
    { sql: OF_OUTCOME, value: outcome === 'waiting' ? undefined : outcome },
  ].filter((each): each is { sql: string; value: string } => each.value !== undefined);
  const conditions = [...given.map(({ sql }) => sql), ...(outcome === 'waiting' ? [WAITING] : [])];
  return {
    where: conditions.map((condition) => `${condition} AND`).join(' '),
    values: given.map(({ value }) => value),
  };
};

/** Words of one filter. */
const MAX_WORDS = 12;

const wordsIn = ({ title, excerpt, customer_name: customer }: JobReport): string =>
  [title, excerpt, customer].join('\n').toLowerCase();

/** What an agent made of the draft, and whether a better one was sent back, as columns. */
const OUTCOME = `(SELECT outcome FROM outcomes WHERE outcomes.id = tickets.id) AS outcome,
  EXISTS (SELECT 1 FROM draft_feedback WHERE draft_feedback.id = tickets.id AND rewritten = 1) AS rewritten`;

const OF_OUTCOME = 'EXISTS (SELECT 1 FROM outcomes WHERE outcomes.id = tickets.id AND outcome = ?)';

/** The newest message of a ticket, for which something was written and no reply is known. */
const WAITING = `result IN ('note', 'draft') AND replied = 0
  AND NOT EXISTS (SELECT 1 FROM tickets AS later
    WHERE later.ticket = tickets.ticket AND later.helpdesk = tickets.helpdesk AND later.job > tickets.job)`;

type TicketFilter = Omit<TicketsRequest, 'limit' | 'cursor'>;

/** Whether the id of a listed job is one of its ticket. */
export function isIdOf(id: string, { helpdesk, ticket_id: ticketId }: TicketJob): boolean {
  return (
    id.startsWith(idOf({ helpdesk, ticketId, job: 0 }).slice(0, -1)) &&
    /^[^/]+\/[^/]*\/\d{1,9}(?:\/[^/]*)?$/.test(id)
  );
}

/** Readable and unambiguous: `chatwoot/1207/1`. */
export function idOf({ helpdesk, ticketId, job }: JobPlace): string {
  return `${helpdesk}/${encodeURIComponent(ticketId.toWellFormed())}/${job}`;
}

const toTicketJob = (row: Row): TicketJob => ({
  id: row.id,
  helpdesk: row.helpdesk,
  ticket_id: row.ticket,
  state: row.state,
  result: row.result,
  attempts: row.attempts,
  last_error: row.error,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.title === null ? {} : { title: row.title }),
  ...(row.excerpt === null ? {} : { excerpt: row.excerpt }),
  ...(row.customer === null ? {} : { customer_name: row.customer }),
  ...(row.draft_state === null ? {} : { draft_state: row.draft_state }),
  ...(row.intent === null ? {} : { intent: row.intent }),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.rewritten === 1 ? { rewritten: true } : {}),
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

/** Ends of the rate-limit pauses that tools of a workspace requested, by tool. */
export function rateLimitPauses(sql: Sql) {
  migrate(sql, 'pauses', [
    [
      'CREATE TABLE IF NOT EXISTS pauses (helpdesk TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID',
    ],
  ]);
  return {
    all: (now: number): Record<string, number> => {
      const rows = sql.all<{ helpdesk: string; until: number }>(
        'SELECT * FROM pauses WHERE until > ?',
        now,
      );
      return Object.fromEntries(rows.map(({ helpdesk, until }) => [helpdesk, until]));
    },
    set: (helpdesk: string, until: number) =>
      sql.run(
        'INSERT INTO pauses (helpdesk, until) VALUES (?, ?) ON CONFLICT (helpdesk) DO UPDATE SET until = max(until, excluded.until)',
        ...[helpdesk, until],
      ),
  };
}

interface ArticleSyncParts {
  sql: Sql;
  now: () => number;
  random: () => number;
  retryMs: number;
  /** False when a sync was running already, which may have read the articles before they changed. Throws when it cannot start. */
  start(options: { full: boolean }): Promise<boolean>;
  onFault(where: string, error: unknown): void;
  count?: JobKind<never>['count'];
}

/** Back-off while another sync runs, in failures: a few seconds. */
const BUSY_FAILURES = 2;
/** A request that another sync has kept waiting so long is retried less often: a first sync may take hours. */
const MAX_BUSY_MS = 3_600_000;
const LATE_RETRY_MS = 600_000;

/** `asked_at`: when it was first asked for, in milliseconds since 1970. */
type SyncRequest = JobRecord & { asked: number; asked_at: number; full: number };

export type ArticleSync = ReturnType<typeof articleSync>;

/**
 * Syncs of the workspace's knowledge base that article events requested. A request is stored until a sync has started after the last
 * event, however often that fails.
 */
export function articleSync({ sql, start, ...times }: ArticleSyncParts) {
  migrate(sql, 'article sync', [
    [
      `CREATE TABLE IF NOT EXISTS article_sync (
        id INTEGER PRIMARY KEY, asked INTEGER NOT NULL, full INTEGER NOT NULL, failures INTEGER NOT NULL, due_at INTEGER NOT NULL
      )`,
    ],
    [
      'ALTER TABLE article_sync RENAME COLUMN failures TO attempts',
      'ALTER TABLE article_sync ADD COLUMN error TEXT',
    ],
    [
      'ALTER TABLE article_sync ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0',
      'UPDATE article_sync SET asked_at = due_at',
    ],
  ]);
  const store = sqlJobs<SyncRequest>(sql, {
    table: 'article_sync',
    openCondition: 'true',
    bury: () => {
      throw new Error('a sync is retried until it starts: else the articles stay as they were');
    },
  });
  const runner = jobRunner<SyncRequest>({
    ...times,
    name: 'article sync',
    store,
    run: async (request) => {
      const hasStarted = await start({ full: request.full === 1 });
      // A request made meanwhile may concern changes that the sync has not seen.
      if (hasStarted) {
        sql.run('DELETE FROM article_sync WHERE asked = ?', request.asked);
        sql.run('UPDATE article_sync SET asked_at = ?', times.now());
      }
      const waiting = store.current(request);
      if (waiting === undefined) return;
      const time = times.now();
      const isLong = time > waiting.asked_at + MAX_BUSY_MS;
      const waitMs = isLong ? LATE_RETRY_MS : backOffMs(BUSY_FAILURES, times);
      throw new NotYet('another sync runs', { at: time + waitMs });
    },
    failureOf: (error) => ({
      sentence: String(error).slice(0, 300),
      isTransient: true,
      isFault: true,
    }),
    attempts: Number.POSITIVE_INFINITY,
    atOnce: 1,
  });
  return {
    /** A `full` sync detects deletions. Several requests before it starts are one. */
    request: ({ full, now: time }: { full: boolean; now: number }) =>
      sql.run(
        `INSERT INTO article_sync (id, asked, full, attempts, due_at, asked_at) VALUES (1, 1, ?1, 0, ?2, ?2)
          ON CONFLICT (id) DO UPDATE SET asked = asked + 1, full = max(full, excluded.full)`,
        ...[full ? 1 : 0, time],
      ),
    /** When the sync is to be started; undefined when none is requested. */
    dueAt: runner.dueAt,
    /** Starts the sync, when it is due. */
    work: async (): Promise<void> => void (await runner.run()),
  };
}
