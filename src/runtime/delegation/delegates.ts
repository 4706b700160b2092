import type { DelegateRequest, DelegationTrace, LibrarianResponse, TraceHop } from '../../contract/response.ts';
import { type Amounts, type Budget, budgetOf, MODEL_BUDGETS, requestBudget } from '../budget.ts';
import { errorInfo } from '../error-info-of.ts';
import type { KeyDirectory } from '../key-directory.ts';
import { MAX_FAN_OUT } from '../limits.ts';
import { LIBRARIAN_ID } from '../link-claims.ts';
import { type Log, logLine } from '../log.ts';
import type { OriginContext, VerifiedContext } from '../request-context.ts';
import type { SignedClient } from '../signed-client.ts';
import { type AskedBranch, askDelegate } from './ask-delegate.ts';
import { overBudget } from './ask-target.ts';
import { assembleHops, type RecordedHop } from './assemble-hops.ts';
import type { Branch } from './branch.ts';
import type { Caller } from './call-once.ts';
import type { Circuits } from './circuits.ts';
import { sharesOf } from './divide-budget.ts';
import { nestedHops } from './nested-hops.ts';
import { readingCapabilities } from './reading-capabilities.ts';
import { timeToAnswer, timeToAsk } from './time-to-ask.ts';

/** Other librarians, as one librarian can ask them for one request. */
export interface Delegates {
  /**
   * Asks all at once; the branches come in the order of the requests. Never throws: a branch that failed holds an error.
   * What may run at the same time belongs into one call, which divides what is left of the budgets among its requests.
   *
   * @param options.metadata Goes along with every question; what came with the request when absent.
   */
  ask(requests: readonly DelegateRequest[], options?: { metadata?: Metadata | undefined }): Promise<Branch[]>;
  /** The hops so far, each before those that it led to. */
  trace(): DelegationTrace;
  /** What is spent of the budget of the request: by all that was asked here, and below. For the receipt. */
  usage(): Amounts;
  /** What models took for all that was asked here, as the receipts say; nothing of answers that brought none. */
  proven(): Amounts;
  /** Hashes of the receipts of all that was answered here, for the receipt; none at an origin, who signs none. */
  receipts(): string[];
}

type Metadata = Readonly<Record<string, unknown>>;

/** What the delegates of one request are made of. */
export interface DelegateParts {
  client: SignedClient;
  directory: KeyDirectory;
  /** Whose librarian asks, for whom, until when, and with which budgets. */
  context: OriginContext | VerifiedContext;
  /** Of the request, where others spend of it too: its model. That of the context when absent. */
  budget?: Budget | undefined;
  /** Asked where a request brings no question of its own. */
  query: string;
  /** Goes along with every question. */
  metadata?: Metadata | undefined;
  /** Gives all open branches up, and sends no other: the caller has gone, or has been answered. */
  signal?: AbortSignal | undefined;
  /** Outlive the request: one for the isolate. */
  circuits: Circuits;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/**
 * The one way in which questions go from librarian to librarian. Loops, depth, missing time, more than eight questions
 * and more calls than the signed budgets pay for are refused before anything is sent.
 */
export const createDelegates = (parts: DelegateParts): Delegates => {
  const { context, budget = requestBudget(context), now = Date.now } = parts;
  const caller = callerOf(parts);
  const recorded: RecordedHop[] = [];
  const receipts: string[] = [];
  const uses: Amounts[] = [];
  let questions = 0;

  const askOne = async (
    request: DelegateRequest,
    { share, ...given }: { share: Amounts; untilMs: number; metadata: Metadata | undefined },
  ) => {
    const own = budgetOf(share);
    budget.take(share);
    const asked = await askDelegate(caller, request, { ...parts, ...given, budget: own });
    budget.giveBack(share);
    budget.take(own.spent());
    return asked;
  };

  const record = async ({ branch, replies }: AskedBranch): Promise<void> => {
    if (replies.length === 0) recorded.push(...hopsOfRefused(branch, context).map((own) => ({ own, below: [] })));
    for (const reply of replies) {
      recorded.push({ own: reply.hop, below: await nestedHops(reply, { ...parts, now: now() }) });
      uses.push(...reply.uses);
      if (reply.receipt?.hash !== undefined) receipts.push(reply.receipt.hash);
    }
  };

  return {
    ask: async (requests, { metadata = parts.metadata } = {}) => {
      const room = MAX_FAN_OUT - questions;
      questions += Math.min(room, requests.length);
      const shares = sharesOf(budget, Math.min(room, requests.length, budget.left('calls')));
      const untilMs = untilMsOf(context, now());
      const asking = requests.map((request, index) => {
        const share = shares[index];
        if (!isAddressed(request)) return refusedBranch(parts.query, request, noLibrarian());
        if (share !== undefined) return askOne(request, { share, untilMs, metadata });
        const response = index < room ? overBudget(request.to) : tooMany(request.to);
        return refusedBranch(parts.query, request, response);
      });
      const asked = await Promise.all(asking);
      for (const each of asked) await record(each);
      return asked.map(({ branch }) => branch);
    },
    trace: () => ({ traceId: context.traceId, hops: assembleHops(recorded) }),
    usage: budget.spent,
    proven: () => sumOf(uses),
    receipts: () => [...receipts],
  };
};

const sumOf = (uses: readonly Amounts[]): Amounts =>
  Object.fromEntries(MODEL_BUDGETS.map((name) => [name, uses.reduce((sum, use) => sum + (use[name] ?? 0), 0)]));

const callerOf = ({ client, context, signal, now = Date.now, log = logLine }: DelegateParts): Caller => ({
  client,
  context,
  signal,
  now,
  scene: { librarian: context.self, where: 'delegate', log, traceId: context.traceId },
  capabilities: readingCapabilities(context.capabilities),
});

/** When answers have to be here: in time to join them, to answer, and for the answer to arrive. */
const untilMsOf = ({ startedAtMs, deadlineMs }: DelegateParts['context'], nowMs: number): number => {
  const answerByMs = startedAtMs + timeToAnswer(deadlineMs - startedAtMs);
  return nowMs + timeToAsk(answerByMs - nowMs);
};

const isAddressed = ({ to, fallback }: DelegateRequest): boolean =>
  LIBRARIAN_ID.test(to) && (fallback === undefined || LIBRARIAN_ID.test(fallback));

const refusedBranch = (asked: string, request: DelegateRequest, response: LibrarianResponse): AskedBranch => ({
  branch: { request, query: request.query ?? asked, to: request.to, response },
  replies: [],
});

/** Of a question that nobody was asked. */
const hopsOfRefused = ({ to, response }: Branch, { self, caller, spanId }: DelegateParts['context']): TraceHop[] => {
  if (!LIBRARIAN_ID.test(to) || response.error === undefined) return [];
  const parent = caller === undefined ? {} : { parentSpanId: spanId };
  return [{ ...parent, from: self, to, durationMs: 0, outcome: response.error.code, attempts: 0, verified: false }];
};

const noLibrarian = (): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    message: 'Cannot hand the question on: what it names is not the id of a librarian',
    recoverable: false,
    suggestion: 'Take the id from the delegates of the context',
  }),
});

const tooMany = (librarian: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    message: `Cannot hand the question on: ${MAX_FAN_OUT} librarians were asked already`,
    recoverable: false,
    suggestion: 'Hand on to the librarians that know best, or ask one that asks the others',
  }),
});
