import { readAs } from '../../contract/issue.ts';
import { LibrarianResponse } from '../../contract/response.ts';
import { type Amounts, type Budget, MODEL_BUDGETS } from '../budget.ts';
import { CodedError, type ErrorScene, errorInfoOf } from '../error-info-of.ts';
import { MAX_RESPONSE_BYTES } from '../limits.ts';
import type { Receipt } from '../receipt.ts';
import type { OriginContext, VerifiedContext } from '../request-context.ts';
import type { SignedAnswer, SignedClient } from '../signed-client.ts';
import type { Lesson } from './circuits.ts';
import { isFailure } from './is-failure.ts';
import { FAIR_TIME_MS, isTimeForRetry } from './time-to-ask.ts';

/** What belongs to all calls of one request. */
export interface Caller {
  client: SignedClient;
  context: OriginContext | VerifiedContext;
  signal: AbortSignal | undefined;
  now: () => number;
  scene: Omit<ErrorScene, 'now'>;
  /** What is handed down of the capabilities; all of them when absent. */
  capabilities: readonly string[] | undefined;
}

/** One question to one target. */
export interface Call {
  to: string;
  /** JSON of `LibrarianAskRequest`. */
  body: string;
  /** Milliseconds since 1970 at which an answer comes too late. */
  untilMs: number;
  /** Pays for the call; at least one is left. */
  budget: Budget;
  /** What the target and all below it may spend, at most. */
  handDown: Amounts;
}

/** What came of one call. */
export interface Attempt extends Lesson {
  /** The target's own, or the error that tells why there is none. Without the trace. */
  response: LibrarianResponse;
  /** `metadata.trace` as the target reported it. */
  reported: unknown;
  sent: boolean;
  spanId: string | undefined;
  /** What the target signed, and the link that it is for. */
  receipt: { text: string; hash: string | undefined; claims: Receipt; link: string } | undefined;
  /** Whether it failed in a way that may pass, with time for another try. */
  mayPass: boolean;
}

/** Signs, sends, reads what comes back, and settles the budget by the receipt. Never throws. */
export const callOnce = async (caller: Caller, call: Call): Promise<Attempt> => {
  const { client, context, signal, now, capabilities } = caller;
  const { to, body, untilMs, budget, handDown } = call;
  const startedAtMs = now();
  const timeoutMs = untilMs - startedAtMs;
  const handed = withCall(handDown);
  budget.take(handed);
  const answer = await client.call(context, {
    to,
    path: `/librarians/${to}/ask`,
    body,
    timeoutMs,
    signal,
    capabilities,
    budgets: handDown,
    maxAnswerBytes: MAX_RESPONSE_BYTES,
  });
  budget.giveBack(handed);
  budget.take(spentOn(answer, handDown));
  const { response, reported, usable } = answer.ok
    ? readReply(answer.json, { to, caller })
    : { response: { error: answer.error }, reported: undefined, usable: true };
  const health = healthOf(answer, { response, usable, timeoutMs });
  const lost = answer.ok ? isUnavailable(response) && !answer.headers.has('Retry-After') : answer.why === 'transport';
  return {
    response,
    reported,
    health,
    sent: answer.ok || answer.sent,
    spanId: answer.spanId,
    receipt: answer.ok ? await receiptOf(answer, context) : undefined,
    mayPass: lost && signal?.aborted !== true && isTimeForRetry(untilMs - now(), now() - startedAtMs),
  };
};

/** Nothing was spent where nothing was sent. What no receipt speaks of counts as spent. */
const spentOn = (answer: SignedAnswer, handDown: Amounts): Amounts => {
  if (!answer.ok) return answer.sent ? withCall(handDown) : {};
  const { use } = answer.receipt;
  const told = [...Object.keys(handDown), ...MODEL_BUDGETS].filter((name) => Object.hasOwn(use, name));
  return withCall({ ...handDown, ...Object.fromEntries(told.map((name) => [name, use[name] ?? 0])) });
};

/** The call itself, and what is spent below it. */
const withCall = (below: Amounts): Amounts => ({ ...below, calls: 1 + (below.calls ?? 0) });

const receiptOf = async (answer: Extract<SignedAnswer, { ok: true }>, { caller }: Caller['context']) => ({
  text: answer.receiptText,
  // An origin signs no receipt that it would stand in.
  hash: caller === undefined ? undefined : await answer.receiptHash(),
  claims: answer.receipt,
  link: answer.link,
});

/** What the target answered, an error of its own included. One that is not a Response, or hands on again, is unusable. */
const readReply = (json: () => unknown, { to, caller }: { to: string; caller: Caller }) => {
  try {
    const reply = readAs(LibrarianResponse, json());
    if (!reply.ok) throw failed(`Cannot use the reply of ${to}: ${reply.issues[0]?.path} ${reply.issues[0]?.message}`);
    if (reply.value.delegate !== undefined) throw failed(`Cannot use the reply of ${to}: it hands the question on`);
    return { ...withoutTrace(named(reply.value, to)), usable: true };
  } catch (error) {
    const cause = error instanceof CodedError ? error : failed(`Cannot read the reply of ${to}`, error);
    const told = errorInfoOf(cause, { ...caller.scene, now: caller.now() });
    return { response: { error: { ...told, librarian: to } }, reported: undefined, usable: false };
  }
};

const failed = (message: string, cause?: unknown): CodedError =>
  new CodedError('DELEGATION_FAILED', message, { cause });

/** An error says whose it is. */
const named = (response: LibrarianResponse, librarian: string): LibrarianResponse =>
  response.error === undefined ? response : { ...response, error: { librarian, ...response.error } };

/** The trace goes into the one of the whole chain, not along with the answer. */
const withoutTrace = (response: LibrarianResponse) => {
  if (response.metadata?.trace === undefined) return { response, reported: undefined };
  const { metadata, ...rest } = response;
  const { trace, ...others } = metadata;
  return {
    response: Object.keys(others).length === 0 ? rest : { ...rest, metadata: others },
    reported: trace,
  };
};

/**
 * Callers must not be able to close a target to others: what they got wrong themselves, loops and depth, time that was
 * too short and calls they gave up teach nothing bad about it.
 */
const healthOf = (
  answer: SignedAnswer,
  { response, usable, timeoutMs }: { response: LibrarianResponse; usable: boolean; timeoutMs: number },
): Lesson['health'] => {
  const late = timeoutMs >= FAIR_TIME_MS ? 'broken' : 'unknown';
  if (!answer.ok) {
    if (answer.why === 'refused' || answer.why === 'given-up') return 'unknown';
    return answer.why === 'timeout' ? late : 'broken';
  }
  if (!usable) return 'broken';
  if (!isFailure(response)) return 'well';
  if (response.error?.code === 'TIMEOUT') return late;
  return isUnavailable(response) || response.error?.code === 'INTERNAL_ERROR' ? 'broken' : 'well';
};

const isUnavailable = (response: LibrarianResponse): boolean =>
  isFailure(response) && response.error?.code === 'SERVICE_UNAVAILABLE';
