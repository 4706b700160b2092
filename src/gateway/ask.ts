import type { Context } from 'hono';
import { AskRequest } from '../contract/ask-request.ts';
import { ErrorInfo, HTTP_STATUS } from '../contract/error-info.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../contract/librarian.ts';
import { readAs } from '../contract/read-as.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { type Amounts, requestBudget } from '../runtime/budget.ts';
import { createCircuits } from '../runtime/delegation/circuits.ts';
import { createDelegates, type Delegates } from '../runtime/delegation/delegates.ts';
import { followDelegates } from '../runtime/delegation/follow-delegates.ts';
import { readingCapabilities } from '../runtime/delegation/reading-capabilities.ts';
import { errorHeaders } from '../runtime/error-headers.ts';
import { jsonAnswer } from '../runtime/json-answer.ts';
import type { KeyDirectory } from '../runtime/key-directory.ts';
import { DEFAULT_CALLS } from '../runtime/limits.ts';
import type { Log } from '../runtime/log.ts';
import { budgetedModel, type TokenPrice } from '../runtime/model-budget.ts';
import { readJson } from '../runtime/read-json.ts';
import { type OriginContext, originate } from '../runtime/request-context.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import { demand, workspaceOf } from './authenticate.ts';
import { createConcierge } from './concierge/concierge.ts';
import { isNoneOfOurs, noneOfOurs } from './concierge/none-of-ours.ts';
import { permittedLibrarians } from './concierge/permitted-librarians.ts';
import { createTalk } from './conversation/talk.ts';
import { jsonBytes } from './forward.ts';
import { GatewayError } from './gateway-error.ts';
import type { Librarians } from './librarian-directory.ts';
import type { GatewayEnv } from './request-log.ts';
import { withUsage } from './with-usage.ts';

