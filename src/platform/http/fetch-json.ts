import { withRetries } from '../retry.ts';
import { withDeadline } from './deadline.ts';
import { discard, readBody } from './read-body.ts';

/** Why a call failed: no reply before the signal aborted, no connection, the status, or a body that cannot be used. */
type FailureKind = 'timeout' | 'unreachable' | 'status' | 'broken-off' | 'too-large' | 'not-json';

/** A call without a usable reply. The message quotes neither the address nor the reply; `cause` may. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: FailureKind;
  /** HTTP status; 0 without a reply. */
  readonly status: number;
  /** Headers of the reply; empty without one. */
  readonly headers: Headers;

  constructor(
    kind: FailureKind,
    problem: string,
    { response, cause }: { response?: Response | undefined; cause?: unknown } = {},
  ) {
    super(problem, { cause });
    this.kind = kind;
    this.status = response?.status ?? 0;
    this.headers = response?.headers ?? new Headers();
  }

  /** Whether the same call may succeed at once: the connection was lost, or the server failed. */
  get isRetryable(): boolean {
    return this.kind === 'unreachable' || this.kind === 'broken-off' || this.status >= 500;
  }
}

interface HttpRequest {
  fetch: typeof fetch;
  method?: string | undefined;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  signal: AbortSignal;
}

interface ReadOptions {
  maxBytes: number;
  signal: AbortSignal;
  /** Bytes -> value; throws for anything else. JSON in UTF-8 by default. */
  parse?: ((bytes: Uint8Array<ArrayBuffer>) => unknown) | undefined;
}

interface FetchJsonOptions extends HttpRequest, ReadOptions {
  /** For all attempts together, reading the body included. */
  timeoutMs?: number | undefined;
  /** Further attempts after a failure that is retryable; 0 by default. Each waits as long as `Retry-After` says. */
  retries?: number | undefined;
  now?: (() => number) | undefined;
}

/** Another attempt with less time than this left only adds load. */
const MIN_RETRY_MS = 500;

/**
 * Fetches JSON: no redirects, a deadline, a limit on the size of the body while it streams in.
 *
 * @throws {HttpFailure} When there is no reply with a 2xx status and a JSON body.
 */
export async function fetchJson(
  url: string | URL,
  { timeoutMs, retries = 0, now = Date.now, ...options }: FetchJsonOptions,
): Promise<{ json: unknown; headers: Headers }> {
  const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal =
    deadline === undefined ? options.signal : AbortSignal.any([options.signal, deadline]);
  const endsAt = timeoutMs === undefined ? Number.POSITIVE_INFINITY : now() + timeoutMs;
  const attempt = async () => {
    const response = await sendOk(url, { ...options, signal });
    return { json: await readJson(response, { ...options, signal }), headers: response.headers };
  };
  return withRetries(attempt, {
    attempts: retries + 1,
    signal,
    pauseMs: ({ error }) => {
      if (!(error instanceof HttpFailure) || !error.isRetryable) return undefined;
      const waitMs = retryAfterMs(error.headers, now()) ?? 0;
      return now() + waitMs + MIN_RETRY_MS > endsAt ? undefined : waitMs;
    },
  });
}

/**
 * Sends a request and returns its response, whatever the status. A redirect is returned, not followed.
 *
 * @throws {HttpFailure} `timeout` or `unreachable`.
 */
export async function send(
  url: string | URL,
  { fetch, signal, method = 'GET', body, headers }: HttpRequest,
): Promise<Response> {
  try {
    const init = {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
    } as const;
    return await withDeadline(() => fetch(url, init), { signal, errorFor: () => timedOut() });
  } catch (cause) {
    if (cause instanceof HttpFailure) throw cause;
    throw signal.aborted
      ? timedOut(cause)
      : new HttpFailure('unreachable', 'it cannot be reached', { cause });
  }
}

/**
 * Like `send`, but accepts only 2xx, and discards the body of any other response.
 *
 * @throws {HttpFailure} As `send`, or `status`.
 */
export async function sendOk(url: string | URL, request: HttpRequest): Promise<Response> {
  const response = await send(url, request);
  if (response.ok) return response;
  discard(response.body);
  throw new HttpFailure('status', `status is ${response.status}`, { response });
}

/**
 * Reads the body of a foreign response: of limited size, and no longer than the signal allows, since a body may come byte by byte without end.
 *
 * @throws {HttpFailure} `timeout`, `broken-off` or `too-large`.
 */
export async function readBytes(
  response: Response,
  { maxBytes, signal }: Pick<ReadOptions, 'maxBytes' | 'signal'>,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = await withDeadline(() => readBody(response, maxBytes), {
      signal,
      errorFor: () => timedOut(),
    });
  } catch (cause) {
    throw signal.aborted
      ? timedOut(cause)
      : new HttpFailure('broken-off', 'the reply broke off', { cause });
  }
  if (bytes === undefined)
    throw new HttpFailure('too-large', `the reply has more than ${maxBytes} bytes`);
  return bytes;
}

/** Reads the body of a response as JSON. Throws `HttpFailure`. */
export async function readJson(response: Response, { parse = parseUtf8, ...options }: ReadOptions) {
  const bytes = await readBytes(response, options);
  try {
    return parse(bytes);
  } catch (cause) {
    throw new HttpFailure('not-json', 'the reply is cut off or no JSON', { cause });
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const parseUtf8 = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));

/** September 2001: a smaller number is a delay in seconds, a greater one a time. */
const EPOCH_SECONDS = 1_000_000_000;

/**
 * How long a server asks to wait, in milliseconds from 0: `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). Rate-limit
 * headers are read the same way, and may also be a time in seconds since 1970.
 *
 * @param names Header names; the first that can be parsed is used.
 * @returns Undefined when none can be parsed.
 */
export function retryAfterMs(
  headers: Headers,
  now: number,
  names: readonly string[] = ['retry-after'],
): number | undefined {
  for (const name of names) {
    const text = headers.get(name)?.trim() ?? '';
    if (text.length > 64) continue;
    const seconds = /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
    if (seconds !== undefined)
      return Math.max(Math.ceil(seconds * 1000 - (seconds < EPOCH_SECONDS ? 0 : now)), 0);
    // Date.parse would read a signed number as a year.
    const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(date)) return Math.max(date - now, 0);
  }
  return undefined;
}

const timedOut = (cause?: unknown) => new HttpFailure('timeout', 'no answer in time', { cause });

/**
 * After a 429: `Retry-After`, Help Scout's own header, and the end of the window in seconds from now (Zendesk) or since 1970
 * (Intercom). Tools send the window with every reply: after any other failure it would pause tickets for no reason.
 */
export const RATE_LIMIT_HEADERS = [
  'retry-after',
  'x-ratelimit-retry-after',
  'ratelimit-reset',
  'x-ratelimit-reset',
];

/** `Authorization` of the basic scheme (RFC 7617), in UTF-8. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))}`;
}
