import type { DelegateRequest } from '../contract/delegate-request.ts';
import type { ErrorInfo } from '../contract/error-info.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { validateResponse } from '../contract/validate-response.ts';
import { CodedError, type ErrorScene, errorInfo, errorInfoOf } from './error-info-of.ts';
import type { OriginContext, VerifiedContext } from './request-context.ts';
import type { SignedClient } from './signed-client.ts';

/** The question that a librarian handed on. */
export interface Delegation {
  client: SignedClient;
  context: OriginContext | VerifiedContext;
  query: string;
  metadata: Readonly<Record<string, unknown>> | undefined;
  signal: AbortSignal;
  scene: ErrorScene;
}

/** Kept back from the deadline, so that the answer of the target can still be handed on in time. */
const RESERVE_MS = 5;

/**
 * Follows a delegate request for the librarian that returned it (design 7.5): loops, depth and time are refused before
 * the network; what fails on the way is DELEGATION_FAILED. An answer that came with the request is kept when the
 * target has none: partial, with the gap named.
 */
export const followDelegate = async (
  response: LibrarianResponse,
  delegation: Delegation,
): Promise<LibrarianResponse> => {
  const { delegate, ...own } = response;
  if (delegate === undefined) return response;
  const reply = await askTarget(delegate, delegation);
  if (reply.error === undefined || own.answer === undefined) return reply;
  return { ...own, partial: true, metadata: { ...own.metadata, delegationError: reply.error } };
};

const askTarget = async (
  delegate: DelegateRequest | DelegateRequest[],
  { client, context, query, metadata, signal, scene }: Delegation,
): Promise<LibrarianResponse> => {
  const requests = [delegate].flat();
  const [request] = requests;
  if (request === undefined || requests.length > 1) return { error: tooMany(requests.length, scene) };
  const { to } = request;
  const answer = await client.call(context, {
    to,
    path: `/librarians/${to}/ask`,
    body: { query: request.query ?? query, ...merged(metadata, request.context) },
    reserveMs: RESERVE_MS,
    signal,
  });
  return answer.ok ? readReply(answer, { to, scene }) : { error: answer.error };
};

/** What the target answered, an error of its own included. One that is not a Response, or hands on again, has failed. */
const readReply = (
  answer: { json: () => unknown },
  { to, scene }: { to: string; scene: ErrorScene },
): LibrarianResponse => {
  try {
    const reply = validateResponse(answer.json());
    if (!reply.ok) throw failed(`Cannot use the reply of ${to}: ${reply.issues[0]?.path} ${reply.issues[0]?.message}`);
    if (reply.value.delegate !== undefined) throw failed(`Cannot use the reply of ${to}: it hands the question on`);
    return reply.value;
  } catch (error) {
    const cause = error instanceof CodedError ? error : failed(`Cannot read the reply of ${to}`, error);
    return { error: { ...errorInfoOf(cause, scene), librarian: to } };
  }
};

const failed = (message: string, cause?: unknown): CodedError =>
  new CodedError('DELEGATION_FAILED', message, { cause });

const tooMany = (count: number, { librarian }: ErrorScene): ErrorInfo =>
  errorInfo('DELEGATION_FAILED', {
    librarian,
    message: `Cannot hand the question on to ${count} librarians: one at a time is followed`,
    recoverable: false,
    suggestion: 'Return a single delegate request, to the librarian that knows best',
  });

const merged = (metadata: Readonly<Record<string, unknown>> | undefined, added: Record<string, unknown> | undefined) =>
  metadata === undefined && added === undefined ? {} : { metadata: { ...metadata, ...added } };
