import type { Context } from 'hono';
import { AskRequest } from '../contract/ask-request.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../contract/librarian.ts';
import type { LibrarianResponse } from '../contract/response.ts';
import { createCircuits } from '../runtime/delegation/circuits.ts';
import { createDelegates } from '../runtime/delegation/delegates.ts';
import { followDelegates } from '../runtime/delegation/follow-delegates.ts';
import { jsonAnswer } from '../runtime/json-answer.ts';
import type { KeyDirectory } from '../runtime/key-directory.ts';
import { DEFAULT_CALLS } from '../runtime/limits.ts';
import type { Log } from '../runtime/log.ts';
import { readJson } from '../runtime/read-json.ts';
import { originate } from '../runtime/request-context.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import { workspaceOf } from './authenticate.ts';
import { createConcierge } from './concierge/concierge.ts';
import { isNoneOfOurs, noneOfOurs } from './concierge/none-of-ours.ts';
import { permittedLibrarians } from './concierge/permitted-librarians.ts';
import { forward, jsonBytes } from './forward.ts';
import { errorResponse, GatewayError } from './gateway-error.ts';
import type { Librarians } from './librarian-directory.ts';
import type { GatewayEnv } from './request-log.ts';

export interface AskParts {
  client: SignedClient;
  directory: KeyDirectory;
  librarians: Librarians;
  /** Asked where nobody's evidence is clear; `navigator` when absent. */
  defaultLibrarian?: string | undefined;
  ai?: AIClient | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

const CONCIERGE = 'concierge';
const DEFAULT_LIBRARIAN = 'navigator';
const TIMEOUT_MS = 30_000;

/**
 * `POST /v1/ask` (design, section 4): the librarian that is named, or those that the concierge chooses, are asked in the
 * user's name, and their Response comes back with the way of the question under `metadata.trace`.
 */
export const createAsk = (parts: AskParts): ((c: Context<GatewayEnv>) => Promise<Response>) => {
  const { librarians, now = Date.now } = parts;
  const circuits = createCircuits();
  const conciergeOf = conciergeCache(parts.defaultLibrarian ?? DEFAULT_LIBRARIAN);
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
      capabilities: readingRights(key.capabilities),
      budgets: { calls: DEFAULT_CALLS },
      timeoutMs,
      now: startedAtMs,
      traceId: c.get('traceId'),
    });
    const { signal } = c.req.raw;
    const { query, metadata } = request;
    const delegates = createDelegates({ ...parts, context, query, metadata, signal, circuits });
    const follow = (response: LibrarianResponse) =>
      followDelegates(response, delegates, { librarian: CONCIERGE, query });
    c.set('answeredBy', librarian);
    if (librarian !== CONCIERGE) return answerWith(c, await follow({ delegate: { to: librarian } }));
    const known = await librarians.routable({ waitUntil: waitUntilOf(c) });
    const { capabilities, subject: id, workspace: workspaceId } = context;
    const told = {
      user: { id, workspaceId, capabilities: [...capabilities] },
      ai: parts.ai,
      timeout: timeoutMs,
      signal,
    };
    const response = await follow(await conciergeOf(known)(query, told));
    return answerWith(
      c,
      isNoneOfOurs(response) ? toldAsNone(response, permittedLibrarians(known, capabilities)) : response,
    );
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

/** Whoever found that the question is not for it, the way there stays. */
const toldAsNone = (
  { metadata, error }: LibrarianResponse,
  candidates: readonly LibrarianInfo[],
): LibrarianResponse => ({
  error: error?.librarian === CONCIERGE ? error : noneOfOurs(candidates),
  ...(metadata?.trace === undefined ? {} : { metadata: { trace: metadata.trace } }),
});

const answerWith = (c: Context<GatewayEnv>, response: LibrarianResponse): Response => {
  const { answer, error } = response;
  // With an answer beside it, the error names a gap; the request as such has succeeded.
  if (error === undefined || answer !== undefined) return jsonAnswer(response);
  c.set('outcome', error.code);
  const told = errorResponse(error);
  const reply = jsonAnswer(response, { status: told.status });
  for (const [name, value] of told.headers) reply.headers.set(name, value);
  return reply;
};

const unknownLibrarian = (ids: readonly string[]): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: 'Cannot ask this librarian: there is none of that id',
    suggestion: `Ask one of: ${[CONCIERGE, ...ids].join(', ').slice(0, 900)}`,
  });

/** All that an unbounded key may do without writing. */
const READS = ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze'];

/** A question is text from outside: no right to write goes on its way (signed context 10.2). `kb:*` becomes `kb:read`. */
export const readingRights = (capabilities: readonly string[]): string[] => {
  const narrowed = capabilities.flatMap((each) => (each === '*' ? READS : [each.replace(/:\*$/, ':read')]));
  return [...new Set(narrowed)].filter((capability) => !capability.endsWith(':write'));
};

const readRequest = (bytes: Uint8Array): AskRequest => {
  const read = readJson(bytes, AskRequest);
  if (read.ok) return read.value;
  throw new GatewayError('INVALID_QUERY', {
    message: read.problem,
    suggestion: 'Send {"query": "..."} with a question of 1 to 4,000 characters',
    details: { issues: read.issues },
  });
};

/** Asks a single librarian without a concierge. Goes when `createApp` takes `createAsk`. */
export const ask = async (
  c: Context<GatewayEnv>,
  client: SignedClient,
  librarians: readonly string[],
): Promise<Response> => {
  const request = readRequest(await jsonBytes(c));
  const { librarian = DEFAULT_LIBRARIAN, query, metadata } = request;
  if (!librarians.includes(librarian)) throw unknownLibrarian(librarians);
  const key = c.get('apiKey');
  return forward(c, client, {
    to: librarian,
    path: `/librarians/${librarian}/ask`,
    workspace: workspaceOf(key, request.workspace_id, c.req.query('workspace_id')),
    capabilities: readingRights(key.capabilities),
    body: JSON.stringify({ query, ...(metadata === undefined ? {} : { metadata }) }),
    timeoutMs: request.timeout_ms,
  });
};
