import { backOffMs, spreadMs } from '../../platform/jobs/back-off.ts';
import { earliest, type JobKind, jobRunner } from '../../platform/jobs/job-runner.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import { failureOf, type StepParts, workOn } from './job-steps.ts';
import { draftStore } from './ticket-draft.ts';
import type { JobReport, MessageEvent, TicketCase } from './ticket-objects.ts';
import { isUnnamed, type Job, type TicketStore, ticketStore } from './ticket-store.ts';

interface TicketCaseParts extends Omit<StepParts, 'store' | 'drafts'> {
  sql: Sql;
  random: () => number;
  onFault(where: string, error: unknown): void;
  count?: JobKind<never>['count'];
  /** Reports the state of jobs to the workspace's object, and asks when the ticket may begin to work (milliseconds since 1970). */
  enter(jobs: readonly JobReport[]): Promise<number>;
  /** Reports the state of jobs when the work is over. */
  leave(jobs: readonly JobReport[]): Promise<void>;
  /** Reports to the workspace's object that the tool asks to wait until then, with all tickets of the connection. */
  pause(until: number): Promise<void>;
}

/** Jobs of one run; the alarm rings again for the others. */
const MAX_JOBS_AT_ONCE = 10;
/** A job is given up after this time, however often the tool asks to wait. */
const MAX_OPEN_MS = 86_400_000;

/** The jobs of one ticket, and the work on them. */
export function openCase(parts: TicketCaseParts): TicketCase {
  const { now, random, times, onFault } = parts;
  const store = ticketStore(parts.sql);
  const drafts = draftStore(parts.sql, parts.mask);
  const backOff = (failures: number): number =>
    backOffMs(failures, { retryMs: times.retryMs, random });
  const reporter = jobReporter({ store, now, backOff, onFault });
  const runner = jobRunner<Job>({
    name: 'ticket',
    store,
    run: (job) => workOn(job, { ...parts, store, drafts }),
    failureOf,
    retryMs: times.retryMs,
    attempts: times.attempts,
    deadlineOf: ({ begun_at }) => begun_at + MAX_OPEN_MS,
    atOnce: MAX_JOBS_AT_ONCE,
    now,
    random,
    onFault,
    count: parts.count,
  });
  /** When the workspace's object lets the ticket begin. After a restart the alarm still rings then, and asks again. */
  let turnAt = 0;
  const enter = async (): Promise<void> => {
    // While the workspace's object does not answer, the tool's own replies show a rate limit as well.
    turnAt = (await reporter.report(parts.enter)) ?? 0;
  };

  const postpone = (until: number): void => {
    for (const job of store.open())
      if (job.due_at < until)
        store.change(job, { due_at: until + spreadMs(until - now(), random) }, now());
  };

  const run = async (): Promise<void> => {
    if (store.due(now()) === undefined) {
      if (store.unreported().length > 0) await reporter.report(parts.leave);
      return;
    }
    await enter();
    if (turnAt > now()) return;
    const pauseUntil = await runner.run();
    if (pauseUntil !== undefined) {
      postpone(pauseUntil);
      // Otherwise every ticket would run into the limit itself.
      await parts.pause(pauseUntil).catch((error: unknown) => onFault('workspace', error));
    }
    await reporter.report(parts.leave);
  };
  let running: Promise<void> | undefined;

  return {
    accept: (event) => acceptEvent(event, { store, now: now() }),
    dueAt: () => {
      const endedAt = store.endedAt();
      const due = runner.dueAt();
      return earliest(
        due && Math.max(due, turnAt),
        reporter.dueAt(),
        endedAt && endedAt + times.keepMs,
      );
    },
    work: async () => {
      // As in the runner.
      running ??= Promise.resolve()
        .then(run)
        .finally(() => {
          running = undefined;
        });
      await running;
      for (const { id } of store.endedBy(now() - times.keepMs)) {
        store.remove(id);
        drafts.remove(id);
      }
    },
    begin: () => {
      turnAt = 0;
      return store.due(now()) !== undefined;
    },
    replay: async (jobs) => {
      const replayed = jobs.filter((id) => reopen(store, { id, now: now() }));
      // Reported at once: whoever replays them sees next how many are still dead.
      if (replayed.length > 0) await enter();
      return replayed;
    },
    draft: () => {
      const draft = drafts.latest();
      const job = draft && store.job(draft.job);
      return draft && job && { ...draft, createdAt: job.accepted_at };
    },
    onDesk: () => {
      const job = store.latest();
      return job && { ...drafts.caseOf(job.id), job: reportOf(job) };
    },
    lesson: (job) => drafts.lesson(job),
    rate: (feedback, text) => {
      const draft = drafts.latest();
      if (draft === undefined) return false;
      if (feedback !== undefined) drafts.rate(draft.job, feedback);
      if (text !== undefined) drafts.noteText(draft.job, 'rewritten', { text, at: now() });
      return true;
    },
    learn: (sent) => {
      const job = store.latest();
      return job && drafts.learn(job.id, { text: sent, at: now() });
    },
    eraseDrafts: () => {
      drafts.erase();
      for (const job of store.withTitle())
        store.change(job, { title: null, excerpt: null, customer: null }, now());
    },
  };
}

