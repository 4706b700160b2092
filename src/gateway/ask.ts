import type { Context } from 'hono';
import { AskRequest } from '../contract/ask-request.ts';
import { readJson } from '../runtime/read-json.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { workspaceOf } from './authenticate.ts';
import { forward, jsonBytes } from './forward.ts';
import { GatewayError } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

/** All that an unbounded key may do without writing. */
const READS = ['kb:read', 'memory:read', 'sql:read', 'web:search', 'support:analyze'];

/** Whoever is asked when the question names nobody. The concierge takes this over when it comes. */
const DEFAULT_LIBRARIAN = 'navigator';

/** `POST /v1/ask` (design, section 4): asks a librarian in the user's name and hands its Response on. */
export const ask = async (
  c: Context<GatewayEnv>,
  client: SignedClient,
  librarians: readonly string[],
): Promise<Response> => {
  const request = readRequest(await jsonBytes(c));
  const { librarian = DEFAULT_LIBRARIAN, query, metadata } = request;
  if (!librarians.includes(librarian)) {
    throw new GatewayError('NOT_FOUND', {
      message: 'Cannot ask this librarian: there is none of that id',
      suggestion: `Ask one of: ${librarians.join(', ')}`,
    });
  }
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
