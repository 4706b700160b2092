import * as z from 'zod';
import { readNavigatorResponse } from '../../answering/write/valid-answer.ts';
import type { Progress } from '../../contract/core/ask.ts';
import { describeIssues, type Issue, readAs } from '../../contract/core/error-info.ts';
import { isWithin } from '../../contract/core/json-object.ts';
import { statesLackOfInformation } from '../../contract/core/lack-of-information.ts';
import {
  ANSWER_MAX_LENGTH,
  LibrarianResponse,
  METADATA_LIMITS,
  Source,
  type TraceHop,
} from '../../contract/core/response.ts';
import { readResponse } from '../../contract/core/validate-response.ts';
import { covers } from '../../platform/context/capabilities.ts';
import { type ErrorScene, errorInfo, errorInfoOf } from '../../platform/context/error-info-of.ts';
import { isExternal, type KeyDirectory } from '../../platform/context/key-directory.ts';
import {
  type Amounts,
  type Budget,
  MAX_CAPABILITIES,
  MAX_RESPONSE_BYTES,
  MODEL_BUDGETS,
} from '../../platform/context/limits.ts';
import { CAPABILITY } from '../../platform/context/link-claims.ts';
import type { Receipt } from '../../platform/context/receipt.ts';
import type { OriginContext, VerifiedContext } from '../../platform/context/request-context.ts';
import type { SignedAnswer, SignedClient } from '../../platform/context/signed-client.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { sleep } from '../../platform/retry.ts';
import { nothingFound } from './abstention.ts';
import type { CircuitBreakers, Health } from './circuit-breaker.ts';
import { asReported, isNavigatorReply } from './reported.ts';

/** What all calls of one request share. */
export interface Caller {
  client: SignedClient;
  directory: KeyDirectory;
  circuitBreakers: CircuitBreakers;
  context: OriginContext | VerifiedContext;
  signal: AbortSignal | undefined;
  now: () => number;
  scene: Omit<ErrorScene, 'now'>;
  /** Gets what the targets report while they answer. */
  progress: Progress | undefined;
  /** Capabilities to hand down; all of them when absent. */
  capabilities: readonly string[] | undefined;
}

/** One question to one target, however many calls it takes. */
interface TargetQuestion {
  to: string;
  /** JSON of `LibrarianAskRequest`. */
  body: string;
  /** Milliseconds since 1970. */
  deadlineMs: number;
  budget: Budget;
  /** Whether time and budget must suffice for another target. */
  hasFallback: boolean;
}

export interface TargetReply {
  /** The target's own response without its trace, or the error that explains why there is none. */
  response: LibrarianResponse;
  /** Whether the target may have received the question. */
  sent: boolean;
  hop: TraceHop;
  /** The target's receipt, and the link that it is for. */
  receipt: { text: string; hash: string | undefined; claims: Receipt; link: string } | undefined;
  /** `metadata.trace` as the target reported it. */
  reported: unknown;
  /** Usage from the receipts of all calls, in the units of the budgets. */
  uses: Amounts[];
}

/**
 * Asks one target, unless its circuit is open, and retries once after a failure that may be transient. Each call has its own signature,
 * is charged to the budget and settled by its receipt. A retry is safe, as the capabilities handed down only read. Never throws.
 */
