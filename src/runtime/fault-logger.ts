import { describeCause, type Log, logLine } from './log.ts';

/** Logs a fault of a dependency that an answer had to do without. */
export const faultLogger =
  (librarian: string, log: Log = logLine) =>
  (where: string, error: unknown): void =>
    log({ event: 'fault', time: Date.now(), librarian, where, code: 'DATA_SOURCE_ERROR', cause: describeCause(error) });
