import { CodedError } from '../../http/coded-error.ts';
import { ConnectionGone, ConnectionUnusable } from '../connections.ts';
import { HelpdeskFailed } from '../helpdesk-tool.ts';
import { AnalysisFailed } from './ask-support.ts';
import { NotYet, type StepParts, workOn } from './job-steps.ts';
import type { Job } from './ticket-store.ts';
import { backOffMs, spreadMs } from './ticket-times.ts';

export interface AttemptParts extends StepParts {
  random: () => number;
  onFault(where: string, error: unknown): void;
}

/** A job is given up after this time, however often the tool asks to wait. */
const MAX_OPEN_MS = 86_400_000;

/**
 * Makes one attempt at a job, and records the outcome: done, to be retried at a time, or dead.
 *
 * @returns Until when the tool asks to wait; undefined when it does not.
 */
export const attemptJob = async (job: Job, parts: AttemptParts): Promise<number | undefined> => {
  const { store, now, times } = parts;
  // Recorded first: an attempt that ends the process counts, and is followed by another.
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
  // A tool that repeatedly asks for no wait at all is still called with growing back-off.
  const refusals = job.refusals + 1;
  const wait = Math.max(retryAfterMs, backOff(refusals, parts)) + spreadMs(retryAfterMs, parts.random);
  const again = time + wait;
  const attempts = job.attempts - 1;
  store.change(job, { attempts, refusals, error: sentence, due_at: again, nudge_at: again }, time);
  return time + retryAfterMs;
};

const backOff = (failures: number, { times, random }: AttemptParts): number =>
  backOffMs(failures, { retryMs: times.retryMs, random });

/** What a failed attempt means for its job. */
interface Failure {
  /** For the list of tickets. */
  sentence: string;
  /** Whether it is retried; otherwise the job is dead at once. */
  isTransient: boolean;
  /** How long the tool asks to wait; such an attempt does not count. */
  retryAfterMs?: number | undefined;
  /** Whether it is unexpected, and to be logged with its cause. */
  isFault: boolean;
}

const MAX_SENTENCE = 300;
/** Longer waits are cut. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const failureOf = (error: unknown): Failure => {
  const expected = (isTransient: boolean, retryAfterMs?: number): Failure => ({
    ...{ isTransient, retryAfterMs, isFault: false },
    sentence: (error instanceof Error && error.message.slice(0, MAX_SENTENCE)) || 'Cannot continue',
  });
  if (error instanceof HelpdeskFailed) {
    const { isTransient, isOutcomeUnknown, retryAfterMs } = error;
    const isPause = isTransient && retryAfterMs !== undefined;
    return expected(isTransient || isOutcomeUnknown, isPause ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) : undefined);
  }
  if (error instanceof AnalysisFailed) return expected(error.isTransient);
  if (error instanceof ConnectionGone) return expected(false);
  if (error instanceof CodedError && error.code === 'TIMEOUT') return expected(true);
  const sentence =
    error instanceof ConnectionUnusable
      ? 'Cannot reach the helpdesk: its connection cannot be used; helpdesks of this list says why'
      : 'Cannot continue: something went wrong inside';
  return { sentence, isTransient: true, isFault: true };
};
