import { ASKER_LANGUAGE, languageOfAsker } from '../../answering/write/answer-phrases.ts';
import { ASKER_FACTS, LibrarianAskRequest } from '../../contract/core/ask.ts';
import { describeIssues, ErrorInfo, readAs } from '../../contract/core/error-info.ts';
import type { Delegate } from '../../contract/core/librarian.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import type { DelegateRequest, LibrarianResponse, TraceHop } from '../../contract/core/response.ts';
import { hasOnlyWordsOf } from '../../language/keeps-question.ts';
import type {
  Branch,
  ConnectDelegation,
  Delegates,
  DelegationScope,
} from '../../platform/context/delegates.ts';
import { errorInfo } from '../../platform/context/error-info-of.ts';
import type { KeyDirectory } from '../../platform/context/key-directory.ts';
import {
  type Amounts,
  type Budget,
  budgetOf,
  MAX_FAN_OUT,
  MODEL_BUDGETS,
} from '../../platform/context/limits.ts';
import { LIBRARIAN_ID } from '../../platform/context/link-claims.ts';
import {
  type SignedClient,
  signedClient,
  type Target,
} from '../../platform/context/signed-client.ts';
import { timeToAnswer } from '../../platform/http/deadline.ts';
import { inOrder, withoutStatements } from '../../platform/http/progress.ts';
import { type Log, logLine } from '../../platform/log.ts';
import { isDeclined } from './abstention.ts';
import { aggregate, type NameOf } from './aggregate.ts';
import {
  askTarget,
  type Caller,
  isFailure,
  overBudget,
  readingCapabilities,
  sharesOf,
  type TargetReply,
  timeOfFirst,
  timeToAsk,
} from './call.ts';
import { type CircuitBreakers, createCircuitBreakers } from './circuit-breaker.ts';
import { createLibrarians } from './librarian-directory.ts';
import { assembleHops, nestedHops, type RecordedHop, withMetadata, withTrace } from './trace.ts';

/**
 * Connects a librarian to those that it may delegate to. A function without targets does not import it, which makes its bundle a third
 * smaller.
 *
 * @param targets Service bindings and public hosts by librarian id: `serviceTargets(env)`, `httpsTargets(directory)`.
 */
export function delegateTo(targets: Readonly<Record<string, Target>>): ConnectDelegation {
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
      delegatesFor: (scope) =>
        createDelegates({
          ...options,
          ...scope,
          client,
          circuitBreakers,
          nameOf: (id) => librarians.infoOf(id)?.name,
        }),
    };
  };
}

/** What the delegates of one request need. */
interface DelegateParts extends Omit<DelegationScope, 'signal'> {
  client: SignedClient;
  directory: KeyDirectory;
  signal?: AbortSignal | undefined;
  /** Shared by all requests of the isolate. */
  circuitBreakers: CircuitBreakers;
  /** Earlier questions of the same asker: their words are the asker's own, like those of `query`. */
  said?: readonly string[] | undefined;
  now?: (() => number) | undefined;
  /** The name that a librarian registered with. */
  nameOf?: NameOf | undefined;
  log?: Log | undefined;
}

/**
 * The only way in which questions go from librarian to librarian. Loops, depth, missing time, more than eight questions and more
 * calls than the signed budgets pay for are refused before anything is sent.
 */
export function createDelegates(parts: DelegateParts): Delegates {
  const { context, budget, said = [], now = Date.now } = parts;
  const caller = callerOf(parts);
  const own = [parts.query, ...said];
  const recorded: RecordedHop[] = [];
  const receipts: string[] = [];
  const uses: Amounts[] = [];
  let questions = 0;

  const record = async ({ branch, replies }: AskedBranch): Promise<void> => {
    if (replies.length === 0)
      recorded.push(...hopsOfRefused(branch, context).map((own) => ({ own, below: [] })));
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
          : aggregate([...ownBranch(own, parts), ...branches], {
              language: languageIn(parts),
              nameOf: parts.nameOf,
            });
      return withTrace(combined, delegates.trace());
    },
    trace: () => ({ traceId: context.traceId, hops: assembleHops(recorded) }),
    usage: budget.spent,
    verifiedUsage: () =>
      Object.fromEntries(
        MODEL_BUDGETS.map((name) => [name, uses.reduce((sum, use) => sum + (use[name] ?? 0), 0)]),
      ),
    receipts: () => [...receipts],
  };
  return delegates;
}

