import type { Progress } from '../contract/ask.ts';
import type { LibrarianResponse, TraceHop } from '../contract/response.ts';
import { readResponse } from '../contract/validate-response.ts';
import { CodedError } from '../http/coded-error.ts';
import { type ErrorScene, errorInfo, errorInfoOf } from '../runtime/error-info-of.ts';
import type { SignedAnswer, SignedClient } from '../runtime/signed-client.ts';
import { type Amounts, type Budget, MAX_RESPONSE_BYTES, MODEL_BUDGETS } from '../signing/limits.ts';
import type { Receipt } from '../signing/receipt.ts';
import type { OriginContext, VerifiedContext } from '../signing/request-context.ts';
import type { CircuitBreakers, Health } from './circuit-breaker.ts';
import { handedDown, isTimeForRetry, RETRY_DELAY_MS } from './delegated-limits.ts';
import { checkNavigatorReply } from './navigator-reply.ts';

/** What all calls of one request share. */
export interface Caller {
  client: SignedClient;
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
export interface TargetQuestion {
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
export const askTarget = async (caller: Caller, question: TargetQuestion): Promise<TargetReply> => {
  const { client, circuitBreakers, context, now, signal, capabilities, progress } = caller;
  const { to, body, deadlineMs, budget, hasFallback } = question;
  const startedAtMs = now();
  const attempts: Attempt[] = [];
  let refusal: LibrarianResponse | undefined;
  for (let mayCall = true; mayCall; ) {
    refusal = budget.left('calls') < 1 ? overBudget(to) : undefined;
    const report = refusal === undefined ? circuitBreakers.admit(`${context.workspace}/${to}`) : undefined;
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
    mayCall = attempts.length === 1 && attempt.isTransient && signal?.aborted !== true && isTime && isPaid;
    if (mayCall) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
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
  const uses = sent.flatMap((attempt) => (attempt.receipt === undefined ? [] : [attempt.receipt.claims.use]));
  return { response, sent: sent.length > 0, hop, receipt, reported: last?.reported, uses };
};

const MAX_DURATION_MS = 3_600_000;

const outcomeOf = (response: LibrarianResponse): TraceHop['outcome'] => {
  if (response.error !== undefined && isFailure(response)) return response.error.code;
  return response.partial === true || response.error !== undefined ? 'partial' : 'answer';
};

/** Whether there is no answer. An error next to an answer names a gap. */
export const isFailure = ({ answer, error }: LibrarianResponse): boolean => error !== undefined && answer === undefined;

/** The error for a question that exceeds the budget of calls. */
export const overBudget = (librarian: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    message: 'Cannot delegate the question: the calls that it may lead to are used up',
    recoverable: false,
    suggestion: 'Ask fewer librarians, or start with a larger budget of calls',
  }),
});

const circuitOpen = (librarian: string): LibrarianResponse => ({
  error: errorInfo('SERVICE_UNAVAILABLE', {
    librarian,
    message: `Cannot ask ${librarian}: its circuit is open, as it failed several times in a row`,
    suggestion: 'Try the same request again in a minute, or ask another librarian',
  }),
});

/** The amounts of a call: the call itself, and what it may spend. */
const withCall = (below: Amounts): Amounts => ({ ...below, calls: 1 + (below.calls ?? 0) });

/** A call that was never sent costs nothing; amounts without a receipt count as spent. */
const spentOn = (answer: SignedAnswer, budgets: Amounts): Amounts => {
  if (!answer.ok) return answer.sent ? withCall(budgets) : {};
  const { use } = answer.receipt;
  const reported = [...Object.keys(budgets), ...MODEL_BUDGETS].filter((name) => Object.hasOwn(use, name));
  return withCall({ ...budgets, ...Object.fromEntries(reported.map((name) => [name, use[name] ?? 0])) });
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

/** The target's response, including an error of its own. An invalid Response, or one that delegates again, is unusable. */
const readReply = (json: () => unknown, { to, caller }: { to: string; caller: Caller }) => {
  try {
    const reply = readResponse(json());
    if (!reply.ok) throw failed(`Cannot use the reply of ${to}: ${reply.issues[0]?.path} ${reply.issues[0]?.message}`);
    const { delegate, metadata, error, ...rest } = reply.value;
    if (delegate !== undefined) throw failed(`Cannot use the reply of ${to}: it delegates the question`);
    // The trace becomes part of the trace of the whole chain.
    const { trace: reported, ...others } = metadata ?? {};
    const response: LibrarianResponse = {
      ...rest,
      ...(error === undefined ? {} : { error: { librarian: to, ...error } }),
      ...(metadata === undefined || (reported !== undefined && Object.keys(others).length === 0)
        ? {}
        : { metadata: others }),
    };
    const checked = checkNavigatorReply(response, to);
    for (const { rule, outcome } of checked.violations) {
      const { librarian, log, traceId } = caller.scene;
      log({ event: 'violation', time: caller.now(), librarian, from: to, rule, outcome, trace_id: traceId });
    }
    return { response: checked.response, reported, isUsable: true };
  } catch (thrown) {
    const cause = thrown instanceof CodedError ? thrown : failed(`Cannot read the reply of ${to}`, thrown);
    const error = { ...errorInfoOf(cause, { ...caller.scene, now: caller.now() }), librarian: to };
    return { response: { error }, reported: undefined, isUsable: false };
  }
};

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
