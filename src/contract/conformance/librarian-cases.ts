import type { ErrorCode } from '../error-info.ts';
import type { Context, Librarian, LibrarianInfo } from '../librarian.ts';

/** A question, what comes with it, and whom it goes to: the librarian of the suite, or one made for this case. */
export interface LibrarianCase {
  query: string;
  /** Beside what the suite gives: user, trace, chain, time, signal. */
  context?: Context | undefined;
  /** The same librarian with other parts, such as a source that is down. */
  librarian?: Librarian | undefined;
}

/**
 * What to ask a librarian. A case that a librarian does not have is `'never'`, and that is tested as well: one that never
 * delegates must not do so even when delegates are offered.
 */
export interface LibrarianCases {
  /** How it introduces itself. */
  info?: LibrarianInfo | undefined;
  /** A question that it answers. */
  answers: LibrarianCase;
  /** A question, or a condition, that it answers with an error, and the code of that. */
  fails: (LibrarianCase & { code: ErrorCode }) | 'never';
  /** A question that it has nothing about: NOT_FOUND, or an answer that is partial. */
  declines: LibrarianCase | 'never';
  /** A question that it hands on to `to`, who is among the delegates that are offered to it. */
  delegates: (LibrarianCase & { to: string | readonly string[] }) | 'never';
  /** A question for which it waits for something that does not come, until its time is over. */
  waits: LibrarianCase | 'never';
  /** Milliseconds that it may take beyond its time, 1,000 when absent. */
  graceMs?: number | undefined;
}
