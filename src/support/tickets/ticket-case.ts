import type { DraftFeedback } from '../../contract/wire/tickets.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import { type AttemptParts, attemptJob } from './job-steps.ts';
import { type DraftLesson, draftStore, type RepliedMessage } from './ticket-draft.ts';
import type { JobReport, MessageEvent, StoredCase, StoredDraft, WorkOutcome } from './ticket-objects.ts';
import { isUnnamed, type Job, type TicketStore, ticketStore } from './ticket-store.ts';
import { backOffMs, spreadMs } from './ticket-times.ts';

export interface TicketCaseParts extends Omit<AttemptParts, 'store' | 'drafts'> {
  sql: Sql;
  /** Reports the state of jobs to the workspace's object. */
  report(jobs: readonly JobReport[]): Promise<void>;
  /** Reports to the workspace's object that the tool asks to wait until then, with all tickets of the connection. */
  pause(until: number): Promise<void>;
  /** Puts the ticket on the queue. */
  enqueue(): Promise<void>;
  /** Has `onAlarm` called at that time, replacing an earlier one. */
  setAlarm(time: number): void;
}

/** A job without an attempt is queued again after this multiple of the first retry delay. */
const GRACE_RETRIES = 60;
/** After it was queued this often without an attempt, the alarm works on the job itself. */
const MAX_NUDGES = 3;
/** Jobs of one run; the others are queued again. */
const MAX_JOBS_AT_ONCE = 10;

export type TicketCase = ReturnType<typeof openCase>;

/** The jobs of one ticket, and the work on them. */
export const openCase = (parts: TicketCaseParts) => {
  const { now, random, times, onFault } = parts;
  const store = ticketStore(parts.sql);
  const drafts = draftStore(parts.sql);
  const backOff = (failures: number): number => backOffMs(failures, { retryMs: times.retryMs, random });
  const graceMs = (nudges: number): number => backOffMs(nudges + 1, { retryMs: times.retryMs * GRACE_RETRIES, random });
  const reporter = jobReporter({ store, now, backOff, send: parts.report, onFault });

  const scheduleAlarm = (): void => {
    const { nudgeAt, endedAt } = store.nextTimes();
    const forgetAt = endedAt === null ? undefined : endedAt + times.keepMs;
    const candidates = [nudgeAt ?? undefined, reporter.dueAt(), forgetAt].filter((time) => time !== undefined);
    if (candidates.length > 0) parts.setAlarm(Math.min(...candidates));
  };

  const postpone = (until: number): void => {
    for (const job of store.open()) {
      if (job.due_at >= until) continue;
      const at = until + spreadMs(until - now(), random);
      store.change(job, { due_at: at, nudge_at: at }, now());
    }
  };

  /** Schedules what is left, also after an attempt whose process ended. */
  const scheduleOpen = (): void => {
    for (const job of store.open()) {
      const at = Math.max(job.due_at, now());
      if (job.nudge_at > at) store.change(job, { nudge_at: at }, now());
    }
  };

  const run = async (): Promise<WorkOutcome> => {
    const pauseUntil = await workOnDue(store, { ...parts, store, drafts });
    if (pauseUntil !== undefined) {
      postpone(pauseUntil);
      // Otherwise every ticket would run into the limit itself.
      await parts.pause(pauseUntil).catch((error: unknown) => onFault('workspace', error));
    }
    scheduleOpen();
    await reporter.report();
    // Jobs accepted meanwhile: calls of `work` for them joined this run.
    scheduleOpen();
    return { open: store.open().length };
  };
  const work = joined(run, {
    onError: (error) => {
      onFault('ticket', error);
      return { open: 1 };
    },
    onEnd: scheduleAlarm,
  });

  /** Queues the jobs that wait. Returns whether they have to be worked on here: the queue failed, or loses messages. */
  const enqueueWaiting = async (): Promise<boolean> => {
    const time = now();
    const waiting = store.open().filter(({ nudge_at }) => nudge_at <= time);
    for (const job of waiting) {
      store.change(job, { nudges: job.nudges + 1, nudge_at: time + graceMs(job.nudges + 1) }, time);
    }
    scheduleAlarm();
    if (waiting.length === 0) return false;
    try {
      await parts.enqueue();
      return waiting.some(({ nudges }) => nudges >= MAX_NUDGES);
    } catch (error) {
      onFault('queue', error);
      return true;
    }
  };

  return {
    /** Adds a job for a delivery; a repeated delivery adds none. */
    accept: (event: MessageEvent): void => {
      acceptEvent(event, { store, now: now(), nudgeAt: now() + graceMs(0) });
      scheduleAlarm();
    },
    /** Works on all due jobs, one after the other; concurrent calls share one run. Never throws. */
    work,
    /** Delays all open jobs until then. */
    postpone: (until: number): void => {
      postpone(until);
      scheduleAlarm();
    },
    /** Reopens dead jobs; returns those that were dead. */
    replay: (jobs: readonly number[]): number[] => {
      const replayed = jobs.filter((id) => reopen(store, { id, now: now() }));
      scheduleAlarm();
      return replayed;
    },
    /** Queues jobs that no consumer worked on, reports, and deletes old jobs. Never throws. */
    onAlarm: async (): Promise<void> => {
      if (await enqueueWaiting()) await work();
      await reporter.report();
      for (const { id } of store.endedBy(now() - times.keepMs)) {
        store.remove(id);
        drafts.remove(id);
      }
      scheduleAlarm();
    },
    /** The draft for the newest message that has one. */
    draft: (): StoredDraft | undefined => {
      const draft = drafts.latest();
      const job = draft && store.job(draft.job);
      return draft && job && { ...draft, createdAt: job.accepted_at };
    },
    /** The newest message with what is kept of it; undefined for a ticket without jobs. */
    onDesk: (): StoredCase | undefined => {
      const job = store.latest();
      return job && { ...drafts.caseOf(job.id), job: reportOf(job) };
    },
    lesson: (job: number): DraftLesson | undefined => drafts.lesson(job),
    /** False when there is no draft. */
    rate: (feedback: DraftFeedback, text?: string): boolean => {
      const draft = drafts.latest();
      if (draft === undefined) return false;
      drafts.rate(draft.job, feedback);
      if (text !== undefined) drafts.noteText(draft.job, 'rewritten', { text, at: now() });
      return true;
    },
    /** Compares a reply that an agent has sent with the draft; undefined when one is known already. */
    learn: (sent: string): RepliedMessage | undefined => {
      const job = store.latest();
      return job && drafts.learn(job.id, { text: sent, at: now() });
    },
    eraseDrafts: (): void => {
      drafts.erase();
      for (const job of store.titled()) store.change(job, { title: null }, now());
    },
    /** Reports what the workspace's object does not know yet. Never throws. */
    report: async (): Promise<void> => {
      await reporter.report();
      scheduleAlarm();
    },
  };
};

