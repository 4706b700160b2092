import {
  type Handover,
  type HandoverErasureQuery,
  HandoverRequest,
  type HandoverState,
  type HandoversPage,
  type HandoversRequest,
} from '../../contract/wire/tickets.ts';
import { type JobFailure, type JobKind, jobRunner } from '../../platform/jobs/job-runner.ts';
import { sqlJobs } from '../../platform/jobs/job-store.ts';
import { migrate, readStored, type Sql } from '../../platform/storage/sql.ts';
import {
  type HelpdeskClient,
  HelpdeskFailed,
  type HelpdeskId,
  type NewTicket,
} from '../tools/helpdesk-tool.ts';
import type { TicketTimes } from './ticket-times.ts';

const MIGRATIONS = [
  [
    `CREATE TABLE handovers (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, helpdesk TEXT, ticket TEXT, sender TEXT, email TEXT, request TEXT, error TEXT,
    attempts INTEGER NOT NULL, is_unknown INTEGER NOT NULL, accepted_at INTEGER NOT NULL, due_at INTEGER
  ) WITHOUT ROWID`,
    'CREATE INDEX handovers_by_time ON handovers (accepted_at, id)',
  ],
  ["CREATE INDEX handovers_due ON handovers (due_at, id) WHERE state = 'waiting'"],
];

const HOUR_MS = 3_600_000;
/** Requests within an hour from one address, and of a workspace. */
const MAX_HOURLY = { sender: 5, all: 200 };
/** Requests with their texts, which wait for a person or a helpdesk. */
const MAX_STORED = 2000;

type Row = {
  id: string;
  state: HandoverState;
  helpdesk: HelpdeskId | null;
  ticket: string | null;
  request: string | null;
  error: string | null;
  attempts: number;
  is_unknown: number;
  accepted_at: number;
  due_at: number;
};

interface HandoverParts {
  sql: Sql;
  times: Pick<TicketTimes, 'retryMs' | 'settleMs' | 'callMs' | 'attempts' | 'keepMs'>;
  now: () => number;
  random: () => number;
  /** Throws when the connection cannot be used. */
  connect(helpdesk: HelpdeskId): HelpdeskClient;
  onFault(where: string, error: unknown): void;
  count?: JobKind<never>['count'];
}

export type Handovers = ReturnType<typeof openHandovers>;

