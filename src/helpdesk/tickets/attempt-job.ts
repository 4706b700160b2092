import { failureOf, NotYet } from './attempt-failed.ts';
import { type StepParts, workOn } from './job-steps.ts';
import type { Job } from './ticket-store.ts';
import { backOffMs, spreadMs } from './ticket-times.ts';

export interface AttemptParts extends StepParts {
  random: () => number;
  onFault(where: string, error: unknown): void;
}

/** However often a tool asks to wait. */
const MAX_OPEN_MS = 86_400_000;

/**
 * Works on a job once, and records what comes of it: that it is done, when it is tried again, or that it is not.
 *
 * @returns Until when the tool asks to be left alone; undefined when it does not.
 */
export const attemptJob = async (job: Job, parts: AttemptParts): Promise<number | undefined> => {
  const { store, now, times } = parts;
  // On record before anything is done: an attempt that ends the process counts, and is followed by another.
  const attempts = job.attempts + 1;
  const due = now() + backOff(attempts, parts);
  const nudgeAt = Math.max(due, now() + 3 * times.callMs + times.analyseMs);
  const begun = store.change(job, { attempts, due_at: due, nudge_at: nudgeAt, nudges: 0 }, now());
  try {
    await workOn(begun, parts);
    return undefined;
  } catch (error) {
    const current = store.job(job.id);
    return current === undefined ? undefined : recordFailure(current, error, parts);
  }
};

const recordFailure = (job: Job, error: unknown, parts: AttemptParts): number | undefined => {
  const { store, times, onFault } = parts;
  const time = parts.now();
  if (error instanceof NotYet) {
    store.change(job, { attempts: job.attempts - 1, due_at: error.at, nudge_at: error.at }, time);
    return undefined;
  }
  const { sentence, isTransient, isFault, retryAfterMs } = failureOf(error);
  if (isFault) onFault('ticket', error);
  const isOver = retryAfterMs === undefined ? job.attempts >= times.attempts : time - job.begun_at > MAX_OPEN_MS;
  if (!isTransient || isOver) {
    store.change(job, { state: 'dead', error: sentence }, time);
    return undefined;
  }
  if (retryAfterMs === undefined) {
    const again = time + backOff(job.attempts, parts);
    store.change(job, { error: sentence, due_at: again, nudge_at: again }, time);
    return undefined;
  }
  // A tool that says to come back at once, again and again, is asked at growing distances all the same.
  const refusals = job.refusals + 1;
  const wait = Math.max(retryAfterMs, backOff(refusals, parts)) + spreadMs(retryAfterMs, parts.random);
  const again = time + wait;
  const attempts = job.attempts - 1;
  store.change(job, { attempts, refusals, error: sentence, due_at: again, nudge_at: again }, time);
  return time + retryAfterMs;
};

const backOff = (failures: number, { times, random }: AttemptParts): number =>
  backOffMs(failures, { retryMs: times.retryMs, random });