/** At most ten due jobs, one after the other; stops when the tool asks to wait and returns until when. */
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

/** Runs once at a time: calls during a run share its result. Never rejects. */
const joined = <T>(
  run: () => Promise<T>,
  { onError, onEnd }: { onError: (error: unknown) => T; onEnd: () => void },
): (() => Promise<T>) => {
  let running: Promise<T> | undefined;
  return () => {
    // Starts in a microtask, when `running` is set.
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

/**
 * Adds a job for the message of a delivery, unless it has one already, has its note, or is our note.
 *
 * @param options.nudgeAt When the alarm queues the job, unless an attempt was made by then.
 */
const acceptEvent = (
  { message, ticket, automatic }: MessageEvent,
  { store, now, nudgeAt }: { store: TicketStore; now: number; nudgeAt: number },
): void => {
  if (typeof message === 'object' && (store.markOf(message.id) || store.isOwnNote(message.id))) return;
  const about = typeof message === 'object' ? `m:${message.id}` : message;
  const known = store.jobAbout(about);
  const delivered = ticket === undefined ? null : JSON.stringify(ticket);
  if (automatic !== undefined) {
    const job = known ?? store.add(about, { ticket: null, now, nudgeAt });
    if (known === undefined) store.change(job, { state: 'done', result: 'none', reason: automatic }, now);
  } else if (known === undefined) {
    store.add(about, { ticket: delivered, now, nudgeAt });
  } else if (shouldReopen(known)) {
    const fresh = { step: 'accepted', state: 'open', result: null, error: null, reason: null } as const;
    const counts = { attempts: 0, refusals: 0, nudges: 0 };
    store.change(known, { ...fresh, ...counts, ticket: delivered, begun_at: now, due_at: now, nudge_at: nudgeAt }, now);
  } else if (known.state === 'open' && isUnnamed(known)) {
    store.change(known, { deliveries: known.deliveries + 1, ticket: delivered ?? known.ticket }, now);
  }
};

/**
 * A message that was missing, or not the customer's, may have appeared. A dead job stays dead until it is replayed, except one without
 * a message id: its next delivery is about another message.
 */
const shouldReopen = (job: Job): boolean =>
  (job.state === 'done' && job.result === 'none') || (job.state === 'dead' && isUnnamed(job));

interface ReporterParts {
  store: TicketStore;
  now: () => number;
  backOff(failures: number): number;
  send(jobs: readonly JobReport[]): Promise<void>;
  onFault(where: string, error: unknown): void;
}

/** A change that was not reported at once is reported by an alarm after this time. */
const REPORT_AFTER_MS = 1000;

const jobReporter = ({ store, now, backOff, send, onFault }: ReporterParts) => {
  let failures = 0;
  let retryAt = 0;
  return {
    /** Sends what the workspace's object does not know yet. Never throws. */
    report: async (): Promise<void> => {
      const unreported = store.unreported();
      if (unreported.length === 0) return;
      try {
        await send(unreported.map(reportOf));
        for (const { id, version } of unreported) store.markReported(id, version);
        failures = 0;
      } catch (error) {
        failures += 1;
        retryAt = now() + backOff(failures);
        onFault('report', error);
      }
    },
    /** When the next report is due; undefined when there is nothing to report. */
    dueAt: () => (store.unreported().length > 0 ? Math.max(retryAt, now() + REPORT_AFTER_MS) : undefined),
  };
};

const reportOf = (job: Job): JobReport => ({
  job: job.id,
  version: job.version,
  state: job.state,
  result: job.result,
  attempts: job.attempts,
  last_error: job.error,
  ...(job.reason === null ? {} : { reason: job.reason }),
  ...(job.title === null ? {} : { title: job.title }),
  ...(job.intent === null ? {} : { intent: job.intent }),
  accepted_at: new Date(job.accepted_at).toISOString(),
  changed_at: new Date(job.changed_at).toISOString(),
  next_attempt_at: job.state === 'open' ? new Date(job.due_at).toISOString() : null,
});
