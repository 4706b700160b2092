import type { Sql } from '../../storage/sql.ts';
import { acceptEvent, type MessageEvent } from './accept-event.ts';
import { type AttemptParts, attemptJob } from './attempt-job.ts';
import { type JobReport, jobReporter } from './report-jobs.ts';
import { type TicketStore, ticketStore } from './ticket-store.ts';
import { backOffMs, spreadMs } from './ticket-times.ts';

/** What work on a ticket came to, for whoever asked for it. */
export interface WorkOutcome {
  /** Jobs that are still open. */
  open: number;
}

export interface TicketCaseParts extends Omit<AttemptParts, 'store'> {
  sql: Sql;
  /** Tells the workspace's desk how jobs stand. */
  report(jobs: readonly JobReport[]): Promise<void>;
  /** Tells the workspace's desk that the tool asks to be left alone until then, with all tickets of the connection. */
  pause(until: number): Promise<void>;
  /** Puts the ticket on the queue. */
  nudge(): Promise<void>;
  /** Has `ring` called at that time, in place of any before. */
  wakeAt(time: number): void;
}

/** All that is known and done about one ticket. */
export interface TicketCase {
  /** Takes in what a delivery is about; the same twice is one job. */
  accept(event: MessageEvent): void;
  /** Works on everything that is due, one job after the other; a second call joins the first. Never throws. */
  work(): Promise<WorkOutcome>;
  /** Leaves the ticket alone until then. */
  postpone(until: number): void;
  /** Tries dead jobs again; returns those that were dead. */
  replay(jobs: readonly number[]): number[];
  /** What the alarm does: puts on the queue again what nobody worked on, reports, forgets what is old. Never throws. */
  ring(): Promise<void>;
  /** Tells the desk what it does not know yet. Never throws. */
  report(): Promise<void>;
}

/** An accepted job that nobody has worked on so many first waits later is put on the queue again. */
const GRACE_RETRIES = 60;
/** Put on the queue so often without anybody working on it. */
const MAX_NUDGES = 3;
/** Jobs of one call: what is left is put on the queue again. */
const MAX_JOBS_AT_ONCE = 10;

export const openCase = (parts: TicketCaseParts): TicketCase => {
  const { now, random, times, onFault } = parts;
  const store = ticketStore(parts.sql);
  const backOff = (failures: number): number => backOffMs(failures, { retryMs: times.retryMs, random });
  const graceMs = (nudges: number): number => backOffMs(nudges + 1, { retryMs: times.retryMs * GRACE_RETRIES, random });
  const reporter = jobReporter({ store, now, backOff, tell: parts.report, onFault });

  const planWake = (): void => {
    const { nudgeAt, endedAt } = store.nextTimes();
    const forgetAt = endedAt === null ? undefined : endedAt + times.keepMs;
    const wakes = [nudgeAt ?? undefined, reporter.dueAt(), forgetAt].filter((time) => time !== undefined);
    if (wakes.length > 0) parts.wakeAt(Math.min(...wakes));
  };

  const postpone = (until: number): void => {
    for (const job of store.open()) {
      if (job.due_at >= until) continue;
      const at = until + spreadMs(until - now(), random);
      store.change(job, { due_at: at, nudge_at: at }, now());
    }
  };

  /** Nobody works on what is left, whatever the record of an attempt says that ended with its process. */
  const nudgeLeft = (): void => {
    for (const job of store.open()) {
      const at = Math.max(job.due_at, now());
      if (job.nudge_at > at) store.change(job, { nudge_at: at }, now());
    }
  };

  const run = async (): Promise<WorkOutcome> => {
    const pauseUntil = await workOnDue(store, { ...parts, store });
    if (pauseUntil !== undefined) {
      postpone(pauseUntil);
      // Otherwise each ticket is told by the tool.
      await parts.pause(pauseUntil).catch((error: unknown) => onFault('desk', error));
    }
    nudgeLeft();
    await reporter.report();
    // What came since: whoever asked for work on it joined this call.
    nudgeLeft();
    return { open: store.open().length };
  };
  const work = joined(run, {
    onError: (error) => {
      onFault('ticket', error);
      return { open: 1 };
    },
    onEnd: planWake,
  });

  /** Whether there was something to be said, and nobody to hear it. */
  const nudgeWaiting = async (): Promise<boolean> => {
    const time = now();
    const waiting = store.open().filter(({ nudge_at }) => nudge_at <= time);
    for (const job of waiting) {
      store.change(job, { nudges: job.nudges + 1, nudge_at: time + graceMs(job.nudges + 1) }, time);
    }
    planWake();
    if (waiting.length === 0) return false;
    try {
      await parts.nudge();
      return waiting.some(({ nudges }) => nudges >= MAX_NUDGES);
    } catch (error) {
      onFault('queue', error);
      return true;
    }
  };

  return {
    accept: (event) => {
      acceptEvent(event, { store, now: now(), nudgeAt: now() + graceMs(0) });
      planWake();
    },
    work,
    postpone: (until) => {
      postpone(until);
      planWake();
    },
    replay: (jobs) => {
      const replayed = jobs.filter((id) => reopen(store, { id, now: now() }));
      planWake();
      return replayed;
    },
    ring: async () => {
      // Without a queue, or with one that loses what it takes, the work is done here.
      if (await nudgeWaiting()) await work();
      await reporter.report();
      for (const { id } of store.endedBy(now() - times.keepMs)) store.remove(id);
      planWake();
    },
    report: async () => {
      await reporter.report();
      planWake();
    },
  };
};

/** One job after the other, until none is due or the tool asks to be left alone: then it says until when. */
const workOnDue = async (store: TicketStore, parts: AttemptParts): Promise<number | undefined> => {
  for (let count = 0; count < MAX_JOBS_AT_ONCE; count += 1) {
    const job = store.dueJob(parts.now());
    if (job === undefined) return undefined;
    const pauseUntil = await attemptJob(job, parts);
    if (pauseUntil !== undefined) return pauseUntil;
  }
  return undefined;
};

const reopen = (store: TicketStore, { id, now }: { id: number; now: number }): boolean => {
  const job = store.job(id);
  if (job?.state !== 'dead') return false;
  const fresh = { state: 'open', attempts: 0, refusals: 0, nudges: 0 } as const;
  store.change(job, { ...fresh, begun_at: now, due_at: now, nudge_at: now }, now);
  return true;
};

/** Work that is done once at a time: whoever asks while it is done gets what comes of it. Never rejects. */
const joined = <T>(
  run: () => Promise<T>,
  { onError, onEnd }: { onError: (error: unknown) => T; onEnd: () => void },
): (() => Promise<T>) => {
  let running: Promise<T> | undefined;
  return () => {
    // Not begun before it is known to run.
    running ??= Promise.resolve()
      .then(run)
      .catch(onError)
      .finally(() => {
        running = undefined;
        onEnd();
      });
    return running;
  };
};