export async function askTarget(caller: Caller, question: TargetQuestion): Promise<TargetReply> {
  const { client, circuitBreakers, context, now, signal, capabilities } = caller;
  const { to, body, deadlineMs, budget, hasFallback } = question;
  // Nothing that an external librarian says leaves before its receipt, so it is asked for its response alone.
  const progress = isExternal(caller.directory, to) ? undefined : caller.progress;
  const startedAtMs = now();
  const attempts: Attempt[] = [];
  let refusal: LibrarianResponse | undefined;
  for (let mayCall = true; mayCall; ) {
    refusal = budget.left('calls') < 1 ? overBudget(to) : undefined;
    const report =
      refusal === undefined ? circuitBreakers.admit(`${context.workspace}/${to}`) : undefined;
    if (report === undefined) {
      refusal ??= circuitOpen(to);
      break;
    }
    const calledAtMs = now();
    const timeoutMs = deadlineMs - calledAtMs;
    const budgets = handedDown(budget, { hasFallback });
    budget.take(withCall(budgets));
    const path = `/librarians/${to}/ask`;
    const maxAnswerBytes = MAX_RESPONSE_BYTES;
    const answer = await client.call(context, {
      to,
      path,
      body,
      timeoutMs,
      signal,
      capabilities,
      budgets,
      maxAnswerBytes,
      progress,
    });
    budget.giveBack(withCall(budgets));
    budget.take(spentOn(answer, budgets));
    const attempt = await readAttempt(answer, { to, caller, timeoutMs });
    await report(attempt.health);
    attempts.push(attempt);
    const isTime = isTimeForRetry(deadlineMs - now(), now() - calledAtMs);
    // One call is reserved for the fallback.
    const isPaid = budget.left('calls') > (hasFallback ? 1 : 0);
    mayCall =
      attempts.length === 1 && attempt.isTransient && signal?.aborted !== true && isTime && isPaid;
    if (mayCall) await sleep(RETRY_DELAY_MS, signal);
  }
  const sent = attempts.filter((attempt) => attempt.sent);
  // The response of the first call says more than a retry that was refused here.
  const last = sent.at(-1) ?? attempts[0];
  const response = last?.response ?? refusal ?? overBudget(to);
  const { receipt } = last ?? {};
  const hop: TraceHop = {
    ...(last?.sent && last.spanId !== undefined ? { spanId: last.spanId } : {}),
    ...(context.caller === undefined ? {} : { parentSpanId: context.spanId }),
    from: context.self,
    to,
    durationMs: Math.min(Math.max(now() - startedAtMs, 0), MAX_DURATION_MS),
    outcome: outcomeOf(response),
    attempts: sent.length,
    ...(receipt === undefined ? {} : { receipt: receipt.text }),
    // A root link names the user and the rights, so it is not disclosed to other librarians.
    ...(receipt === undefined || context.caller === undefined ? {} : { link: receipt.link }),
    verified: receipt !== undefined,
  };
  const uses = sent.flatMap((attempt) =>
    attempt.receipt === undefined ? [] : [attempt.receipt.claims.use],
  );
  return { response, sent: sent.length > 0, hop, receipt, reported: last?.reported, uses };
}

const MAX_DURATION_MS = 3_600_000;

const outcomeOf = (response: LibrarianResponse): TraceHop['outcome'] => {
  if (response.error !== undefined && isFailure(response)) return response.error.code;
  return response.partial === true || response.error !== undefined ? 'partial' : 'answer';
};

/** Whether there is no answer. An error next to an answer names a gap. */
export function isFailure({ answer, error }: LibrarianResponse): boolean {
  return error !== undefined && answer === undefined;
}

/** The error for a question that exceeds the budget of calls. */
export function overBudget(librarian: string): LibrarianResponse {
  return {
    error: errorInfo('DELEGATION_FAILED', {
      librarian,
      message: 'Cannot delegate the question: the calls that it may lead to are used up',
      recoverable: false,
      suggestion: 'Ask fewer librarians, or start with a larger budget of calls',
    }),
  };
}

const circuitOpen = (librarian: string): LibrarianResponse => ({
  error: errorInfo('SERVICE_UNAVAILABLE', {
    librarian,
    // Readers see it: the id is in `librarian`.
    message: 'Cannot ask this librarian: its circuit is open, as it failed several times in a row',
    suggestion: 'Try the same request again in a minute, or ask another librarian',
  }),
});

/** The amounts of a call: the call itself, and what it may spend. */
const withCall = (below: Amounts): Amounts => ({ ...below, calls: 1 + (below.calls ?? 0) });

/** A call that was never sent costs nothing; amounts without a receipt count as spent. */
const spentOn = (answer: SignedAnswer, budgets: Amounts): Amounts => {
  if (!answer.ok) return answer.sent ? withCall(budgets) : {};
  const { use } = answer.receipt;
  const reported = [...Object.keys(budgets), ...MODEL_BUDGETS].filter((name) =>
    Object.hasOwn(use, name),
  );
  return withCall({
    ...budgets,
    ...Object.fromEntries(reported.map((name) => [name, use[name] ?? 0])),
  });
};

/** The outcome of one call. */
interface Attempt extends Pick<TargetReply, 'response' | 'sent' | 'receipt' | 'reported'> {
  spanId: string | undefined;
  isTransient: boolean;
  health: Health;
}

