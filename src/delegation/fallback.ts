import { LibrarianAskRequest } from '../contract/ask-request.ts';
import { ErrorInfo } from '../contract/error-info.ts';
import { describeIssues, readAs } from '../contract/issue.ts';
import type { DelegateRequest, LibrarianResponse } from '../contract/response.ts';
import { type Amounts, type Budget, budgetOf } from '../runtime/budget.ts';
import type { Branch } from '../runtime/delegates.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { askTarget, type Caller, isFailure, type TargetReply } from './call.ts';
import { timeOfFirst } from './delegated-limits.ts';
import { withMetadata } from './trace.ts';

/** What one branch works with. */
export interface BranchParts {
  /** The question as the librarian got it, and what its caller added. */
  query: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Of the request. */
  budget: Budget;
  /** The branch's share of it. */
  share: Amounts;
  /** Milliseconds since 1970. */
  deadlineMs: number;
}

/** A branch and the replies that it took, in the order of asking. */
export interface AskedBranch {
  branch: Branch;
  replies: TargetReply[];
}

/**
 * Asks the target of a request and, if it has no answer, the fallback. Any failure is followed by the fallback, INVALID_QUERY and
 * RATE_LIMITED of the target included: another librarian may understand the question, and has a limit of its own. Only a loop or a depth
 * that a target reported ends the branch.
 */
export const askBranch = async (caller: Caller, request: DelegateRequest, parts: BranchParts): Promise<AskedBranch> => {
  const { to, fallback } = request;
  const query = request.query ?? parts.query;
  const body = bodyOf(request, parts);
  if (!body.ok)
    return { branch: { request, query, to, response: unsendable(caller.context.self, body.problem) }, replies: [] };
  const budget = budgetOf(parts.share);
  parts.budget.take(parts.share);
  const settle = (): void => {
    parts.budget.giveBack(parts.share);
    parts.budget.take(budget.spent());
  };
  const question = { body: body.text, budget, deadlineMs: parts.deadlineMs };
  const hasFallback = fallback !== undefined && fallback !== to;
  const startedAtMs = caller.now();
  const firstDeadlineMs = hasFallback ? startedAtMs + timeOfFirst(parts.deadlineMs - startedAtMs) : parts.deadlineMs;
  const first = await askTarget(caller, { ...question, to, hasFallback, deadlineMs: firstDeadlineMs });
  if (!hasFallback || !mayFallBack(first)) {
    settle();
    return { branch: { request, query, to, response: first.response }, replies: [first] };
  }
  const second = await askTarget(caller, { ...question, to: fallback, hasFallback: false });
  settle();
  const response = isFailure(second.response)
    ? bothFailed(first.response, second.response, fallback)
    : withFirstError(first.response, second.response);
  return { branch: { request, query, to: fallback, response }, replies: [first, second] };
};

const mayFallBack = ({ response, sent }: TargetReply): boolean =>
  isFailure(response) && !(sent && FINAL.has(response.error?.code));

const FINAL = new Set<string | undefined>(['LOOP_DETECTED', 'MAX_DEPTH_EXCEEDED']);

/** The fallback's answer, with the error of the target under `metadata.delegationError`. */
const withFirstError = ({ error }: LibrarianResponse, response: LibrarianResponse): LibrarianResponse =>
  (error === undefined ? undefined : withMetadata(response, { delegationError: error })) ?? response;

/** The first error is reported: it is the one of the librarian that was asked for. */
const bothFailed = (first: LibrarianResponse, second: LibrarianResponse, fallback: string): LibrarianResponse => {
  const { error } = first;
  if (error === undefined) return second;
  const added = { fallback: { librarian: fallback, code: second.error?.code } };
  const details = { ...error.details, ...added };
  return { ...first, error: { ...error, details: readAs(ErrorInfo.shape.details, details).ok ? details : added } };
};

/** Validated as the target will do it: nothing is sent that no target would take. What is passed on unchanged was validated. */
const bodyOf = (
  { query, context }: DelegateRequest,
  { query: original, metadata }: BranchParts,
): { ok: true; text: string } | { ok: false; problem: string } => {
  const isChanged = query !== undefined || context !== undefined;
  const hasMetadata = metadata !== undefined || context !== undefined;
  const request = { query: query ?? original, ...(hasMetadata ? { metadata: { ...metadata, ...context } } : {}) };
  if (!isChanged) return { ok: true, text: JSON.stringify(request) };
  const read = readAs(LibrarianAskRequest, request);
  return read.ok ? { ok: true, text: JSON.stringify(read.value) } : { ok: false, problem: describeIssues(read.issues) };
};

/** The fault of the librarian that delegates, and of those before it that added to the question: the target never got it. */
const unsendable = (librarian: string, problem: string): LibrarianResponse => ({
  error: errorInfo('DELEGATION_FAILED', {
    librarian,
    recoverable: false,
    message: `Cannot delegate the question: ${problem}`,
    suggestion:
      'Delegate a question of at most 4,000 characters and less context: with the metadata of the request it may have 16,000 characters',
  }),
});
