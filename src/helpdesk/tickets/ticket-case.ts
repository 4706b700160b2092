import type { TicketJob } from '../../contract/tickets.ts';
import type { Sql } from '../../storage/sql.ts';
import type { HelpdeskEvent } from '../helpdesk-tool.ts';
import { failureOf, NotYet } from './attempt-failed.ts';
import { type StepParts, workOn } from './job-steps.ts';
import { isUnnamed, type Job, ticketStore } from './ticket-store.ts';
import { backOffMs } from './ticket-times.ts';

export type MessageEvent = Extract<HelpdeskEvent, { kind: 'message' }>;

/** What work on a ticket came to, for whoever asked for it. */
export interface WorkOutcome {
  /** Jobs that are still open. */
  open: number;
}

/** A job as the workspace's desk lists it. */
export interface JobReport extends Omit<TicketJob, 'id' | 'helpdesk' | 'ticket_id'> {
  job: number;
  version: number;
}

export interface TicketCaseParts extends Omit<StepParts, 'store'> {
  sql: Sql;
  random: () => number;
  /** Tells the workspace's desk how jobs stand. */
  report(jobs: readonly JobReport[]): Promise<void>;
  /** Tells the workspace's desk that the tool asks to be left alone until then, with all tickets of the connection. */
  pause(until: number): Promise<void>;
  /** Puts the ticket on the queue. */
  nudge(): Promise<void>;
  /** Has `ring` called at that time, in place of any before. */
  wakeAt(time: number): void;
  onFault(where: string, error: unknown): void;
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
/** A change that was not told at once is told with the next alarm. */
const REPORT_WITHIN_MS = 1000;
/** However often a tool asks to wait, or whatever else does not count as an attempt. */
const MAX_OPEN_MS = 86_400_000;

export const openCase = (parts: TicketCaseParts): TicketCase => {
  const { sql, now, random, times, nudge, wakeAt, onFault } = parts;
  const store = ticketStore(sql);
  const graceMs = (nudges: number) => backOffMs(nudges + 1, { retryMs: times.retryMs * GRACE_RETRIES, random });
  let reportFailures = 0;
  let reportAgainAt = 0;

  const planWake = (): void => {
    const { nudgeAt, endedAt } = store.nextTimes();
    const reportAt = store.untold().length > 0 ? Math.max(reportAgainAt, now() + REPORT_WITHIN_MS) : null;
    const wakes = [nudgeAt, reportAt, endedAt === null ? null : endedAt + times.keepMs].filter((time) => time !== null);
    if (wakes.length > 0) wakeAt(Math.min(...wakes));
  };

  const attempt = async (job: Job): Promise<number | undefined> => {
    // On record before anything is done: an attempt that ends the process counts, and is followed by another.
    const attempts = job.attempts + 1;
    const due = now() + backOff(attempts);
    const lease = 3 * times.callMs + times.analyseMs;
    const begun = store.change(
      job,
      { attempts, due_at: due, nudge_at: Math.max(due, now() + lease), nudges: 0 },
      now(),
    );
    try {
      await workOn(begun, { ...parts, store });
      return undefined;
    } catch (error) {
      const current = store.job(job.id);
      return current === undefined ? undefined : failed(current, error);
    }
  };

  /** Records when a failed job is tried again, or that it is not. Returns until when the tool wants to be left alone. */
  const failed = (job: Job, error: unknown): number | undefined => {
    const time = now();
    if (error instanceof NotYet) {
      store.change(job, { attempts: job.attempts - 1, due_at: error.at, nudge_at: error.at }, time);
      return undefined;
    }
    const failure = failureOf(error);
    if (failure.isFault) onFault('ticket', error);
    const { sentence, retryAfterMs } = failure;
    const isOver = retryAfterMs === undefined ? job.attempts >= times.attempts : time - job.begun_at > MAX_OPEN_MS;
    if (!failure.isPassing || isOver) {
      store.change(job, { state: 'dead', error: sentence }, time);
      return undefined;
    }
    // Many tickets wait for the same end: a little later each, by chance.
    const wait = retryAfterMs === undefined ? backOff(job.attempts) : retryAfterMs + backOff(1);
    const attempts = retryAfterMs === undefined ? job.attempts : job.attempts - 1;
    const again = time + wait;
    store.change(job, { attempts, error: sentence, due_at: again, nudge_at: again }, time);
    return retryAfterMs === undefined ? undefined : time + retryAfterMs;
  };
  const backOff = (failures: number): number => backOffMs(failures, { retryMs: times.retryMs, random });

  const run = async (): Promise<WorkOutcome> => {
    let pauseUntil: number | undefined;
    for (let count = 0; count < MAX_JOBS_AT_ONCE && pauseUntil === undefined; count += 1) {
      const job = store.dueJob(now());
      if (job === undefined) break;
      pauseUntil = await attempt(job);
    }
    if (pauseUntil !== undefined) {
      postpone(pauseUntil);
      // Otherwise each ticket is told by the tool.
      await parts.pause(pauseUntil).catch((error: unknown) => onFault('desk', error));
    }
    // Nobody works on what is left, whatever the record of an attempt says that ended with its process.
    for (const job of store.open()) {
      const at = Math.max(job.due_at, now());
      if (job.nudge_at > at) store.change(job, { nudge_at: at }, now());
    }
    await report();
    return { open: store.open().length };
  };

  let running: Promise<WorkOutcome> | undefined;
  const work = (): Promise<WorkOutcome> => {
    // Not begun before it is known to run.
    running ??= Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        onFault('ticket', error);
        return { open: 1 };
      })
      .finally(() => {
        running = undefined;
        planWake();
      });
    return running;
  };

  const postpone = (until: number): void => {
    for (const job of store.open()) {
      if (job.due_at >= until) continue;
      const at = until + backOff(1);
      store.change(job, { due_at: at, nudge_at: at }, now());
    }
    planWake();
  };

  const report = async (): Promise<void> => {
    const untold = store.untold();
    if (untold.length === 0) return;
    try {
      await parts.report(untold.map(reportOf));
      for (const { id, version } of untold) store.told(id, version);
      reportFailures = 0;
      planWake();
    } catch (error) {
      reportFailures += 1;
      reportAgainAt = now() + backOff(reportFailures);
      onFault('report', error);
    }
  };

  return {
    accept: ({ message, ticket }) => {
      if (typeof message === 'object' && (store.markOf(message.id) || store.isOwnNote(message.id))) return;
      const about = typeof message === 'object' ? `m:${message.id}` : message;
      const time = now();
      const known = store.jobAbout(about);
      const told = ticket === undefined ? null : JSON.stringify(ticket);
      if (known === undefined) {
        store.add(about, { ticket: told, now: time, nudgeAt: time + graceMs(0) });
      } else if (isToBeOpened(known)) {
        const again = {
          step: 'accepted',
          state: 'open',
          attempts: 0,
          result: null,
          error: null,
          ticket: told,
        } as const;
        store.change(known, { ...again, begun_at: time, due_at: time, nudge_at: time + graceMs(0), nudges: 0 }, time);
      } else if (known.state === 'open' && isUnnamed(known)) {
        store.change(known, { deliveries: known.deliveries + 1, ticket: told ?? known.ticket }, time);
      } else return;
      planWake();
    },
    work,
    postpone,
    replay: (jobs) => {
      const dead = jobs.map((id) => store.job(id)).filter((job) => job?.state === 'dead');
      const time = now();
      const again = { state: 'open', attempts: 0, begun_at: time, due_at: time, nudge_at: time, nudges: 0 } as const;
      for (const job of dead) if (job !== undefined) store.change(job, again, time);
      planWake();
      return dead.flatMap((job) => (job === undefined ? [] : [job.id]));
    },
    ring: async () => {
      const time = now();
      const waiting = store.open().filter(({ nudge_at }) => nudge_at <= time);
      for (const job of waiting) {
        store.change(job, { nudges: job.nudges + 1, nudge_at: time + graceMs(job.nudges + 1) }, time);
      }
      planWake();
      if (waiting.length > 0) {
        const isHeard = await nudge().then(
          () => waiting.every(({ nudges }) => nudges < MAX_NUDGES),
          (error: unknown) => {
            onFault('queue', error);
            return false;
          },
        );
        // Without a queue, or with one that loses what it takes, the work is done here.
        if (!isHeard) await work();
      }
      await report();
      for (const { id } of store.endedBy(now() - times.keepMs)) store.remove(id);
      planWake();
    },
    report,
  };
};

/**
 * What was not there, or not the customer's, may be by now. A dead job stays dead until somebody replays it, but for one that names no
 * message: its next delivery is about another.
 */
const isToBeOpened = (job: Job): boolean =>
  (job.state === 'done' && job.result === 'none') || (job.state === 'dead' && isUnnamed(job));

const reportOf = (job: Job): JobReport => ({
  job: job.id,
  version: job.version,
  state: job.state,
  result: job.result,
  attempts: job.attempts,
  last_error: job.error,
  accepted_at: new Date(job.accepted_at).toISOString(),
  changed_at: new Date(job.changed_at).toISOString(),
  next_attempt_at: job.state === 'open' ? new Date(job.due_at).toISOString() : null,
});
