import { spreadMs } from '../../platform/jobs/back-off.ts';
import { earliest, type JobRunner } from '../../platform/jobs/job-runner.ts';
import { callStore } from '../../platform/rpc/call-store.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import type { Deliveries } from './deliveries.ts';
import type { Handovers } from './handovers.ts';
import type { Desk, TicketRef } from './ticket-objects.ts';
import type { TicketTimes } from './ticket-times.ts';
import { type ArticleSync, rateLimitPauses, type TicketIndex } from './workspace-store.ts';

interface DeskParts {
  sql: Sql;
  index: TicketIndex;
  sync: ArticleSync;
  handovers: Handovers;
  deliveries: Deliveries;
  times: Pick<TicketTimes, 'callMs' | 'analyseMs' | 'keepMs' | 'atOnce'>;
  /** Tells a waiting ticket that its turn has come. False when it has nothing to do. */
  call(place: TicketRef): Promise<boolean>;
  onFault(where: string, error: unknown): void;
  now: () => number;
  random: () => number;
}

const PRUNE_EVERY_MS = 3_600_000;

/** The state of all tickets of one workspace, and the jobs that its object does by its alarm. */
export function createDesk(
  parts: DeskParts,
): Desk & Pick<JobRunner, 'dueAt'> & { work(): Promise<void> } {
  const { sql, index, sync, handovers, deliveries, times, now, random, call, onFault } = parts;
  const pauses = rateLimitPauses(sql);
  const longestMs = 3 * times.callMs + times.analyseMs;
  const turns = createTurns({ limit: times.atOnce, longestMs, now, call });
  let prunedAt = 0;
  return {
    ...index,
    enter: (place, jobs) => {
      index.report(place, jobs);
      const pausedUntil = pauses.all(now())[place.helpdesk];
      if (pausedUntil === undefined) return turns.enter(place);
      turns.remove(place);
      return pausedUntil + spreadMs(pausedUntil - now(), random);
    },
    leave: (place, jobs) => {
      turns.leave(place);
      index.report(place, jobs);
      if (now() - prunedAt < PRUNE_EVERY_MS) return;
      prunedAt = now();
      index.prune(now() - times.keepMs);
    },
    addReply: (place, reply) => index.addReply(place, reply, now()),
    addFeedback: (place, draft) => index.addFeedback(place, draft, now()),
    forget: (ids) => {
      for (const id of ids) index.forget(id);
      return { dead: index.countDead() };
    },
    addOversized: ({ helpdesk, bytes, hash }) => {
      const error = `Cannot read a delivery: it has ${bytes} bytes. Read the ticket in the tool; replaying removes this line`;
      const delivery = { helpdesk, ticketId: 'too large', about: hash, message: null };
      index.addUndelivered(delivery, { now: now(), error });
    },
    addRefused: (helpdesk, count) => index.addRefused(helpdesk, { count, now: now() }),
    pause: pauses.set,
    isFirstCall: callStore(sql).isFirst,
    requestSync: ({ full }) => sync.request({ full, now: now() }),
    addDelivery: deliveries.add,
    addHandover: handovers.add,
    handovers: handovers.list,
    eraseHandovers: handovers.erase,
    dueAt: () => earliest(sync.dueAt(), handovers.dueAt(), deliveries.dueAt()),
    work: async () => {
      // At the same time, so that a slow helpdesk or library delays no delivery that is due now. What becomes due
      // meanwhile waits until all three have ended, and the alarm rings again.
      const results = await Promise.allSettled([deliveries.work(), handovers.work(), sync.work()]);
      const [error, ...otherErrors] = results.filter((result) => result.status === 'rejected');
      for (const { reason } of otherErrors) onFault('alarm', reason);
      // The alarm logs it, and rings again after a while.
      if (error !== undefined) throw error.reason;
    },
  };
}

/** First guess of how long a ticket works, and how much of it each ticket that leaves corrects. */
const FIRST_MS = 500;
const SHARE = 0.1;
/** A ticket that was not called asks again after twice the time in which its turn should have come, and this. */
const SLACK_MS = 5000;
const MAX_WAITING = 10_000;

interface TurnParts {
  /** Tickets that work at once. */
  limit: number;
  /** A ticket that has not left by then counts no more, in milliseconds. */
  longestMs: number;
  now: () => number;
  /** Tells a waiting ticket that its turn has come. False when it has nothing to do. */
  call(place: TicketRef): Promise<boolean>;
}

/**
 * Lets few tickets of a workspace work at once: each holds a connection to the helpdesk, and support analyses its message. The others wait
 * in the order in which they came. In memory: after a restart of the object the waiting ones ask again, and a few more work for a while.
 */
export function createTurns({ limit, longestMs, now, call }: TurnParts) {
  const startTimes = new Map<string, number>();
  const queue = new Map<string, TicketRef>();
  let averageMs = FIRST_MS;

  /** @param asker A ticket that asks at this moment, which needs no call. */
  const callNext = (asker?: string): void => {
    for (const [name, place] of queue) {
      if (startTimes.size >= limit) return;
      queue.delete(name);
      startTimes.set(name, now());
      if (name === asker) continue;
      call(place).then(
        (begins) => begins || free(name),
        () => free(name),
      );
    }
  };
  const free = (name: string, asker?: string): void => {
    startTimes.delete(name);
    callNext(asker);
  };
  return {
    /** When a ticket may begin, in milliseconds since 1970: at once when that is not later than now. */
    enter: (place: TicketRef): number => {
      const name = nameOf(place);
      for (const [each, at] of startTimes) if (now() - at > longestMs) free(each, name);
      if (startTimes.has(name) || startTimes.size < limit) {
        queue.delete(name);
        startTimes.set(name, now());
        return now();
      }
      // Beyond, a ticket comes again by its own alarm alone.
      if (queue.size < MAX_WAITING) queue.set(name, place);
      return Math.ceil(now() + SLACK_MS + (2 * queue.size * averageMs) / limit);
    },
    leave: (place: TicketRef): void => {
      const name = nameOf(place);
      const at = startTimes.get(name);
      if (at === undefined) return;
      averageMs += SHARE * (now() - at - averageMs);
      free(name);
    },
    /** A ticket that may not work for now neither has a turn nor waits for one. */
    remove: (place: TicketRef): void => {
      queue.delete(nameOf(place));
      free(nameOf(place));
    },
  };
}

const nameOf = ({ helpdesk, ticketId }: TicketRef): string => `${helpdesk} ${ticketId}`;
