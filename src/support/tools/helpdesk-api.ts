import * as z from 'zod';
import { readRequest } from '../../contract/core/read-request.ts';
import {
  HttpFailure,
  RATE_LIMIT_HEADERS,
  readJson,
  retryAfterMs,
  sendOk,
} from '../../platform/http/fetch-json.ts';
import { isOwnAddress } from '../../platform/http/public-address.ts';
import { discard } from '../../platform/http/read-body.ts';
import { parseJson } from '../../platform/http/read-fields.ts';
import { type ClientOptions, type HelpdeskConnection, HelpdeskFailed } from './helpdesk-tool.ts';
import { RecordId } from './payload.ts';

interface ApiSettings extends ClientOptions {
  /** Ends every call. */
  signal: AbortSignal;
  /** For messages: `Chatwoot`. */
  tool: string;
  /** Without a trailing slash. Plain http only to this machine, in development. */
  apiUrl: string | undefined;
  /** Authentication, sent with every call. `isRenewed` is true after a reply of 401. */
  headers(options: { isRenewed: boolean }): Promise<Record<string, string>>;
  /** Whether a 401 is retried once with renewed headers. */
  renewsOn401?: boolean | undefined;
  /** How long to wait after a 429 without `Retry-After`, in milliseconds. */
  rateLimitWaitMs?: number | undefined;
}

interface ApiCall {
  /** For messages, after the word "Cannot": `read the ticket`. */
  action: string;
  method?: 'GET' | 'POST' | 'PUT';
  /** Begins with a slash; see `pathOf`. */
  path: string;
  /** Sent as JSON; text as it is. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Whether the call writes nothing; by default true for GET only. */
  isSafe?: boolean;
}

/** Calls a helpdesk's API: no redirects, ten seconds, at most 4 MiB of reply. Throws `HelpdeskFailed`. */
export interface HelpdeskApi {
  /** Returns what the schema names of the reply. */
  call<Schema extends z.ZodType>(call: ApiCall & { reply: Schema }): Promise<z.output<Schema>>;
  /** POSTs, and returns the id of what was created. */
  create(call: ApiCall): Promise<string>;
  /** Returns the headers of the reply, and discards its body. */
  send(call: ApiCall): Promise<Headers>;
}

const TIMEOUT_MS = 10_000;
const MAX_REPLY_BYTES = 4_194_304;
/** A longer wait is a mistake of the tool or of its clock. */
const MAX_WAIT_MS = 3_600_000;

