import type { Delegate } from '../contract/librarian.ts';
import type { DelegateRequest, LibrarianResponse, TraceHop } from '../contract/response.ts';
import { timeToAnswer } from '../http/deadline.ts';
import type { Branch, ConnectDelegation, Delegates, DelegationScope } from '../runtime/delegates.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { type Log, logLine } from '../runtime/log.ts';
import { inOrder, withoutStatements } from '../runtime/progress.ts';
import { type SignedClient, signedClient, type Target } from '../runtime/signed-client.ts';
import type { KeyDirectory } from '../signing/key-directory.ts';
import { type Amounts, MAX_FAN_OUT, MODEL_BUDGETS } from '../signing/limits.ts';
import { LIBRARIAN_ID } from '../signing/link-claims.ts';
import { hasOnlyWordsOf } from '../text/own-words.ts';
import { aggregate } from './aggregate.ts';
import { type Caller, isFailure, overBudget } from './call.ts';
import { type CircuitBreakers, createCircuitBreakers } from './circuit-breaker.ts';
import { readingCapabilities, sharesOf, timeToAsk } from './delegated-limits.ts';
import { type AskedBranch, askBranch } from './fallback.ts';
import { createLibrarians } from './librarian-directory.ts';
import { assembleHops, nestedHops, type RecordedHop, withMetadata, withTrace } from './trace.ts';

/**
 * Connects a librarian to those that it may delegate to. A function without targets does not import it, which makes its bundle a third
 * smaller.
 *
 * @param targets Service bindings and public hosts by librarian id: `serviceTargets(env)`, `httpsTargets(directory)`.
 */
export const delegateTo = (targets: Readonly<Record<string, Target>>): ConnectDelegation => {
  const circuitBreakers = createCircuitBreakers();
  return (options) => {
    const client = signedClient({ ...options, targets });
    const ids = client.targets;
    const librarians = createLibrarians({ targets, own: ids, now: options.now });
    return {
      describe: async (scope) => {
        const available = await librarians.routable(scope);
        return ids.flatMap((id): Delegate[] => {
          const info = available.find((each) => each.id === id);
          if (info !== undefined) return [info];
          // Not yet described, as opposed to one that reports that it is unavailable.
          return librarians.infoOf(id) === undefined ? [{ id }] : [];
        });
      },
      delegatesFor: (scope) => createDelegates({ ...options, ...scope, client, circuitBreakers }),
    };
  };
};

/** What the delegates of one request need. */
export interface DelegateParts extends Omit<DelegationScope, 'signal'> {
  client: SignedClient;
  directory: KeyDirectory;
  signal?: AbortSignal | undefined;
  /** Shared by all requests of the isolate. */
  circuitBreakers: CircuitBreakers;
  /** Earlier questions of the same asker: their words are the asker's own, like those of `query`. */
  said?: readonly string[] | undefined;
  now?: (() => number) | undefined;
  log?: Log | undefined;
}

/**
 * The only way in which questions go from librarian to librarian. Loops, depth, missing time, more than eight questions and more
 * calls than the signed budgets pay for are refused before anything is sent.
 */
