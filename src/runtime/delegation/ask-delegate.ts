import { LibrarianAskRequest } from '../../contract/ask-request.ts';
import { ErrorInfo } from '../../contract/error-info.ts';
import { describeIssues, readAs } from '../../contract/issue.ts';
import type { DelegateRequest, LibrarianResponse } from '../../contract/response.ts';
import type { Budget } from '../budget.ts';
import { errorInfo } from '../error-info-of.ts';
import { askTarget, type TargetReply } from './ask-target.ts';
import type { Branch } from './branch.ts';
import type { Caller } from './call-once.ts';
import type { Circuits } from './circuits.ts';
import { isFailure } from './is-failure.ts';
import { timeOfFirst } from './time-to-ask.ts';
import { withMetadata } from './with-trace.ts';

/** What one branch works with. */
export interface BranchParts {
  /** The question as the librarian got it, and what its caller added. */
  query: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  circuits: Circuits;
  budget: Budget;
  /** Milliseconds since 1970. */
  untilMs: number;
}

/** A branch and the replies that it took, in the order of asking. */
export interface AskedBranch {
  branch: Branch;
  replies: TargetReply[];
}

/**
 * Asks the target of a request and, where it has no answer, the fallback. Everything that fails is followed by the
 * fallback, INVALID_QUERY and RATE_LIMITED of the target included: another librarian may read the question in its own
 * way, and has a limit of its own. Only a loop or a depth that a target reported ends the way (signed context 4.9).
 */
export const askDelegate = async (
  caller: Caller,
  request: DelegateRequest,
  parts: BranchParts,
): Promise<AskedBranch> => {
  const { circuits, budget, untilMs } = parts;
  const { to, fallback } = request;
  const query = request.query ?? parts.query;
  const body = bodyOf(request, parts);
  if (!body.ok)
    return { branch: { request, query, to, response: unaskable(caller.context.self, body.problem) }, replies: [] };
  const question = { body: body.text, circuits, budget };
  if (fallback === undefined || fallback === to) {
    const reply = await askTarget(caller, { ...question, to, untilMs, fallback: false });
    return { branch: { request, query, to, response: reply.response }, replies: [reply] };
  }
  const startedAtMs = caller.now();
  const firstUntilMs = startedAtMs + timeOfFirst(untilMs - startedAtMs);
  const first = await askTarget(caller, { ...question, to, untilMs: firstUntilMs, fallback: true });
  if (!mayFallBack(first)) return { branch: { request, query, to, response: first.response }, replies: [first] };
  const second = await askTarget(caller, { ...question, to: fallback, untilMs, fallback: false });
  const response = isFailure(second.response)
    ? bothFailed(first.response, second.response, fallback)
    : noting(first.response, second.response);
  return { branch: { request, query, to: fallback, response }, replies: [first, second] };
};

const mayFallBack = ({ response, sent }: TargetReply): boolean =>
  isFailure(response) && !(sent && ENDS_OF_THE_WAY.has(response.error?.code));

const ENDS_OF_THE_WAY = new Set<string | undefined>(['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED']);

/** The fallback's answer, with why the librarian that was asked for has none under `metadata.delegationError`. */
const noting = ({ error }: LibrarianResponse, response: LibrarianResponse): LibrarianResponse =>
  (error === undefined ? undefined : withMetadata(response, { delegationError: error })) ?? response;

/** The first error is the one to tell: the librarian that was asked for has it. */
const bothFailed = (first: LibrarianResponse, second: LibrarianResponse, fallback: string): LibrarianResponse => {
  const { error } = first;
  if (error === undefined) return second;
  const told = { fallback: { librarian: fallback, code: second.error?.code } };
  const details = { ...error.details, ...told };
  return { ...first, error: { ...error, details: readAs(ErrorInfo.shape.details, details).ok ? details : told } };
};

const merged = (metadata: Readonly<Record<string, unknown>> | undefined, added: Record<string, unknown> | undefined) =>
  metadata === undefined && added === undefined ? {} : { metadata: { ...metadata, ...added } };

/** Read here as the target will read it: nothing is sent that no target would take. What came as it goes has been read. */
const bodyOf = (
  { query, context }: DelegateRequest,
  parts: BranchParts,
): { ok: true; text: string } | { ok: false; problem: string } => {
  const request = { query: query ?? parts.query, ...merged(parts.metadata, context) };
  if (query === undefined && context === undefined) return { ok: true, text: JSON.stringify(request) };
  const read = readAs(LibrarianAskRequest, request);
  return read.ok ? { ok: true, text: JSON.stringify(read.value) } : { ok: false, problem: describeIssues(read.issues) };
};

/** The fault of who asks, and of those who added to the question on its way: the target never got it. */
const unaskable = (librarian: string, problem: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    recoverable: false,
    message: `Cannot hand the question on: ${problem}`,
    suggestion:
      'Hand on a question of at most 4,000 characters and less context: with the metadata of the request it may have 16,000 characters',
  }),
});