export interface AskParts {
  client: SignedClient;
  directory: KeyDirectory;
  librarians: Librarians;
  /** Asked where nobody's evidence is clear; `navigator` when absent. */
  defaultLibrarian?: string | undefined;
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  /** What models may take for one question, all together: `tokens`, `cost_micros`. No entry, no limit. */
  budgets?: Amounts | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

const CONCIERGE = 'concierge';
const DEFAULT_LIBRARIAN = 'navigator';
const TIMEOUT_MS = 30_000;

/**
 * `POST /v1/ask` (design, section 4): the librarian that is named, or those that the concierge chooses, are asked in the
 * user's name, and their Response comes back with the way of the question under `metadata.trace`. One of a conversation is
 * read with the turns before it, and kept: `metadata.conversation` says as what it was understood. `metadata.usage` tells what
 * models took for it, here and wherever it went.
 */
export const createAsk = (parts: AskParts): ((c: Context<GatewayEnv>) => Promise<Response>) => {
  const { librarians, now = Date.now } = parts;
  const circuits = createCircuits();
  const askConcierge = conciergeFor(parts);
  const talk = createTalk(parts);
  return async (c) => {
    const startedAtMs = now();
    const request = readRequest(await jsonBytes(c));
    const { librarian = CONCIERGE, timeout_ms: timeoutMs = TIMEOUT_MS } = request;
    if (librarian !== CONCIERGE && !librarians.ids.includes(librarian)) throw unknownLibrarian(librarians.ids);
    const key = c.get('apiKey');
    const context = originate({
      self: 'gateway',
      subject: `user:${key.id}`,
      workspace: workspaceOf(key, request.workspace_id, c.req.query('workspace_id')),
      authentication: 'key',
      // A question is text from outside: no right to write goes on its way (signed context 10.2).
      capabilities: readingCapabilities(key.capabilities) ?? key.capabilities,
      budgets: { calls: DEFAULT_CALLS, ...parts.budgets },
      timeoutMs,
      now: startedAtMs,
      traceId: c.get('traceId'),
    });
    c.set('answeredBy', librarian);
    // What was said before is read and written in the name of the key, which has to hold the rights itself.
    if (request.conversation_id !== undefined) for (const right of ['memory:read', 'memory:write']) demand(key, right);
    const { signal } = c.req.raw;
    const budget = requestBudget(context);
    const model = parts.ai && budgetedModel(parts.ai, { budget, price: parts.aiPrice });
    const ai = model?.ai;
    const { query, metadata, told } = await talk({ request, context, signal, waitUntil: waitUntilOf(c), ai });
    const delegates = createDelegates({ ...parts, context, budget, query, metadata, signal, circuits });
    const follow = (response: LibrarianResponse) =>
      followDelegates(response, delegates, { librarian: CONCIERGE, query });
    const response =
      librarian === CONCIERGE
        ? await askConcierge(c, { query, context, delegates, follow, ai })
        : await follow({ delegate: { to: librarian } });
    c.set('modelUse', model?.use());
    return answerWith(c, withUsage(await told(response), { own: model?.use(), below: delegates.proven() }));
  };
};

interface Asked {
  query: string;
  context: OriginContext;
  delegates: Delegates;
  follow: (response: LibrarianResponse) => Promise<LibrarianResponse>;
  ai: AIClient | undefined;
}

/** Of the time that a caller gives, what may go into hearing of librarians that nobody has heard of yet. */
const SHARE_OF_DESCRIPTIONS = 0.25;

/** Has the concierge choose, and tells what nobody here knows about as such. */
const conciergeFor = ({ librarians, defaultLibrarian = DEFAULT_LIBRARIAN, now = Date.now }: AskParts) => {
  const conciergeOf = conciergeCache(defaultLibrarian);
  return async (c: Context<GatewayEnv>, asked: Asked): Promise<LibrarianResponse> => {
    const { query, context, delegates, follow, ai } = asked;
    const { capabilities, subject: id, workspace: workspaceId } = context;
    const { signal } = c.req.raw;
    const withinMs = (context.deadlineMs - now()) * SHARE_OF_DESCRIPTIONS;
    const known = await librarians.routable({ waitUntil: waitUntilOf(c), withinMs, signal });
    const user = { id, workspaceId, capabilities: [...capabilities] };
    const told = { user, ai, timeout: context.deadlineMs - now(), signal };
    const response = await follow(await conciergeOf(known)(query, told));
    const answering = delegates.trace().hops.findLast(({ from }) => from === context.self)?.to;
    c.set('answeredBy', answering ?? CONCIERGE);
    if (!isNoneOfOurs({ query, librarian: answering, response }, known)) return response;
    return toldAsNone(response, permittedLibrarians(known, capabilities));
  };
};

/** The concierge of a set of descriptions; a new one only when they have changed. */
const conciergeCache = (defaultLibrarian: string) => {
  let current: { of: readonly LibrarianInfo[]; concierge: Librarian } | undefined;
  return (librarians: readonly LibrarianInfo[]): Librarian => {
    if (current?.of !== librarians) {
      current = { of: librarians, concierge: createConcierge({ librarians, defaultLibrarian }) };
    }
    return current.concierge;
  };
};

/** Whoever found that the question is not for it, the way there stays. One that is for a librarian that is out of order is ours. */
const toldAsNone = (
  { metadata, error }: LibrarianResponse,
  candidates: readonly LibrarianInfo[],
): LibrarianResponse => ({
  error: outOfOrder(metadata?.delegationError) ?? (error?.librarian === CONCIERGE ? error : noneOfOurs(candidates)),
  ...(metadata?.trace === undefined ? {} : { metadata: { trace: metadata.trace } }),
});

/** The error of the librarian that was chosen, where it has more to say than that it found nothing. */
const outOfOrder = (failure: unknown): ErrorInfo | undefined => {
  const read = readAs(ErrorInfo, failure);
  return read.ok && read.value.code !== 'NOT_FOUND' ? read.value : undefined;
};

const answerWith = (c: Context<GatewayEnv>, response: LibrarianResponse): Response => {
  const { answer, error } = response;
  // With an answer beside it, the error names a gap; the request as such has succeeded.
  if (error === undefined || answer !== undefined) return jsonAnswer(response);
  c.set('outcome', error.code);
  return jsonAnswer(response, { status: HTTP_STATUS[error.code], headers: errorHeaders(error) });
};

const unknownLibrarian = (ids: readonly string[]): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: 'Cannot ask this librarian: there is none of that id',
    suggestion: `Ask one of: ${[CONCIERGE, ...ids].join(', ').slice(0, 900)}`,
  });

const readRequest = (bytes: Uint8Array): AskRequest => {
  const read = readJson(bytes, AskRequest);
  if (read.ok) return read.value;
  throw new GatewayError('INVALID_QUERY', {
    message: read.problem,
    suggestion: 'Send {"query": "..."} with a question of 1 to 4,000 characters',
    details: { issues: read.issues },
  });
};