const readAttempt = async (
  answer: SignedAnswer,
  { to, caller, timeoutMs }: { to: string; caller: Caller; timeoutMs: number },
): Promise<Attempt> => {
  if (!answer.ok) {
    const { sent, spanId, why } = answer;
    const response = { error: answer.error };
    const isTransient = why === 'transport';
    return {
      response,
      reported: undefined,
      receipt: undefined,
      sent,
      spanId,
      isTransient,
      health: healthOf(answer, timeoutMs),
    };
  }
  const { response, reported, isUsable } = readReply(answer.json, { to, caller });
  return {
    response,
    reported,
    receipt: {
      text: answer.receiptText,
      // An origin signs no receipt, so it needs no hash.
      hash: caller.context.caller === undefined ? undefined : await answer.receiptHash(),
      claims: answer.receipt,
      link: answer.link,
    },
    sent: true,
    spanId: answer.spanId,
    isTransient: isUnavailable(response) && !answer.headers.has('Retry-After'),
    health: isUsable ? healthOf({ ok: true, response }, timeoutMs) : 'broken',
  };
};

/**
 * The target's response, including an error of its own. An invalid Response, or one that delegates again, is unusable. The runtime of an
 * internal librarian has validated what it sends (`serveLibrarian`), so one look at its members suffices; an external one's is validated.
 */
const readReply = (json: () => unknown, { to, caller }: { to: string; caller: Caller }) => {
  try {
    const isOurs = !isExternal(caller.directory, to);
    const value = json();
    const isServed = isOurs && hasResponseMembers(value);
    const reply = isServed ? { ok: true as const, value, warnings: [] } : readResponse(value);
    if (!reply.ok)
      throw failed(
        `Cannot use the reply of ${to}: ${reply.issues[0]?.path} ${reply.issues[0]?.message}`,
      );
    const { delegate, metadata, error, ...rest } = reply.value;
    if (delegate !== undefined)
      throw failed(`Cannot use the reply of ${to}: it delegates the question`);
    // The trace becomes part of the trace of the whole chain.
    const { trace: reported, ...others } = metadata ?? {};
    const response: LibrarianResponse = {
      ...rest,
      ...(error === undefined ? {} : { error: { librarian: to, ...error } }),
      ...(metadata === undefined || (reported !== undefined && Object.keys(others).length === 0)
        ? {}
        : { metadata: others }),
    };
    const checked =
      isServed && to === NAVIGATOR
        ? { response, violations: [] }
        : checkNavigatorReply(response, to);
    for (const { rule, outcome } of checked.violations) {
      const { librarian, log, traceId } = caller.scene;
      log({
        event: 'violation',
        time: caller.now(),
        librarian,
        from: to,
        rule,
        outcome,
        trace_id: traceId,
      });
    }
    const passedOn = isOurs
      ? checked.response
      : reportedReply(checked, { to, warnings: reply.warnings });
    return { response: passedOn, reported, isUsable: true };
  } catch (thrown) {
    const cause =
      thrown instanceof CodedError ? thrown : failed(`Cannot read the reply of ${to}`, thrown);
    const error = { ...errorInfoOf(cause, { ...caller.scene, now: caller.now() }), librarian: to };
    return { response: { error }, reported: undefined, isUsable: false };
  }
};

/** It validates its own reply by the navigator contract (`answerQuestion`). */
const NAVIGATOR = 'navigator';

/**
 * Whether a reply is an answer within the bounds of a Response and without unknown members. Anything else, such as an error, is for
 * `readResponse`, which is slower and says what is wrong.
 */
const hasResponseMembers = (reply: unknown): reply is LibrarianResponse => {
  if (!isObject(reply) || !hasOnly(reply, LibrarianResponse.shape)) return false;
  const { answer, sources = [], confidence, partial = false, metadata = {} } = reply;
  return (
    typeof answer === 'string' &&
    answer.length <= ANSWER_MAX_LENGTH &&
    /\S/.test(answer) &&
    hasSourceMembers(sources) &&
    isShare(confidence) &&
    typeof partial === 'boolean' &&
    isObject(metadata) &&
    isWithin(metadata, METADATA_LIMITS) &&
    reply.error === undefined &&
    reply.delegate === undefined
  );
};

const hasSourceMembers = (sources: unknown): boolean =>
  LibrarianResponse.shape.sources.safeParse(sources).success &&
  (sources as object[]).every((source) => hasOnly(source, Source.shape)); // The schema has read it.

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasOnly = (value: object, members: object): boolean =>
  Object.keys(value).every((name) => Object.hasOwn(members, name));

/** Absent, or 0 to 1. */
const isShare = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);

/** What an external librarian reports, with what was found wrong with it here. */
const reportedReply = (
  { response, violations }: NavigatorReply,
  { to, warnings }: { to: string; warnings: readonly Issue[] },
): LibrarianResponse => {
  const lines = warnings.slice(0, MAX_WARNINGS).map((issue) => describeIssues([issue]));
  const reply = asReported(response, { librarian: to, warnings: lines });
  return violations.length === 0 ? reply : withRules(reply, violations);
};

