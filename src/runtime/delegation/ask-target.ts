import type { LibrarianResponse, TraceHop } from '../../contract/response.ts';
import type { Amounts } from '../budget.ts';
import { errorInfo } from '../error-info-of.ts';
import { type Attempt, type Call, type Caller, callOnce } from './call-once.ts';
import type { Circuits } from './circuits.ts';
import { handedDown } from './divide-budget.ts';
import { isFailure } from './is-failure.ts';
import { RETRY_PAUSE_MS } from './time-to-ask.ts';

/** One question to one target, however many calls it takes. */
export interface Question extends Omit<Call, 'handDown'> {
  circuits: Circuits;
  /** Whether another target may have to be asked with what is left of time and budget. */
  fallback: boolean;
}

export interface TargetReply {
  response: LibrarianResponse;
  /** Whether the target may have got the question. */
  sent: boolean;
  hop: TraceHop;
  receipt: Attempt['receipt'];
  reported: unknown;
  /** What the receipts of all calls say was spent, in the units of the budgets. */
  uses: Amounts[];
}

/**
 * Asks one target, unless its circuit is open, and once more where the first call was lost in a way that may pass. Each
 * call is signed anew. That is safe, as what is handed down can only read (`readingCapabilities`).
 */
export const askTarget = async (caller: Caller, question: Question): Promise<TargetReply> => {
  const { to, budget, circuits, fallback } = question;
  const { context, now } = caller;
  const startedAtMs = now();
  const sent: Attempt[] = [];
  const attempt = async (): Promise<Attempt> => {
    if (budget.left('calls') < 1) return refused(overBudget(to));
    const handDown = handedDown(budget, { fallback });
    const call = () => callOnce(caller, { ...question, handDown });
    const made = (await circuits.run(`${context.workspace}/${to}`, call)) ?? refused(resting(to));
    if (made.sent) sent.push(made);
    return made;
  };
  let made = await attempt();
  // One call is kept for the fallback.
  if (made.mayPass && budget.left('calls') > (fallback ? 1 : 0)) {
    await pause(RETRY_PAUSE_MS);
    made = await attempt();
  }
  // A retry that was refused here says less than the call before it.
  const last = sent.at(-1) ?? made;
  const { response, receipt, reported } = last;
  const hop: TraceHop = {
    ...(last.spanId === undefined || !last.sent ? {} : { spanId: last.spanId }),
    ...(context.caller === undefined ? {} : { parentSpanId: context.spanId }),
    from: context.self,
    to,
    durationMs: Math.min(Math.max(now() - startedAtMs, 0), MAX_DURATION_MS),
    outcome: outcomeOf(response),
    attempts: sent.length,
    ...(receipt === undefined ? {} : { receipt: receipt.text }),
    // A root tells on whose behalf and with which rights; it is known to the origin, who signed it.
    ...(receipt === undefined || context.caller === undefined ? {} : { link: receipt.link }),
    verified: receipt !== undefined,
  };
  const uses = sent.flatMap(({ receipt }) => (receipt === undefined ? [] : [receipt.claims.use]));
  return { response, sent: sent.length > 0, hop, receipt, reported, uses };
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const MAX_DURATION_MS = 3_600_000;

const outcomeOf = (response: LibrarianResponse): TraceHop['outcome'] => {
  if (response.error !== undefined && isFailure(response)) return response.error.code;
  return response.partial === true || response.error !== undefined ? 'partial' : 'answer';
};

const refused = (response: LibrarianResponse): Attempt => ({
  response,
  reported: undefined,
  sent: false,
  spanId: undefined,
  receipt: undefined,
  mayPass: false,
  health: 'unknown',
});

/** What a question is told that the budget no longer pays for. */
export const overBudget = (librarian: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    message: 'Cannot hand the question on: the calls that it may lead to are used up',
    recoverable: false,
    suggestion: 'Ask fewer librarians, or start with a larger budget of calls',
  }),
});

const resting = (librarian: string): LibrarianResponse => ({
  error: errorInfo('SERVICE_UNAVAILABLE', {
    librarian,
    message: `Cannot ask ${librarian}: it failed several times in a row and is left alone for a while`,
    suggestion: 'Try the same request again in a minute, or ask another librarian',
  }),
});