/** Visitors of web pages who asked for a person: each request becomes one ticket, or stands in a list until somebody has answered it. */
export function openHandovers({ sql, times, now, random, connect, onFault, count }: HandoverParts) {
  migrate(sql, 'handovers', MIGRATIONS);
  const countOf = (condition: string, ...values: (string | number)[]): number =>
    sql.all<{ n: number }>(`SELECT count(*) AS n FROM handovers WHERE ${condition}`, ...values)[0]
      ?.n ?? 0;

  const settle = (
    id: string,
    state: HandoverState,
    changes: { ticket?: string; error?: string },
  ): void =>
    sql.run(
      `UPDATE handovers SET state = ?1, ticket = ?2, error = ?3, due_at = NULL,
         request = CASE WHEN ?1 = 'created' THEN NULL ELSE request END, email = CASE WHEN ?1 = 'created' THEN NULL ELSE email END
       WHERE id = ?4`,
      ...[state, changes.ticket ?? null, changes.error ?? null, id],
    );

  const ticketFor = async ({
    id,
    helpdesk,
    request: text,
    is_unknown: isUnknown,
  }: Row): Promise<string> => {
    const request = readStored(HandoverRequest, text ?? '');
    if (helpdesk === null || request === undefined)
      throw new HelpdeskFailed('Cannot create a ticket: no tool is named');
    const client = connect(helpdesk);
    const options = () => ({ signal: AbortSignal.timeout(times.callMs) });
    if (client.createTicket === undefined)
      throw new HelpdeskFailed(`Cannot create a ticket: tickets cannot be created in ${helpdesk}`);
    if (isUnknown === 1) {
      if (client.findTicket === undefined)
        throw new HelpdeskFailed(
          `Cannot tell whether ${helpdesk} has created the ticket: its reply was lost. Look there`,
        );
      const found = await client.findTicket(id, options());
      if (found !== undefined) return found;
    }
    // Should the process end during the call, the next attempt looks first.
    sql.run(
      'UPDATE handovers SET is_unknown = 1, due_at = ? WHERE id = ?',
      now() + times.settleMs,
      id,
    );
    try {
      return await client.createTicket(ticketOf(request), options());
    } catch (error) {
      // After a clear refusal there is no ticket. Any other failed call says nothing about one.
      if (error instanceof HelpdeskFailed)
        sql.run(
          'UPDATE handovers SET is_unknown = ? WHERE id = ?',
          Number(error.isOutcomeUnknown),
          id,
        );
      throw error;
    }
  };

  const runner = jobRunner<Row>({
    name: 'handover',
    store: sqlJobs<Row>(sql, {
      table: 'handovers',
      openCondition: "state = 'waiting'",
      bury: ({ id }, error) => settle(id, 'listed', { error }),
    }),
    run: async (row) => {
      settle(row.id, 'created', { ticket: await ticketFor(row) });
    },
    failureOf: (error) => failureOf(error, times),
    retryMs: times.retryMs,
    attempts: times.attempts,
    atOnce: 20,
    now,
    random,
    onFault,
    count,
  });

  const prune = (): void => {
    sql.run(
      'UPDATE handovers SET sender = NULL WHERE sender IS NOT NULL AND accepted_at < ?',
      now() - HOUR_MS,
    );
    sql.run(
      "DELETE FROM handovers WHERE state <> 'waiting' AND accepted_at < ?",
      now() - times.keepMs,
    );
  };

  return {
    /** Stores a request once, whatever a repetition says; `too many` within an hour, or waiting. */
    add: (
      { idempotency_key: id, ...request }: HandoverRequest,
      { target, sender }: { target: HelpdeskId | 'list'; sender?: string | undefined },
    ): HandoverState | 'too many' => {
      prune();
      const [known] = sql.all<Row>('SELECT * FROM handovers WHERE id = ?', id);
      if (known !== undefined) return known.state;
      const hourAgo = now() - HOUR_MS;
      const isOver =
        countOf('accepted_at > ?', hourAgo) >= MAX_HOURLY.all ||
        (sender !== undefined &&
          countOf('accepted_at > ? AND sender = ?', hourAgo, sender) >= MAX_HOURLY.sender) ||
        countOf('request IS NOT NULL') >= MAX_STORED;
      if (isOver) return 'too many';
      const isListed = target === 'list';
      const state = isListed ? 'listed' : 'waiting';
      sql.run(
        `INSERT INTO handovers (id, state, helpdesk, sender, email, request, attempts, is_unknown, accepted_at, due_at)
          VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`,
        ...[id, state, isListed ? null : target, sender ?? null, request.email.toLowerCase()],
        ...[JSON.stringify({ idempotency_key: id, ...request }), now(), isListed ? null : now()],
      );
      return state;
    },
    list: ({ state, limit, cursor }: HandoversRequest): HandoversPage | 'unknown cursor' => {
      prune();
      const [, at, before = ''] = cursor === undefined ? [] : (CURSOR.exec(cursor) ?? []);
      if (cursor !== undefined && at === undefined) return 'unknown cursor';
      const rows = sql.all<Row>(
        `SELECT * FROM handovers WHERE state = coalesce(?, state) AND (accepted_at, id) < (?, ?)
          ORDER BY accepted_at DESC, id DESC LIMIT ?`,
        ...[
          state ?? null,
          at === undefined ? Number.MAX_SAFE_INTEGER : Number(at),
          before,
          limit + 1,
        ],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        requests: shown.map(handoverOf),
        next_cursor: last ? `${last.accepted_at} ${last.id}` : null,
      };
    },
    erase: ({ id, email }: HandoverErasureQuery): number => {
      const condition = id === undefined ? 'email = ?' : 'id = ?';
      const value = id ?? email?.toLowerCase() ?? '';
      const erased = countOf(condition, value);
      sql.run(`DELETE FROM handovers WHERE ${condition}`, value);
      return erased;
    },
    /** When the next ticket is to be created. */
    dueAt: runner.dueAt,
    /** Creates the tickets that are due, one after the other. */
    work: async (): Promise<void> => void (await runner.run()),
  };
}

/** A connection that cannot be used counts as an outage. */
const failureOf = (error: unknown, { settleMs }: Pick<TicketTimes, 'settleMs'>): JobFailure => {
  const sentence = (error instanceof Error ? error.message : String(error)).slice(0, 300);
  if (!(error instanceof HelpdeskFailed)) return { sentence, isTransient: true, isFault: true };
  const leastWaitMs = Math.max(error.isOutcomeUnknown ? settleMs : 0, error.retryAfterMs ?? 0);
  return { sentence, isTransient: error.isTransient, leastWaitMs, isFault: true };
};

const CURSOR = /^(\d{1,15}) ([\w-]{16,64})$/;

const handoverOf = ({
  id,
  state,
  helpdesk,
  ticket,
  request: text,
  error,
  accepted_at: at,
}: Row): Handover => {
  const request = readStored(HandoverRequest, text ?? '');
  return {
    id,
    state,
    helpdesk,
    ticket_id: ticket,
    last_error: error,
    accepted_at: new Date(at).toISOString(),
    request: request === undefined ? null : requestOf(request),
  };
};

const requestOf = ({
  email,
  message,
  conversation,
  page,
}: HandoverRequest): Handover['request'] => ({
  email,
  message,
  conversation,
  page: page ?? null,
});

const MAX_SUBJECT = 120;

const ticketOf = ({
  idempotency_key: key,
  email,
  message,
  conversation,
  page,
}: HandoverRequest): NewTicket => {
  const turns = conversation.map(
    ({ question, answer }) => `Question: ${question}\nAnswer: ${answer}`,
  );
  // By the key a person, and Freshdesk's list, tell whether a request has its ticket.
  const origin = `Sent from ${page ?? 'a web page'}. The address ${email} was typed there and is not verified. Request ${key}.`;
  const said = turns.length === 0 ? [] : ['What the answer box said before:', ...turns];
  const [subject = ''] = message.split('\n');
  const text = [message, ...said, origin].join('\n\n');
  return { key, email, subject: subject.slice(0, MAX_SUBJECT), text };
};