const MAX_WARNINGS = 20;

const failed = (message: string, cause?: unknown): CodedError =>
  new CodedError('DELEGATION_FAILED', message, { cause });

/**
 * Callers must not be able to open a target's circuit for others: invalid requests, loops, depth, timeouts that are too short and
 * cancelled calls do not count.
 */
const healthOf = (
  outcome: Extract<SignedAnswer, { ok: false }> | { ok: true; response: LibrarianResponse },
  timeoutMs: number,
): Health => {
  const late = timeoutMs >= FAIR_TIMEOUT_MS ? 'broken' : 'unknown';
  if (!outcome.ok) {
    if (outcome.why === 'refused' || outcome.why === 'given-up') return 'unknown';
    return outcome.why === 'timeout' ? late : 'broken';
  }
  if (!isFailure(outcome.response)) return 'healthy';
  const code = outcome.response.error?.code;
  if (code === 'TIMEOUT') return late;
  return code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR' ? 'broken' : 'healthy';
};

const isUnavailable = (response: LibrarianResponse): boolean =>
  isFailure(response) && response.error?.code === 'SERVICE_UNAVAILABLE';

/**
 * The shortest timeout that counts against a target. The caller chooses the timeout: five short ones must not open the circuit of a slow
 * librarian for the whole workspace.
 */
const FAIR_TIMEOUT_MS = 10_000;

/** The reply of another navigator as it may be passed on. */
interface NavigatorReply {
  response: LibrarianResponse;
  /** The rules that it broke (docs/contract.md#navigator), and what was done. */
  violations: { rule: string; outcome: 'dropped' | 'abstained' }[];
}

/**
 * Validates the navigator's response in `metadata` of another librarian, under `navigator` or its own name, by the rules that need no knowledge base. A faulty optional member is left out, then
 * the block; an answer without evidence that does not say so, or one that cites sources out of domain, is not passed on.
 */
const checkNavigatorReply = (response: LibrarianResponse, librarian: string): NavigatorReply => {
  const name = ['navigator', librarian].find((each) => isNavigatorReply(response.metadata?.[each]));
  if (name === undefined || response.answer === undefined) return { response, violations: [] };
  const { [name]: received, ...metadata } = response.metadata ?? {};
  const read = readNavigatorResponse(received);
  const violations = read.dropped.map(() => ({ rule: 'form', outcome: 'dropped' }) as const);
  if (!read.ok) return refused(response, { ...read, violations, metadata });
  if (violations.length === 0) return { response, violations };
  const validResponse = { ...response, metadata: { ...metadata, [name]: read.value } };
  return { response: withRules(validResponse, violations), violations };
};

const refused = (
  response: LibrarianResponse,
  {
    rest,
    issues,
    violations,
    metadata,
  }: {
    rest: unknown;
    issues: readonly Issue[];
    violations: NavigatorReply['violations'];
    metadata: Record<string, unknown>;
  },
): NavigatorReply => {
  const ungrounded = ungroundedRule(rest);
  const rule =
    ungrounded ?? (issues[0]?.path === 'confidenceReason' ? 'reason-meaningful' : 'form');
  const outcome = ungrounded === undefined ? 'dropped' : 'abstained';
  const all = [...violations, { rule, outcome } as const];
  const passed = ungrounded === undefined ? { ...response, metadata } : nothingFound();
  return { response: withRules(passed, all), violations: all };
};

/** The rule that an answer without valid evidence breaks; undefined when it has some, or says that it has none. */
const ungroundedRule = (block: unknown): string | undefined => {
  const read = readAs(Evidence, block);
  if (!read.ok) return undefined;
  const { outOfDomain, sources, answer } = read.value;
  if (outOfDomain) return sources.length > 0 ? 'out-of-domain-empty' : undefined;
  return sources.length > 0 || statesLackOfInformation(answer) ? undefined : 'sources-or-lack';
};

const Evidence = z.object({
  answer: z.string(),
  sources: z.array(z.unknown()),
  outOfDomain: z.boolean(),
});

const withRules = (
  response: LibrarianResponse,
  violations: NavigatorReply['violations'],
): LibrarianResponse => {
  const once = [...new Map(violations.map((each) => [JSON.stringify(each), each])).values()];
  return { ...response, metadata: { ...response.metadata, violations: once } };
};

