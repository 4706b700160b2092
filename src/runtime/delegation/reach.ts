import type { LibrarianResponse } from '../../contract/response.ts';
import type { Budget } from '../budget.ts';
import type { GuardOptions } from '../context-guard.ts';
import type { OriginContext, VerifiedContext } from '../request-context.ts';
import type { Delegates } from './delegates.ts';

/** Other librarians, and the machinery of asking them: see `reachable`. */
export interface Reach {
  /** Called once for each app. */
  start(options: Pick<GuardOptions, 'self' | 'signer' | 'directory' | 'now' | 'log'>): Reaching;
}

export interface Reaching {
  /** Ids of those that the key directory knows. */
  ids: readonly string[];
  delegatesFor(question: ScopedQuestion): Delegates;
  /** Follows what a librarian hands on (design 7.5). Never throws. */
  follow(
    response: LibrarianResponse,
    delegates: Delegates,
    asked: { librarian: string; query: string },
  ): Promise<LibrarianResponse>;
}

/** What is asked: where a question is handed on, it goes along. */
export interface ScopedQuestion {
  context: OriginContext | VerifiedContext;
  /** Of the request: its model spends of it too. */
  budget: Budget;
  query: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Gives up what was handed on: the deadline, or the caller who has gone. */
  signal: AbortSignal;
}