const callerOf = ({
  client,
  directory,
  circuitBreakers,
  context,
  signal,
  now = Date.now,
  log = logLine,
}: DelegateParts): Omit<Caller, 'capabilities' | 'progress'> => ({
  client,
  directory,
  circuitBreakers,
  context,
  signal,
  now,
  scene: { librarian: context.self, where: 'delegate', log, traceId: context.traceId },
});

/** The deadline for delegates' answers: leaves time to join them and for the response to arrive. */
const askDeadlineMs = (
  { startedAtMs, deadlineMs }: DelegateParts['context'],
  nowMs: number,
): number => {
  const answerByMs = startedAtMs + timeToAnswer(deadlineMs - startedAtMs);
  return nowMs + timeToAsk(answerByMs - nowMs);
};

const isAddressed = ({ to, fallback }: DelegateRequest): boolean =>
  LIBRARIAN_ID.test(to) && (fallback === undefined || LIBRARIAN_ID.test(fallback));

const refusedBranch = (
  query: string,
  request: DelegateRequest,
  response: LibrarianResponse,
): AskedBranch => ({
  branch: { request, query: request.query ?? query, to: request.to, response },
  replies: [],
});

/** The hop of a question that was not sent. */
const hopsOfRefused = (
  { to, response }: Branch,
  { self, caller, spanId }: DelegateParts['context'],
): TraceHop[] => {
  if (!LIBRARIAN_ID.test(to) || response.error === undefined) return [];
  const parent = caller === undefined ? {} : { parentSpanId: spanId };
  return [
    {
      ...parent,
      from: self,
      to,
      durationMs: 0,
      outcome: response.error.code,
      attempts: 0,
      verified: false,
    },
  ];
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

/** The language of who asks. */
const languageIn = ({ query, metadata }: DelegateParts): string | undefined =>
  languageOfAsker({ question: query, known: metadata?.[ASKER_LANGUAGE] });

/** An answer beside a delegate request stands first among the others. */
const ownBranch = (
  response: LibrarianResponse,
  { context: { self }, query }: DelegateParts,
): Branch[] =>
  response.answer === undefined ? [] : [{ request: { to: self }, query, to: self, response }];

/** The inputs of one branch. */
interface BranchParts {
  /** The question and metadata as the librarian received them. */
  query: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Budget of the request. */
  budget: Budget;
  /** The branch's share of it. */
  share: Amounts;
  /** Milliseconds since 1970. */
  deadlineMs: number;
}

/** A branch and its replies, in the order of the calls. */
interface AskedBranch {
  branch: Branch;
  replies: TargetReply[];
}

/**
 * Asks the target of a request and, if it fails or finds nothing, the fallback. Any failure leads to the fallback, even INVALID_QUERY and
 * RATE_LIMITED: another librarian may understand the question, and has its own rate limit. Only LOOP_DETECTED or MAX_DEPTH_EXCEEDED from
 * a target ends the branch.
 */
const askBranch = async (
  caller: Caller,
  request: DelegateRequest,
  parts: BranchParts,
): Promise<AskedBranch> => {
  const { to, fallback } = request;
  const query = request.query ?? parts.query;
  const body = bodyOf(request, parts);
  if (!body.ok)
    return {
      branch: { request, query, to, response: unsendable(caller.context.self, body.problem) },
      replies: [],
    };
  const budget = budgetOf(parts.share);
  parts.budget.take(parts.share);
  const settle = (): void => {
    parts.budget.giveBack(parts.share);
    parts.budget.take(budget.spent());
  };
  const question = { body: body.text, budget, deadlineMs: parts.deadlineMs };
  const hasFallback = fallback !== undefined && fallback !== to;
  const startedAtMs = caller.now();
  const firstDeadlineMs = hasFallback
    ? startedAtMs + timeOfFirst(parts.deadlineMs - startedAtMs)
    : parts.deadlineMs;
  const first = await askTarget(caller, {
    ...question,
    to,
    hasFallback,
    deadlineMs: firstDeadlineMs,
  });
  if (!hasFallback || !mayFallBack(first)) {
    settle();
    return { branch: { request, query, to, response: first.response }, replies: [first] };
  }
  const second = await askTarget(caller, { ...question, to: fallback, hasFallback: false });
  settle();
  const replies = [first, second];
  // What could not be asked changes nothing.
  if (!second.sent && !isFailure(first.response))
    return { branch: { request, query, to, response: first.response }, replies };
  const without = withoutAnswer(first, to);
  const response = isFailure(second.response)
    ? bothFailed(without.response, second, fallback)
    : withFirstError(without.response, second.response);
  return { branch: { request, query, to: fallback, response }, replies: [without, second] };
};

const mayFallBack = ({ response, sent }: TargetReply): boolean =>
  isDeclined(response) || (isFailure(response) && !(sent && FINAL.has(response.error?.code)));

/** The reply of a target whose fallback was asked: one that found nothing counts as NOT_FOUND, in the trace too. */
const withoutAnswer = (reply: TargetReply, librarian: string): TargetReply => {
  if (isFailure(reply.response)) return reply;
  const error = errorInfo('NOT_FOUND', { librarian });
  return { ...reply, response: { error }, hop: { ...reply.hop, outcome: error.code } };
};

const FINAL = new Set<string | undefined>(['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED']);

/** The fallback's answer, with the error of the target under `metadata.delegationError`. */
const withFirstError = (
  { error }: LibrarianResponse,
  response: LibrarianResponse,
): LibrarianResponse =>
  (error === undefined ? undefined : withMetadata(response, { delegationError: error })) ??
  response;

/** Reports the first error, that of the requested librarian, unless that only found nothing and the fallback was asked. */
const bothFailed = (
  first: LibrarianResponse,
  { response: second, sent }: TargetReply,
  fallback: string,
): LibrarianResponse => {
  const { error } = first;
  if (error === undefined || (error.code === 'NOT_FOUND' && sent)) return second;
  const added = { fallback: { librarian: fallback, code: second.error?.code } };
  const details = { ...error.details, ...added };
  return {
    ...first,
    error: { ...error, details: readAs(ErrorInfo.shape.details, details).ok ? details : added },
  };
};

/** Validates like the target, so that no request is sent that any target would refuse. Values passed on unchanged were validated before. */
const bodyOf = (
  { to, fallback = '', query, context }: DelegateRequest,
  { query: original, metadata: whole }: BranchParts,
): { ok: true; text: string } | { ok: false; problem: string } => {
  const metadata = [to, fallback].some((id) => id.startsWith('partner.'))
    ? withoutFacts(whole)
    : whole;
  const isChanged = query !== undefined || context !== undefined;
  const hasMetadata = metadata !== undefined || context !== undefined;
  const request = {
    query: query ?? original,
    ...(hasMetadata ? { metadata: { ...metadata, ...context } } : {}),
  };
  if (!isChanged) return { ok: true, text: JSON.stringify(request) };
  const read = readRequest(LibrarianAskRequest, request);
  return read.ok
    ? { ok: true, text: JSON.stringify(read.value) }
    : { ok: false, problem: describeIssues(read.issues) };
};

/** What is known about the asker stays with our own librarians. */
const withoutFacts = (metadata: BranchParts['metadata']): BranchParts['metadata'] => {
  if (metadata?.[ASKER_FACTS] === undefined) return metadata;
  const { [ASKER_FACTS]: _, ...rest } = metadata;
  return rest;
};

/** The error for a question that the delegating librarian, or one before it, made too large or invalid: the target never received it. */
const unsendable = (librarian: string, problem: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    recoverable: false,
    message: `Cannot delegate the question: ${problem}`,
    suggestion:
      'Delegate a question of at most 4,000 characters and less context: with the metadata of the request it may have 16,000 characters',
  }),
});
