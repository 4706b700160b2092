import { spreadMs } from '../../platform/jobs/back-off.ts';
import { earliest, type JobRunner } from '../../platform/jobs/job-runner.ts';
import { callStore } from '../../platform/rpc/call-store.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import type { Deliveries } from './deliveries.ts';
import type { Handovers } from './handovers.ts';
import type { Desk, TicketRef } from './ticket-objects.ts';
import type { TicketTimes } from './ticket-times.ts';
import { createTurns } from './turns.ts';
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
