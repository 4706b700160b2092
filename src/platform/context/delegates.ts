import type { Progress } from '../../contract/core/ask.ts';
import type { Delegate } from '../../contract/core/librarian.ts';
import type {
  DelegateRequest,
  DelegationTrace,
  LibrarianResponse,
} from '../../contract/core/response.ts';
import type { WaitUntil } from '../concurrency.ts';
import type { GuardOptions } from './context-guard.ts';
import { errorInfo } from './error-info-of.ts';
import type { Amounts, Budget } from './limits.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';

/** A delegate request and its outcome. */
export interface Branch {
  request: DelegateRequest;
  /** The query that was sent: the delegate request's own, or the original one. */
  query: string;
  /** The librarian that answered or failed last: the target, or its fallback. */
  to: string;
  /** Never a delegation: an answer, an error, or an answer with an error beside it. */
  response: LibrarianResponse;
}

type Metadata = Readonly<Record<string, unknown>>;

/** The librarians that one librarian can ask for one request. */
export interface Delegates {
  /**
   * Asks all in parallel; the branches are in the order of the requests. Never throws: a branch that failed holds an error. Requests that
   * may run in parallel belong in one call, which divides the remaining budgets among them.
   *
   * @param options.metadata Sent with every query; the metadata of the request when absent.
   * @param options.progress Gets what the librarians report: statements only where one is asked, since those of several are joined first.
   * @param options.onBranch Gets each branch that was asked as soon as it has ended, with the place of its request.
   */
  ask(
    requests: readonly DelegateRequest[],
    options?: {
      metadata?: Metadata | undefined;
      progress?: Progress | undefined;
      onBranch?: ((branch: Branch, place: number) => void) | undefined;
    },
  ): Promise<Branch[]>;
  /**
   * The Response to a request whose librarian returned `response` and whose delegates answered `branches`, with the trace under
   * `metadata.trace`.
   */
  combine(response: LibrarianResponse, branches: readonly Branch[]): LibrarianResponse;
  /** The hops so far, each before its own nested hops. */
  trace(): DelegationTrace;
  /** Usage of the request's budget for the receipt, delegated calls included. */
  usage(): Amounts;
  /** Model usage of all delegated questions, from verified receipts; answers without one are not counted. */
  verifiedUsage(): Amounts;
  /** Hashes of the receipts of all answers, for this librarian's own receipt; empty at an origin, which signs none. */
  receipts(): string[];
}

/** The question and its context, passed on whenever it is delegated. */
export interface DelegationScope {
  context: OriginContext | VerifiedContext;
  /** The budget of the request, shared with its own model calls. */
  budget: Budget;
  query: string;
  metadata?: Metadata | undefined;
  /** Cancels branches in flight: at the deadline, or when the caller has disconnected. */
  signal: AbortSignal;
}

/** The other librarians that an app can call. */
interface Delegation {
  /**
   * The targets that are in the key directory, except those that report that they are unavailable. One that was never described is waited
   * for, for `withinMs` at most; after that it has its id alone.
   */
  describe(scope: {
    waitUntil: WaitUntil;
    withinMs: number;
    signal: AbortSignal;
  }): Promise<readonly Delegate[]>;
  delegatesFor(scope: DelegationScope): Delegates;
}

/** Connects an app to other librarians, once per app; `delegateTo` in src/librarians/delegation makes one. */
export type ConnectDelegation = (
  options: Pick<GuardOptions, 'self' | 'signer' | 'directory' | 'now' | 'log'>,
) => Delegation;

/** For a function without targets: every delegate request fails with DELEGATION_FAILED. */
export const noDelegation: Delegation = {
  describe: async () => [],
  delegatesFor: ({ context, query, budget }) => ({
    ask: async (requests) =>
      requests.map((request) => ({
        request,
        query: request.query ?? query,
        to: request.to,
        response: { error: noTarget(request.to, context.self) },
      })),
    combine: ({ delegate: _delegate, ...own }, [failed]) => {
      if (failed === undefined) return own;
      const { error } = failed.response;
      if (own.answer === undefined) return failed.response;
      return { ...own, partial: true, metadata: { ...own.metadata, delegationError: error } };
    },
    trace: () => ({ traceId: context.traceId, hops: [] }),
    usage: budget.spent,
    verifiedUsage: () => ({}),
    receipts: () => [],
  }),
};

/** Names the binding that a function lacks, for whoever deploys it. */
export function noTarget(librarian: string, self: string) {
  return errorInfo('DELEGATION_FAILED', {
    librarian,
    message: `Cannot ask ${librarian}: the function ${self} has no service binding for it`,
    recoverable: false,
    suggestion: `In ${self === 'gateway' ? '' : `functions/${self}/`}wrangler.toml, add [[services]] with binding = "${librarian.toUpperCase().replace(/[^A-Z0-9]/g, '_')}" and service = "constellation-${librarian}"`,
  });
}
