import type * as z from 'zod';
import { readAs } from '../contract/read-as.ts';
import { discard, readBody } from '../http/read-body.ts';
import { isOwnAddress } from '../runtime/service-address.ts';
import { HelpdeskFailed } from './helpdesk-tool.ts';
import { parseJson } from './parse-json.ts';
import { retryAfterOf } from './retry-after.ts';

export interface HelpdeskApi {
  /** For messages: `Chatwoot`. */
  tool: string;
  /** Without a slash at its end. Plain http only to this machine, which there is in development alone. */
  apiUrl: string | undefined;
  /** Sent with every call: who we are. Asked for once more, `renewed`, when a call is answered with 401. */
  headers(options: { renewed: boolean; signal: AbortSignal }): Promise<Record<string, string>>;
  /** Whether a 401 may be cured by asking for the headers again. */
  renews?: boolean;
  /** How long to wait after 429 where the tool tells nothing, in milliseconds. */
  quietMs?: number;
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
}

interface ApiCall {
  /** For messages, after the word cannot: `read the ticket`. */
  doing: string;
  method?: 'GET' | 'POST' | 'PUT';
  /** Begins with a slash; see `pathOf`. */
  path: string;
  /** Sent as JSON; a text as it is. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Set for calls other than GET that write nothing. */
  isSafe?: boolean;
  signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 4_194_304;

/**
 * Calls a helpdesk's API: no redirects, ten seconds, at most 4 MiB of reply.
 *
 * @param call `reply` names what is read of the reply.
 * @throws {HelpdeskFailed} In our own words, without a text of the reply.
 */
export const callHelpdesk = async <Schema extends z.ZodType>(
  api: HelpdeskApi,
  { reply, ...call }: ApiCall & { reply: Schema },
): Promise<z.output<Schema>> => {
  const failed = failureOf(api, call);
  const response = await succeed(api, call);
  const read = readAs(reply, await readReply(response, failed));
  if (!read.ok) throw failed('the reply is not what its documentation says', { isLost: true });
  return read.value;
};

/** The same for calls whose status tells all: gives the headers, and does not read the body. */
export const tellHelpdesk = async (api: HelpdeskApi, call: ApiCall): Promise<Headers> => {
  const { body, headers } = await succeed(api, call);
  discard(body);
  return headers;
};

/** Puts values into a path, as segments of their own. Throws `HelpdeskFailed` for those that would lead elsewhere. */
export const pathOf = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.reduce((path, part, at) => {
    const value = values[at - 1] ?? '';
    if (value === '' || /^\.+$/.test(value) || value.length > 256)
      throw new HelpdeskFailed('Cannot call the helpdesk: an id is none');
    return `${path}${encodeURIComponent(value.toWellFormed())}${part}`;
  });

const succeed = async (api: HelpdeskApi, call: ApiCall): Promise<Response> => {
  const response = await send(api, call, { renewed: false });
  if (response.ok) return response;
  discard(response.body);
  if (response.status !== 401 || api.renews !== true) throw statusFailure(response, { api, call });
  const again = await send(api, call, { renewed: true });
  if (again.ok) return again;
  discard(again.body);
  throw statusFailure(again, { api, call });
};

const send = async (api: HelpdeskApi, call: ApiCall, { renewed }: { renewed: boolean }): Promise<Response> => {
  const { fetch } = api;
  const failed = failureOf(api, call);
  const address = addressOf(api, call);
  if (call.signal.aborted) throw failed('there is no time left', { isPassing: true });
  const own = await api.headers({ renewed, signal: call.signal });
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    // By itself: as a method of something else Cloudflare's would throw.
    return await fetch(address, {
      method: call.method ?? 'GET',
      headers: {
        Accept: 'application/json',
        'User-Agent': 'constellation',
        ...contentType(call),
        ...own,
        ...call.headers,
      },
      ...(call.body === undefined
        ? {}
        : { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
      redirect: 'manual',
      signal,
    });
  } catch (cause) {
    throw failed(signal.aborted ? 'no answer in time' : 'it cannot be reached', { isLost: true, cause });
  }
};

const contentType = ({ body }: ApiCall): Record<string, string> =>
  body === undefined ? {} : { 'Content-Type': 'application/json' };

const addressOf = ({ tool, apiUrl }: HelpdeskApi, { path }: ApiCall): string => {
  const address = `${apiUrl ?? ''}${path}`;
  if (apiUrl === undefined) throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no apiUrl`);
  if (!address.startsWith('https://') && !isOwnAddress(address))
    throw new HelpdeskFailed(`Cannot call ${tool}: the apiUrl of its connection is not https`);
  return address;
};

type Failure = (
  problem: string,
  options?: {
    isPassing?: boolean;
    isLost?: boolean;
    isMissing?: boolean;
    retryAfterMs?: number | undefined;
    cause?: unknown;
  },
) => HelpdeskFailed;

/** What was lost passes; of a write it is unclear whether it was carried out. */
const failureOf =
  ({ tool }: HelpdeskApi, { doing, method = 'GET', isSafe = method === 'GET' }: ApiCall): Failure =>
  (problem, { isPassing = false, isLost = false, isMissing = false, retryAfterMs, cause } = {}) =>
    new HelpdeskFailed(`Cannot ${doing} in ${tool}: ${problem}`, {
      isPassing: isPassing || isLost,
      isUnclear: isLost && !isSafe,
      isMissing,
      retryAfterMs,
      cause,
    });

const readReply = async (response: Response, failed: Failure): Promise<unknown> => {
  const bytes = await readBody(response, MAX_REPLY_BYTES).catch((cause: unknown) => {
    throw failed('the reply broke off', { isLost: true, cause });
  });
  if (bytes === undefined) throw failed(`the reply has more than ${MAX_REPLY_BYTES} bytes`, { isLost: true });
  if (bytes.length === 0) return undefined;
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw failed('the reply is cut off or no JSON', { isLost: true, cause });
  }
};

const statusFailure = (response: Response, { api, call }: { api: HelpdeskApi; call: ApiCall }) => {
  const { status } = response;
  const advice =
    status >= 300 && status < 400
      ? 'the ticket was merged, or the address of the connection has moved'
      : ADVICE[status];
  const isPassing = PASSING.has(status) || status >= 500;
  const asked = isPassing ? retryAfterOf(response, api.now()) : undefined;
  return failureOf(api, call)(`status is ${status}${advice === undefined ? '' : `: ${advice}`}`, {
    isPassing,
    // A proxy's 502 or 504 tells nothing of what the tool behind it did.
    isLost: status === 408 || status >= 500,
    isMissing: status === 404,
    retryAfterMs: asked ?? (status === 429 ? api.quietMs : undefined),
  });
};

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** What who runs the workspace can do. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'it does not take the request: check the options of the connection',
  401: 'it refuses the API token: enter a valid one in the connection',
  403: 'the API user may not do this: give it the right to read tickets and to write notes',
  404: 'there is no such ticket, or the API user may not see it: check the apiUrl and the options of the connection',
  409: 'the ticket changed meanwhile',
  410: 'the ticket was deleted',
  412: 'the ticket is full',
  413: 'the note is too long for it',
  422: 'it refuses the content: the ticket may be closed or full',
  429: 'too many calls',
};
