import type { TicketJob } from '../../contract/tickets.ts';
import type { Job, TicketStore } from './ticket-store.ts';

/** A job as the workspace's desk lists it. */
export interface JobReport extends Omit<TicketJob, 'id' | 'helpdesk' | 'ticket_id'> {
  job: number;
  /** Counts its changes: of two reports the higher one holds. */
  version: number;
}

export interface JobReporter {
  /** Tells what the desk does not know yet. Never throws. */
  report(): Promise<void>;
  /** When that is to be tried next; undefined when it knows all. */
  dueAt(): number | undefined;
}

interface ReporterParts {
  store: TicketStore;
  now: () => number;
  backOff(failures: number): number;
  tell(jobs: readonly JobReport[]): Promise<void>;
  onFault(where: string, error: unknown): void;
}

/** A change that was not told at once is told by the next alarm. */
const WITHIN_MS = 1000;

export const jobReporter = ({ store, now, backOff, tell, onFault }: ReporterParts): JobReporter => {
  let failures = 0;
  let againAt = 0;
  return {
    report: async () => {
      const untold = store.untold();
      if (untold.length === 0) return;
      try {
        await tell(untold.map(reportOf));
        for (const { id, version } of untold) store.told(id, version);
        failures = 0;
      } catch (error) {
        failures += 1;
        againAt = now() + backOff(failures);
        onFault('report', error);
      }
    },
    dueAt: () => (store.untold().length > 0 ? Math.max(againAt, now() + WITHIN_MS) : undefined),
  };
};

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
