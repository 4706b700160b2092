import type { Context } from 'hono';
import type { Progress } from '../../contract/core/ask.ts';
import type { ErrorCode } from '../../contract/core/error-info.ts';
import { type Amounts, DEFAULT_CALLS } from '../../platform/context/limits.ts';
import { type OriginContext, originate } from '../../platform/context/request-context.ts';
import type { SignedAnswer, SignedClient } from '../../platform/context/signed-client.ts';
import { readBody } from '../../platform/http/read-body.ts';
import { errorResponse, GatewayError, HttpRefusal, MAX_BODY_BYTES } from './gateway-error.ts';
import type { GatewayEnv } from './request-log.ts';

export interface Forwarding {
  /** Id of the function. */
  to: string;
  /** That of the request when absent. */
  method?: string | undefined;
  /** Path and query at the function. */
  path: string;
  workspace: string;
  /** Rights delegated to the function; only those that the key holds count. */
  capabilities: readonly string[];
  /** Budget for model calls of the function and its delegates. */
  budgets?: Amounts | undefined;
  body?: Uint8Array | string | undefined;
  /** The workspace as named in the URL; links to further pages repeat it. */
  namedWorkspace?: string | undefined;
  timeoutMs?: number | undefined;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** Gets what the function reports while it answers. */
  progress?: Progress | undefined;
  /** Begins to keep the reply as an answer; undefined when it is not kept. */
  keep?: ((context: OriginContext) => KeptReply | undefined) | undefined;
}

interface KeptReply {
  watched: (progress: Progress) => Progress;
  answered: (reply: SignedAnswer) => void;
}

/** Longest path that a signed context can name (its claim `op`), without the method. */
const MAX_PATH_LENGTH = 2000;

/** The path of a request as functions know it: a slash at its end means nothing. */
export function pathOf(c: Context<GatewayEnv>): string {
  return new URL(c.req.url).pathname.replace(/(?<=.)\/$/, '');
}

/** Long enough for every answer, short enough to give up on a lost one. */
const TIMEOUT_MS = 30_000;

/**
 * Calls a function in the user's name: starts a signed context, sends the request, checks the receipt, and returns the response
 * byte for byte. The API key is not forwarded; behind the gateway only the context counts.
 */
export async function forward(
  c: Context<GatewayEnv>,
  client: SignedClient,
  {
    to,
    method = c.req.method,
    path,
    workspace,
    namedWorkspace,
    capabilities,
    budgets,
    body,
    timeoutMs = TIMEOUT_MS,
    signal,
    progress: reported,
    keep,
  }: Forwarding,
): Promise<Response> {
  if (path.length > MAX_PATH_LENGTH) {
    throw new GatewayError('INVALID_QUERY', {
      message: `Cannot read the address: path and query are longer than ${MAX_PATH_LENGTH} characters`,
      suggestion: 'Shorten the query, or the id of the article',
    });
  }
  const key = c.get('apiKey');
  const context = originate({
    self: 'gateway',
    subject: `user:${key.id}`,
    workspace,
    authentication: key.authentication ?? 'key',
    capabilities,
    audiences: key.audiences,
    budgets: { calls: DEFAULT_CALLS, ...budgets },
    timeoutMs,
    now: Date.now(),
    traceId: c.get('traceId'),
  });
  c.set('answeredBy', to);
  // A HEAD is answered as its GET; the server omits the body.
  const sent = method === 'HEAD' ? 'GET' : method;
  const kept = keep?.(context);
  const progress = reported && (kept?.watched(reported) ?? reported);
  const answer = await client.call(context, { to, method: sent, path, body, signal, progress });
  kept?.answered(answer);
  if (!answer.ok) {
    c.set('outcome', answer.error.code);
    return errorResponse(answer.error);
  }
  if (answer.status >= 400) c.set('outcome', codeOf(answer.json));
  const headers = new Headers({ 'Content-Type': answer.contentType });
  for (const name of PASSED_ON) {
    const value = answer.headers.get(name);
    if (value !== null)
      headers.set(name, name === 'Link' ? linkWithin(value, namedWorkspace) : value);
  }
  return new Response(answer.body.length === 0 ? null : answer.body, {
    status: answer.status,
    headers,
  });
}

/** The body of a JSON request as bytes; throws when it is too long or of another type. */
export async function jsonBytes(
  c: Context<GatewayEnv>,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  if (
    c.req.raw.body !== null &&
    !/^application\/json\b/i.test(c.req.header('Content-Type') ?? '')
  ) {
    throw new HttpRefusal(415, {
      message: 'Cannot read the body: its content type is not application/json',
      suggestion: 'Send JSON with the header Content-Type: application/json',
      headers: { Accept: 'application/json' },
    });
  }
  const bytes = await readBody(c.req.raw, maxBytes);
  if (bytes !== undefined) return bytes;
  throw new GatewayError('INVALID_QUERY', {
    message: `Cannot read the body: it is longer than ${maxBytes} bytes`,
    suggestion: 'Send less at once',
    details: { max_bytes: maxBytes },
  });
}

/** `</path?query>; rel="next"`, with the workspace of this page. */
const linkWithin = (link: string, workspace: string | undefined): string =>
  workspace === undefined
    ? link
    : link.replace('>', `&workspace_id=${encodeURIComponent(workspace)}>`);

/** Response headers that are passed to the caller. */
const PASSED_ON = ['Link', 'Retry-After', 'ETag', 'Last-Modified'];

/** The code of an `{ error }` body, or of an agent's envelope, which has it in the metadata. */
const codeOf = (json: () => unknown): ErrorCode => {
  try {
    // Not validated: a response of our own function, whose receipt was checked.
    const { error, metadata } = json() as {
      error?: { code?: ErrorCode };
      metadata?: { error_code?: ErrorCode };
    };
    return error?.code ?? metadata?.error_code ?? 'INTERNAL_ERROR';
  } catch {
    return 'INTERNAL_ERROR';
  }
};
