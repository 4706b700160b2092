import type { Context as HonoContext } from 'hono';
import type { GuardedEnv, GuardOptions } from './context-guard.ts';
import { type Circuits, createCircuits } from './delegation/circuits.ts';
import { createDelegates, type Delegates } from './delegation/delegates.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';
import { type SignedClient, signedClient, type Target } from './signed-client.ts';
import { type WaitUntil, waitUntilOf } from './wait-until.ts';

/** What belongs to one request, for the wiring of a librarian; the librarian itself stays `(query, context?)`. */
export interface RequestScope {
  /** The verified context: workspace, capabilities, budgets. */
  context: OriginContext | VerifiedContext;
  waitUntil: WaitUntil;
  /** Other librarians, for one that asks them itself instead of handing the question on. */
  delegates: Delegates;
}

export interface ScopeOptions extends Pick<GuardOptions, 'self' | 'signer' | 'directory' | 'now' | 'log'> {
  /** Whom questions may be handed on to: service bindings and public hosts by librarian id. */
  targets?: Readonly<Record<string, Target>> | undefined;
  /** Which targets are left alone for a while, where several apps of a function share that; new when absent. */
  circuits?: Circuits | undefined;
}

/** What is asked: where a question is handed on, it goes along. */
interface ScopedQuestion {
  query: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Gives up what was handed on: the deadline, or the caller who has gone. */
  signal: AbortSignal;
}

export interface RequestScopes {
  client: SignedClient;
  /** The scope of a request that `contextGuard` let in. */
  open(c: HonoContext<GuardedEnv>, question: ScopedQuestion): RequestScope;
  /** Has the receipt tell what was asked of others. To be called before the answer is returned. */
  settle(c: HonoContext<GuardedEnv>, scope: RequestScope): void;
}

/** Makes the scopes of all requests of an app. Built once: what it learns about targets outlives a request. */
export const requestScopes = (options: ScopeOptions): RequestScopes => {
  const client = signedClient({ ...options, targets: options.targets ?? {} });
  const circuits = options.circuits ?? createCircuits();
  return {
    client,
    open: (c, question) => {
      const context = c.get('context');
      const delegates = createDelegates({ ...options, ...question, context, client, circuits });
      return { context, waitUntil: waitUntilOf(c), delegates };
    },
    settle: (c, { delegates }) => {
      c.set('usage', { ...c.get('usage'), ...delegates.usage() });
      c.set('receipts', [...(c.get('receipts') ?? []), ...delegates.receipts()]);
    },
  };
};
