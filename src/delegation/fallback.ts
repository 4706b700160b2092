import { ASKER_FACTS, LibrarianAskRequest } from '../contract/ask.ts';
import { describeIssues, ErrorInfo, readAs } from '../contract/error-info.ts';
import type { DelegateRequest, LibrarianResponse } from '../contract/response.ts';
import type { Branch } from '../runtime/delegates.ts';
import { errorInfo } from '../runtime/error-info-of.ts';
import { type Amounts, type Budget, budgetOf } from '../signing/limits.ts';
import { askTarget, type Caller, isFailure, type TargetReply } from './call.ts';
import { timeOfFirst } from './delegated-limits.ts';
import { withMetadata } from './trace.ts';

/** The inputs of one branch. */
export interface BranchParts {
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
export interface AskedBranch {
  branch: Branch;
  replies: TargetReply[];
}

/**
 * Asks the target of a request and, if it has no answer, the fallback. Any failure leads to the fallback, even INVALID_QUERY and
 * RATE_LIMITED: another librarian may understand the question, and has its own rate limit. Only LOOP_DETECTED or MAX_DEPTH_EXCEEDED from
 * a target ends the branch.
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

/** Reports the first error: it is that of the requested librarian. */
const bothFailed = (first: LibrarianResponse, second: LibrarianResponse, fallback: string): LibrarianResponse => {
  const { error } = first;
  if (error === undefined) return second;
  const added = { fallback: { librarian: fallback, code: second.error?.code } };
  const details = { ...error.details, ...added };
  return { ...first, error: { ...error, details: readAs(ErrorInfo.shape.details, details).ok ? details : added } };
};

/** Validates like the target, so that no request is sent that any target would refuse. Values passed on unchanged were validated before. */
const bodyOf = (
  { to, fallback = '', query, context }: DelegateRequest,
  { query: original, metadata: whole }: BranchParts,
): { ok: true; text: string } | { ok: false; problem: string } => {
  const metadata = [to, fallback].some((id) => id.startsWith('partner.')) ? withoutFacts(whole) : whole;
  const isChanged = query !== undefined || context !== undefined;
  const hasMetadata = metadata !== undefined || context !== undefined;
  const request = { query: query ?? original, ...(hasMetadata ? { metadata: { ...metadata, ...context } } : {}) };
  if (!isChanged) return { ok: true, text: JSON.stringify(request) };
  const read = readAs(LibrarianAskRequest, request);
  return read.ok ? { ok: true, text: JSON.stringify(read.value) } : { ok: false, problem: describeIssues(read.issues) };
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
