import type { LogFields, Logger } from '../context-engine/types.ts';
import { logLine } from '../runtime/log.ts';

/** What the context engine logs, as lines of this house: the kind and the cause of a failure; nothing of the query. */
export const logFailures: Logger = {
  // What callers got wrong they are told.
  warn: () => {},
  error: (_message, { operation = 'search', error = '', cause = '' }: LogFields) =>
    logLine({
      event: 'fault',
      time: Date.now(),
      librarian: 'memory',
      where: String(operation),
      code: String(error),
      cause: String(cause),
    }),
};
