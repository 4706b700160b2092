import * as z from 'zod';
import { withDeadline } from '../../platform/http/deadline.ts';
import { type JobKind, jobRunner } from '../../platform/jobs/job-runner.ts';
import { type JobRecord, sqlJobs } from '../../platform/jobs/job-store.ts';
import { migrate, readStored, type Sql } from '../../platform/storage/sql.ts';
import { EventMessage, type Undelivered } from './ticket-objects.ts';
import { idOf } from './workspace-store.ts';

interface DeliveryParts {
  sql: Sql;
  retryMs: number;
  now: () => number;
  random: () => number;
  /** Stores the event in the object that works on it. */
  store(message: EventMessage): Promise<void>;
  /** Lists a delivery for a person. */
  list(delivery: Undelivered): void;
  onFault(where: string, error: unknown): void;
  count?: JobKind<never>['count'];
}

type Row = JobRecord & { id: string; message: string };

/** Some 90 minutes with the usual waits. */
const ATTEMPTS = 20;
const MAX_STORED = 10_000;
/** An object that does not answer within this time holds up the other deliveries no longer. */
const STORE_MS = 5000;

export type Deliveries = ReturnType<typeof openDeliveries>;

/** Deliveries that the object of their ticket did not store in time. Each is stored there later, or listed for a person. */
export function openDeliveries({ sql, store, list, ...times }: DeliveryParts) {
  migrate(sql, 'deliveries', [
    [
      `CREATE TABLE deliveries (
        id TEXT PRIMARY KEY, message TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, error TEXT
      ) WITHOUT ROWID`,
      'CREATE INDEX deliveries_by_time ON deliveries (due_at, id)',
    ],
  ]);
  const remove = (id: string): void => sql.run('DELETE FROM deliveries WHERE id = ?', id);
  const runner = jobRunner<Row>({
    ...times,
    name: 'delivery',
    store: sqlJobs<Row>(sql, {
      table: 'deliveries',
      openCondition: 'true',
      bury: ({ id, message }) =>
        sql.transaction(() => {
          const delivery = readStored(EventMessage, message);
          if (delivery?.event.kind === 'message') {
            const { helpdesk, event } = delivery;
            list({ helpdesk, ticketId: event.ticketId, about: aboutOf(event.message), message });
          }
          remove(id);
        }),
    }),
    run: async ({ id, message }) => {
      const delivery = readStored(EventMessage, message);
      if (delivery !== undefined) await storeInTime(delivery, store);
      remove(id);
    },
    failureOf: (error) => ({
      sentence: String(error).slice(0, 300),
      isTransient: true,
      isFault: true,
    }),
    attempts: ATTEMPTS,
    atOnce: 20,
  });
  return {
    /** Stores a delivery; a repetition changes nothing. */
    add: (delivery: EventMessage): void => {
      const [row] = sql.all<{ n: number }>('SELECT count(*) AS n FROM deliveries');
      if ((row?.n ?? 0) >= MAX_STORED)
        throw new Error('Cannot store the delivery: too many are waiting already');
      const { helpdesk, event } = delivery;
      const place =
        event.kind === 'message'
          ? { ticketId: event.ticketId, about: aboutOf(event.message) }
          : { ticketId: 'articles', about: event.change };
      sql.run(
        'INSERT OR IGNORE INTO deliveries (id, message, attempts, due_at) VALUES (?, ?, 0, ?)',
        `${idOf({ helpdesk, ticketId: place.ticketId, job: 0 })}/${encodeURIComponent(place.about.toWellFormed())}`,
        JSON.stringify(delivery),
        times.now() + times.retryMs,
      );
    },
    dueAt: runner.dueAt,
    work: async (): Promise<void> => void (await runner.run()),
  };
}

const aboutOf = (message: { id: string } | string): string =>
  typeof message === 'object' ? message.id : message;

const storeInTime = (delivery: EventMessage, store: DeliveryParts['store']): Promise<void> =>
  withDeadline(() => store(delivery), {
    timeoutMs: STORE_MS,
    reason: 'the object of the ticket did not answer in time',
  });

/** A message of a queue: of `MessageBatch`, what is needed here. */
interface QueueMessage {
  readonly body: unknown;
  ack(): void;
  retry(): void;
}

/** Names a ticket with jobs, on which its object works by alarms. */
const QueuedTicket = z.object({ kind: z.literal('ticket'), ticketId: z.string() });

/** Stores the deliveries that an earlier version put on its queue, and drops its other messages. */
export async function storeQueued(
  messages: readonly QueueMessage[],
  { store, onFault }: Pick<DeliveryParts, 'store' | 'onFault'>,
): Promise<void> {
  for (const message of messages) {
    const delivery = EventMessage.safeParse(message.body);
    try {
      if (delivery.success) await storeInTime(delivery.data, store);
      else if (!QueuedTicket.safeParse(message.body).success)
        onFault('queue', new Error('a message is no delivery, and is dropped'));
      message.ack();
    } catch (error) {
      onFault('queue', error);
      message.retry();
    }
  }
}