export function helpdeskApi(settings: ApiSettings): HelpdeskApi {
  const request = async (
    call: ApiCall,
    { isRenewed = false } = {},
  ): Promise<{ response: Response; signal: AbortSignal }> => {
    const { action, method, path, body, headers } = call;
    const { signal: outer } = settings;
    const url = urlOf(settings, path);
    if (outer.aborted)
      throw new HelpdeskFailed(`Cannot ${action} in ${settings.tool}: no time left`, {
        isTransient: true,
      });
    const own = await settings.headers({ isRenewed });
    const signal = AbortSignal.any([outer, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await sendOk(url, {
        method,
        signal,
        fetch: settings.fetch,
        headers: {
          Accept: 'application/json',
          'User-Agent': 'constellation',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...own,
          ...headers,
        },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { response, signal };
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (error.status === 401 && settings.renewsOn401 === true && !isRenewed)
        return request(call, { isRenewed: true });
      throw failureOf(error, { settings, call });
    }
  };
  const call: HelpdeskApi['call'] = async ({ reply, ...sent }) => {
    const { response, signal } = await request(sent);
    const json = await readJson(response, { maxBytes: MAX_REPLY_BYTES, signal, parse }).catch(
      (error) => {
        throw error instanceof HttpFailure ? failureOf(error, { settings, call: sent }) : error;
      },
    );
    const read = readRequest(reply, json);
    if (read.ok) return read.value;
    throw lostReply('the reply is not what its documentation says', { settings, call: sent });
  };
  return {
    call,
    create: async (sent) => (await call({ method: 'POST', ...sent, reply: Created })).id,
    send: async (sent) => {
      const { response } = await request(sent);
      discard(response.body);
      return response.headers;
    },
  };
}

const Created = z.object({ id: RecordId });

/** Puts values into a path, each as one segment. Throws `HelpdeskFailed` for values that would lead elsewhere. */
export function pathOf(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((path, part, at) => {
    const value = values[at - 1] ?? '';
    if (value === '' || /^\.+$/.test(value) || value.length > 256)
      throw new HelpdeskFailed('Cannot call the helpdesk: an id is not valid');
    return `${path}${encodeURIComponent(value.toWellFormed())}${part}`;
  });
}

/**
 * Reads the pages of a list to its end, at most `maxPages`. `readPage` gets `next` of the page before.
 *
 * @example
 * const pages = await readPages(10, async (page: number | undefined = 1) => {
 *   const messages = [`message ${page}`];
 *   return { page: messages, next: page < 3 ? page + 1 : undefined };
 * });
 * pages.flat(); // ['message 1', 'message 2', 'message 3']
 */
export async function readPages<Page, Next>(
  maxPages: number,
  readPage: (next: Next | undefined) => Promise<{ page: Page; next: Next | undefined }>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let next: Next | undefined;
  do {
    const read = await readPage(next);
    pages.push(read.page);
    next = read.next;
  } while (next !== undefined && pages.length < maxPages);
  return pages;
}

/**
 * Returns the id of a note that was written although the reply does not name it.
 *
 * @param find Looks for the note in the ticket.
 * @throws {HelpdeskFailed} Always with an unknown outcome: writing the note again could make two.
 */
export async function findWrittenNote(
  tool: string,
  find: () => Promise<string | undefined>,
): Promise<string> {
  const failed = (problem: string, cause?: unknown) =>
    new HelpdeskFailed(`Cannot write a note in ${tool}: ${problem}`, {
      isTransient: true,
      isOutcomeUnknown: true,
      retryAfterMs: cause instanceof HelpdeskFailed ? cause.retryAfterMs : undefined,
      cause,
    });
  const id = await find().catch((cause: unknown) => {
    throw failed('its reply does not name the note, and the ticket cannot be read', cause);
  });
  if (id === undefined) throw failed('the ticket does not show it');
  return id;
}

/** An option of the connection. Throws `HelpdeskFailed` when it is not set. */
export function requiredOption(
  { options }: HelpdeskConnection,
  name: string,
  tool: string,
): string {
  const value = options[name];
  if (value !== undefined && value !== '') return value;
  throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no option ${name}`);
}

/** The token of the tool's API. Throws `HelpdeskFailed` when it is not set. */
export function requiredToken({ apiToken }: HelpdeskConnection, tool: string): string {
  if (apiToken !== undefined && apiToken !== '') return apiToken;
  throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no API token`);
}

/** Zammad's reply is empty where a ticket has no draft. */
const parse = (bytes: Uint8Array): unknown => (bytes.length === 0 ? undefined : parseJson(bytes));

const urlOf = ({ tool, apiUrl }: ApiSettings, path: string): string => {
  const url = `${apiUrl ?? ''}${path}`;
  if (apiUrl === undefined)
    throw new HelpdeskFailed(`Cannot call ${tool}: its connection has no apiUrl`);
  if (!url.startsWith('https://') && !isOwnAddress(url))
    throw new HelpdeskFailed(`Cannot call ${tool}: the apiUrl of its connection is not https`);
  return url;
};

interface Scene {
  settings: ApiSettings;
  call: ApiCall;
}

const failureOf = (error: HttpFailure, scene: Scene): HelpdeskFailed => {
  const { kind, status, headers, message } = error;
  if (kind !== 'status') return lostReply(message, scene, error.cause);
  const { tool, now, rateLimitWaitMs } = scene.settings;
  const advice =
    status >= 300 && status < 400
      ? 'the ticket was merged, or the API has another address now'
      : ADVICE[status];
  const isTransient = TRANSIENT.has(status) || status >= 500;
  const names = status === 429 ? RATE_LIMIT_HEADERS : undefined;
  const asked = isTransient ? retryAfterMs(headers, now(), names) : undefined;
  return new HelpdeskFailed(
    `Cannot ${scene.call.action} in ${tool}: ${message}${advice === undefined ? '' : `: ${advice}`}`,
    {
      isTransient,
      // A 502 or 504 of a proxy does not say what the tool behind it did.
      isOutcomeUnknown: (status === 408 || status >= 500) && !isSafe(scene.call),
      isNotFound: status === 404,
      retryAfterMs:
        asked === undefined
          ? status === 429
            ? rateLimitWaitMs
            : undefined
          : Math.min(asked, MAX_WAIT_MS),
    },
  );
};

/** The tool may have carried out a write whose reply was lost. */
const lostReply = (problem: string, { settings, call }: Scene, cause?: unknown): HelpdeskFailed =>
  new HelpdeskFailed(`Cannot ${call.action} in ${settings.tool}: ${problem}`, {
    isTransient: true,
    isOutcomeUnknown: !isSafe(call),
    cause,
  });

const isSafe = ({ method = 'GET', isSafe: said = method === 'GET' }: ApiCall): boolean => said;

const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** What the admin of the workspace can do. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'it does not accept the request: check the options of the connection',
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
