import type { Sql, SqlValue } from '../storage/sql.ts';

/** The columns of every table of jobs, beside those of its kind. Times are milliseconds since 1970. */
export type JobRecord = {
  id: string | number;
  /** Attempts that count, since it was accepted or replayed. */
  attempts: number;
  /** Attempts that do not count, since a service asked to wait; only in tables of kinds with `retryAfterMs`. */
  refusals?: number;
  /** No attempt before this time. */
  due_at: number;
  /** Why the last attempt failed, for operators. */
  error: string | null;
};

/** The jobs of one kind. */
export interface JobStore<Job extends JobRecord> {
  /** The open job that has been due longest. */
  due(now: number): Job | undefined;
  /** When the next open job is due. */
  nextDueAt(): number | undefined;
  /** A job as it is stored now; undefined when it has ended, or was cancelled by removing it. */
  current(job: Job): Job | undefined;
  change(job: Job, changes: Partial<JobRecord>, now: number): Job;
  /** Ends a job that cannot be done: an operator sees it, and may replay it. */
  bury(job: Job, error: string, now: number): void;
}

/** Later than any job waits: one that is due after so long was dated by a clock that has since been set back. */
export const MAX_WAIT_MS = 7_200_000;

/**
 * The jobs of a table with the columns of `JobRecord`.
 *
 * @param options.openCondition Condition of a job that is to be done; an index on it and `due_at` serves it.
 * @param options.bury See `JobStore`.
 */
export function sqlJobs<Job extends JobRecord>(
  sql: Sql,
  {
    table,
    openCondition,
    bury,
  }: { table: string; openCondition: string; bury: JobStore<Job>['bury'] },
): JobStore<Job> {
  // Names of tables and columns come from code, never from input.
  const first = (condition: string, ...values: SqlValue[]) =>
    sql.all<Job>(
      `SELECT * FROM ${table} WHERE ${openCondition} AND ${condition} LIMIT 1`,
      ...values,
    )[0];
  return {
    due: (now) =>
      first('due_at <= ? ORDER BY due_at, id', now) ?? first('due_at > ?', now + MAX_WAIT_MS),
    nextDueAt: () =>
      sql.all<{ at: number | null }>(
        `SELECT min(due_at) AS at FROM ${table} WHERE ${openCondition}`,
      )[0]?.at ?? undefined,
    current: ({ id }) => first('id = ?', id),
    change: (job, changes) => {
      const columns = Object.keys(changes).map((column) => `${column} = ?`);
      sql.run(
        `UPDATE ${table} SET ${columns.join(', ')} WHERE id = ?`,
        ...Object.values(changes),
        job.id,
      );
      return { ...job, ...changes };
    },
    bury,
  };
}