export const createDelegates = (parts: DelegateParts): Delegates => {
  const { context, budget, said = [], now = Date.now } = parts;
  const caller = callerOf(parts);
  const own = [parts.query, ...said];
  const recorded: RecordedHop[] = [];
  const receipts: string[] = [];
  const uses: Amounts[] = [];
  let questions = 0;

  const record = async ({ branch, replies }: AskedBranch): Promise<void> => {
    if (replies.length === 0) recorded.push(...hopsOfRefused(branch, context).map((own) => ({ own, below: [] })));
    for (const reply of replies) {
      recorded.push({ own: reply.hop, below: await nestedHops(reply, { ...parts, now: now() }) });
      uses.push(...reply.uses);
      if (reply.receipt?.hash !== undefined) receipts.push(reply.receipt.hash);
    }
  };

  const delegates: Delegates = {
    ask: async (requests, { metadata = parts.metadata, progress, onBranch } = {}) => {
      const room = MAX_FAN_OUT - questions;
      questions += Math.min(room, requests.length);
      const shares = sharesOf(budget, Math.min(room, requests.length, budget.left('calls')));
      const deadlineMs = askDeadlineMs(context, now());
      const reported = requests.length === 1 ? inOrder(progress) : withoutStatements(progress);
      const asking = requests.map((request, index) => {
        const share = shares[index];
        if (!isAddressed(request)) return refusedBranch(parts.query, request, invalidId());
        if (share !== undefined) {
          const isTainted = request.query !== undefined && !hasOnlyWordsOf(request.query, own);
          const capabilities = readingCapabilities(context.capabilities, { isTainted });
          const asker = { ...caller, capabilities, progress: reported };
          const answered = askBranch(asker, request, { ...parts, metadata, share, deadlineMs });
          return answered.then((asked) => {
            onBranch?.(asked.branch, index);
            return asked;
          });
        }
        const response = index < room ? overBudget(request.to) : tooMany(request.to);
        return refusedBranch(parts.query, request, response);
      });
      const asked = await Promise.all(asking);
      for (const each of asked) await record(each);
      return asked.map(({ branch }) => branch);
    },
    combine: (response, branches) => {
      const { delegate, ...own } = response;
      if (delegate === undefined) return withTrace(response, delegates.trace());
      const [only, ...others] = branches;
      const combined =
        only !== undefined && others.length === 0
          ? combineWithOne(own, only)
          : aggregate([...ownBranch(own, parts), ...branches]);
      return withTrace(combined, delegates.trace());
    },
    trace: () => ({ traceId: context.traceId, hops: assembleHops(recorded) }),
    usage: budget.spent,
    verifiedUsage: () =>
      Object.fromEntries(MODEL_BUDGETS.map((name) => [name, uses.reduce((sum, use) => sum + (use[name] ?? 0), 0)])),
    receipts: () => [...receipts],
  };
  return delegates;
};

const callerOf = ({
  client,
  circuitBreakers,
  context,
  signal,
  now = Date.now,
  log = logLine,
}: DelegateParts): Omit<Caller, 'capabilities' | 'progress'> => ({
  client,
  circuitBreakers,
  context,
  signal,
  now,
  scene: { librarian: context.self, where: 'delegate', log, traceId: context.traceId },
});

/** The deadline for delegates' answers: leaves time to join them and for the response to arrive. */
const askDeadlineMs = ({ startedAtMs, deadlineMs }: DelegateParts['context'], nowMs: number): number => {
  const answerByMs = startedAtMs + timeToAnswer(deadlineMs - startedAtMs);
  return nowMs + timeToAsk(answerByMs - nowMs);
};

const isAddressed = ({ to, fallback }: DelegateRequest): boolean =>
  LIBRARIAN_ID.test(to) && (fallback === undefined || LIBRARIAN_ID.test(fallback));

const refusedBranch = (query: string, request: DelegateRequest, response: LibrarianResponse): AskedBranch => ({
  branch: { request, query: request.query ?? query, to: request.to, response },
  replies: [],
});

/** The hop of a question that was not sent. */
const hopsOfRefused = ({ to, response }: Branch, { self, caller, spanId }: DelegateParts['context']): TraceHop[] => {
  if (!LIBRARIAN_ID.test(to) || response.error === undefined) return [];
  const parent = caller === undefined ? {} : { parentSpanId: spanId };
  return [{ ...parent, from: self, to, durationMs: 0, outcome: response.error.code, attempts: 0, verified: false }];
};

const invalidId = (): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    message: 'Cannot delegate the question: the target is not a librarian id',
    recoverable: false,
    suggestion: 'Take the id from the delegates of the context',
  }),
});

const tooMany = (librarian: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    message: `Cannot delegate the question: ${MAX_FAN_OUT} librarians were asked already`,
    recoverable: false,
    suggestion: 'Delegate to the librarians that know best, or to one that asks the others',
  }),
});

/** The target's response, or the librarian's own answer, partial, with the error under `metadata.delegationError`. */
const combineWithOne = (own: LibrarianResponse, { response }: Branch): LibrarianResponse => {
  if (!isFailure(response) || own.answer === undefined) return response;
  const partial = { ...own, partial: true };
  const gap = { delegationError: response.error };
  // The gap must be named, even if no other metadata fits.
  return withMetadata(partial, gap) ?? { ...partial, metadata: gap };
};

/** An answer beside a delegate request stands first among the others. */
const ownBranch = (response: LibrarianResponse, { context: { self }, query }: DelegateParts): Branch[] =>
  response.answer === undefined ? [] : [{ request: { to: self }, query, to: self, response }];