const reopen = (store: TicketStore, { id, now }: { id: number; now: number }): boolean => {
  const job = store.job(id);
  if (job?.state !== 'dead') return false;
  store.change(job, { state: 'open', attempts: 0, refusals: 0, begun_at: now, due_at: now }, now);
  return true;
};

/** Adds a job for the message of a delivery, unless it has one already, has its note, or is our note. */
const acceptEvent = (
  { message, ticket, automatic }: MessageEvent,
  { store, now }: { store: TicketStore; now: number },
): void => {
  if (typeof message === 'object' && (store.markOf(message.id) || store.isOwnNote(message.id)))
    return;
  const about = typeof message === 'object' ? `m:${message.id}` : message;
  const known = store.jobAbout(about);
  const delivered = ticket === undefined ? null : JSON.stringify(ticket);
  if (automatic !== undefined) {
    const job = known ?? store.add(about, { ticket: null, now });
    if (known === undefined)
      store.change(job, { state: 'done', result: 'none', reason: automatic }, now);
  } else if (known === undefined) {
    store.add(about, { ticket: delivered, now });
  } else if (shouldReopen(known)) {
    const fresh = {
      step: 'accepted',
      state: 'open',
      result: null,
      error: null,
      reason: null,
    } as const;
    const counts = { attempts: 0, refusals: 0 };
    store.change(
      known,
      { ...fresh, ...counts, ticket: delivered, begun_at: now, due_at: now },
      now,
    );
  } else if (known.state === 'open' && isUnnamed(known)) {
    store.change(
      known,
      { deliveries: known.deliveries + 1, ticket: delivered ?? known.ticket },
      now,
    );
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
  onFault(where: string, error: unknown): void;
}

/** A change that was not reported at once is reported by an alarm after this time. */
const REPORT_AFTER_MS = 1000;

const jobReporter = ({ store, now, backOff, onFault }: ReporterParts) => {
  let failures = 0;
  let retryAt = 0;
  return {
    /** Sends what the workspace's object does not know yet, and returns its answer; undefined when it does not answer. */
    report: async <T>(send: (jobs: readonly JobReport[]) => Promise<T>): Promise<T | undefined> => {
      const unreported = store.unreported();
      try {
        const answer = await send(unreported.map(reportOf));
        for (const { id, version } of unreported) store.markReported(id, version);
        failures = 0;
        return answer;
      } catch (error) {
        failures += 1;
        retryAt = now() + backOff(failures);
        onFault('report', error);
        return undefined;
      }
    },
    /** When the next report is due; undefined when there is nothing to report. */
    dueAt: () => {
      const changedAt = earliest(...store.unreported().map(({ changed_at }) => changed_at));
      return changedAt && Math.max(retryAt, changedAt + REPORT_AFTER_MS);
    },
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
  ...(job.excerpt === null ? {} : { excerpt: job.excerpt }),
  ...(job.customer === null ? {} : { customer_name: job.customer }),
  ...(job.draft_state === null ? {} : { draft_state: job.draft_state }),
  ...(job.intent === null ? {} : { intent: job.intent }),
  accepted_at: new Date(job.accepted_at).toISOString(),
  changed_at: new Date(job.changed_at).toISOString(),
  next_attempt_at: job.state === 'open' ? new Date(job.due_at).toISOString() : null,
});