/** The share of the time that delegates get: the rest is for joining their answers. Milliseconds. */
export function timeToAsk(remainingMs: number): number {
  return Math.floor(remainingMs - Math.min(JOINING_RESERVE_MS, remainingMs / 20));
}

/** Timeout of a target that has a fallback. Milliseconds. */
export function timeOfFirst(remainingMs: number): number {
  return Math.floor(remainingMs * FIRST_SHARE);
}

/** Whether a call that failed after `elapsedMs` can be retried, after a pause, with a chance of an answer. */
const isTimeForRetry = (remainingMs: number, elapsedMs: number): boolean =>
  remainingMs - RETRY_DELAY_MS >= Math.max(RETRY_MINIMUM_MS, elapsedMs);

const RETRY_DELAY_MS = 30;
const JOINING_RESERVE_MS = 15;
const FIRST_SHARE = 0.6;
const RETRY_MINIMUM_MS = 100;

/** Divides the remaining budget into `count` shares that differ by one at most, larger ones first; each has a call if enough are left. */
export function sharesOf(budget: Budget, count: number): Amounts[] {
  return Array.from({ length: count }, (_, index) =>
    leftOf(budget, (left) => Math.floor(left / count) + (index < left % count ? 1 : 0)),
  );
}

/**
 * The budgets that one call hands down to its target, the call itself excluded. Half is reserved for a fallback; otherwise one call for a
 * retry, if that is a small part of what is left.
 */
const handedDown = (budget: Budget, { hasFallback }: { hasFallback: boolean }): Amounts => {
  const calls = Math.floor(budget.left('calls')) - 1;
  if (hasFallback)
    return { ...leftOf(budget, (left) => Math.floor(left / 2)), calls: Math.floor(calls / 2) };
  return { ...leftOf(budget), calls: calls >= RETRY_RESERVED_FROM ? calls - 1 : calls };
};

/** The remaining limited amounts, rounded down. */
const leftOf = (budget: Budget, part: (left: number) => number = (left) => left): Amounts =>
  Object.fromEntries(budget.names.map((name) => [name, part(Math.floor(budget.left(name)))]));

const RETRY_RESERVED_FROM = 4;

/** Divides a limit fairly: each gets what it wants, or the same share as all others whose wish exceeds it (max-min fairness). */
export function fairShares(wanted: readonly number[], limit: number): number[] {
  const shares = wanted.map(() => 0);
  let left = limit;
  const smallestFirst = wanted
    .map((count, index) => ({ count, index }))
    .toSorted((a, b) => a.count - b.count);
  for (const [done, { count, index }] of smallestFirst.entries()) {
    const share = Math.min(count, Math.floor(left / (wanted.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/**
 * The capabilities of a context that are handed down with a question: those that read. A question may contain untrusted text, so its
 * recipient can neither write nor send anything in the user's name. A wildcard becomes the capabilities below it that read. `undefined`
 * when none is removed, so that the link need not repeat the list.
 *
 * @param options.isTainted The question has words that its asker did not say: they may be instructed by an article or another librarian,
 * and come from what the asker alone may read. A web search would send them out, so its capability is removed too.
 */
export function readingCapabilities(
  held: readonly string[],
  { isTainted = false }: { isTainted?: boolean } = {},
): readonly string[] | undefined {
  const mayStay = (capability: string) =>
    onlyReads(capability) && !(isTainted && capability === WEB_SEARCH);
  if (held.every(mayStay)) return undefined;
  const kept = held.flatMap((capability) =>
    onlyReads(capability) ? [capability] : readingPartOf(capability),
  );
  const handed = [...new Set(kept)].filter(
    (capability) => CAPABILITY.test(capability) && mayStay(capability),
  );
  return handed.slice(0, MAX_CAPABILITIES);
}

/** Neither a write or send capability, nor a wildcard, which may include one. */
const onlyReads = (capability: string): boolean =>
  !capability.endsWith('*') &&
  !capability.endsWith(':write') &&
  !/^(?:webhook(?::|$)|tool:web(?::|$))/.test(capability);

const readingPartOf = (capability: string): string[] => {
  if (!capability.endsWith('*') || /^(?:webhook|tool):/.test(capability)) return [];
  const named = READING.filter((reading) => covers([capability], reading));
  return capability === '*' ? named : [`${capability.slice(0, -2)}:read`, ...named];
};

/** The only reading capability that sends the text of a question out of the deployment. */
const WEB_SEARCH = 'web:search';
/** The capabilities of our functions that read. */
const READING = ['kb:read', 'memory:read', 'sql:read', WEB_SEARCH, 'support:analyze'];
