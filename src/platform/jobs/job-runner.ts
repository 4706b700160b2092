import { seriesOf } from '../metrics.ts';
import { backOffMs, spreadMs } from './back-off.ts';
import { type JobRecord, type JobStore, MAX_WAIT_MS } from './job-store.ts';

/**
 * Not an error: continues the job at that time, without counting an attempt. After the deadline of the job it is dead, for this reason,
 * unless what it waits for ends by itself.
 */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly at: number;
  readonly endsByItself: boolean;

  /** @param options.endsByItself Whether the job cannot wait for this again and again. */
  constructor(
    message: string,
    { at, endsByItself = false }: { at: number; endsByItself?: boolean },
  ) {
    super(message);
    this.at = at;
    this.endsByItself = endsByItself;
  }
}

/** What a failed attempt means for its job. */
export interface JobFailure {
  /** For operators. */
  sentence: string;
  /** Whether it is retried; otherwise the job is dead at once. */
  isTransient: boolean;
  /** How long the service asks to wait, in milliseconds; such an attempt does not count. */
  retryAfterMs?: number | undefined;
  /** Least wait before the next attempt, in milliseconds. */
  leastWaitMs?: number | undefined;
  /** Whether it is unexpected, and to be logged with its cause. */
  isFault: boolean;
}

/** A kind of job, and how it is done. */
export interface JobKind<Job extends JobRecord> {
  /** For metrics and logs. */
  name: string;
  store: JobStore<Job>;
  /**
   * Continues a job from its recorded step as far as possible. It records each step before and after its effect, so that after a failure
   * or a crash at any point the next attempt knows what may have happened.
   *
   * @throws `NotYet`, or the error of the step that failed.
   */
  run(job: Job): Promise<void>;
  failureOf(error: unknown): JobFailure;
  /** Wait after the first failed attempt, in milliseconds; doubles up to 600 times this value, at most an hour. */
  retryMs: number;
  /** Attempts before a job is dead. */
  attempts: number;
  /** When a job is dead, in milliseconds since 1970, however often it or a service asks to wait. Needed where `run` throws `NotYet`. */
  deadlineOf?: ((job: Job) => number) | undefined;
  /** Jobs of one run; the alarm rings again for the others. */
  atOnce: number;
  now: () => number;
  random: () => number;
  onFault(where: string, error: unknown): void;
  /** Adds to a counter of the deployment. */
  count?: ((series: string, amount: number) => void) | undefined;
}

export interface JobRunner {
  /**
   * Works on the jobs that are due, one after the other; calls during a run share it.
   *
   * @returns Until when a service asks to wait, which ends the run; undefined when none does.
   */
  run(): Promise<number | undefined>;
  /** When the alarm has to ring next; undefined without open jobs. */
  dueAt(): number | undefined;
}

/** The first of several times, where there is one. */
export function earliest(...times: (number | undefined)[]): number | undefined {
  const present = times.filter((time) => time !== undefined);
  return present.length === 0 ? undefined : Math.min(...present);
}

const INTERRUPTED_ERROR = 'Cannot finish: the process ended at each attempt';

/**
 * Works on stored jobs: with retries, back-off and a bound of attempts, each on record before it begins. The alarm of a Durable Object
 * calls it; what an attempt did before its process ended is for `run` to find out.
 */
export function jobRunner<Job extends JobRecord>(kind: JobKind<Job>): JobRunner {
  const { store, now } = kind;
  const end = (outcome: 'done' | 'waiting' | 'failed' | 'dead'): void =>
    kind.count?.(seriesOf('constellation_jobs_total', { kind: kind.name, outcome }), 1);
  const bury = (job: Job, error: string): void => {
    try {
      store.bury(job, error, now());
    } catch (failure) {
      // For example a full list of dead jobs: this one is tried once more later, and the others go on.
      kind.onFault(kind.name, failure);
      const due_at = now() + backOffMs(job.attempts, kind);
      store.change(job, { attempts: job.attempts - 1, error, due_at }, now());
      return;
    }
    end('dead');
  };

  const recordFailure = (job: Job, error: unknown): number | undefined => {
    const time = now();
    const isLate = kind.deadlineOf !== undefined && time > kind.deadlineOf(job);
    if (error instanceof NotYet && isLate && !error.endsByItself) {
      bury(job, error.message);
      return undefined;
    }
    if (error instanceof NotYet) {
      store.change(job, { attempts: job.attempts - 1, due_at: error.at }, time);
      end('waiting');
      return undefined;
    }
    const { sentence, isTransient, isFault, retryAfterMs, leastWaitMs = 0 } = kind.failureOf(error);
    if (isFault) kind.onFault(kind.name, error);
    const isOver = retryAfterMs === undefined ? job.attempts >= kind.attempts : isLate;
    if (!isTransient || isOver) {
      bury(job, sentence);
      return undefined;
    }
    end('failed');
    if (retryAfterMs === undefined) {
      const due_at = time + Math.max(backOffMs(job.attempts, kind), leastWaitMs);
      store.change(job, { error: sentence, due_at }, time);
      return undefined;
    }
    // A service that repeatedly asks for no wait at all is still called with growing back-off.
    const refusals = (job.refusals ?? 0) + 1;
    const waitMs =
      Math.max(retryAfterMs, leastWaitMs, backOffMs(refusals, kind)) +
      spreadMs(retryAfterMs, kind.random);
    store.change(
      job,
      { attempts: job.attempts - 1, refusals, error: sentence, due_at: time + waitMs },
      time,
    );
    return time + retryAfterMs;
  };

  const attempt = async (job: Job): Promise<number | undefined> => {
    // One more than counts: should the process have ended during the last, this one finds out what that did.
    if (job.attempts > kind.attempts) {
      bury(job, INTERRUPTED_ERROR);
      return undefined;
    }
    // Recorded first: an attempt that ends the process counts, and is followed by another.
    const attempts = job.attempts + 1;
    const recordedJob = store.change(
      job,
      { attempts, due_at: now() + backOffMs(attempts, kind) },
      now(),
    );
    try {
      await kind.run(recordedJob);
      end('done');
      return undefined;
    } catch (error) {
      const current = store.current(recordedJob);
      return current && recordFailure(current, error);
    }
  };

  const run = async (): Promise<number | undefined> => {
    for (let count = 0; count < kind.atOnce; count += 1) {
      const job = store.due(now());
      const pausedUntil = job && (await attempt(job));
      if (job === undefined || pausedUntil !== undefined) return pausedUntil;
    }
    return undefined;
  };

  let currentRun: Promise<number | undefined> | undefined;
  return {
    run: () => {
      // Begins in a microtask, when `currentRun` is set.
      currentRun ??= Promise.resolve()
        .then(run)
        .finally(() => {
          currentRun = undefined;
        });
      return currentRun;
    },
    dueAt: () => {
      const dueAt = store.nextDueAt();
      return dueAt && Math.min(dueAt, now() + MAX_WAIT_MS);
    },
  };
}
