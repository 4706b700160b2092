import type OpenAI from 'openai';
import { isEventStream } from '../http/event-stream.ts';

/** A service that speaks OpenAI's protocol. */
export interface OpenAIConfig {
  /** Sent in a header and nowhere else. `undefined`, as an unset variable is, is refused like an empty one. */
  apiKey: string | undefined;
  /** Up to and including the version; `https://api.openai.com/v1` when absent. */
  baseURL?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** Time for one request including its retry and the wait between them; 1 to 600,000. */
  timeoutMs?: number | undefined;
  now?: (() => number) | undefined;
}

/**
 * Why a service gave no result: `refused` (the request, the key or the quota; the same call fails again), `rate_limited`,
 * `unavailable` (down, slow, cut off), `malformed` (the reply has another form), `aborted` (by the signal).
 */
export type ServiceFailure = 'refused' | 'rate_limited' | 'unavailable' | 'malformed' | 'aborted';

export type ServiceReply =
  /** Not validated: the types of the client are what the service promises. */
  | { ok: true; value: unknown }
  /** `problem` contains nothing that was sent or received. `retryAfterMs` is at most a minute. */
  | { ok: false; reason: ServiceFailure; problem: string; retryAfterMs?: number | undefined };

interface CallOptions {
  /** Cancels the request, its retry and the wait. */
  signal?: AbortSignal | undefined;
  /** Largest accepted reply. */
  maxBytes: number;
  /** How often a request is sent again after a failure that may pass. */
  retries: 0 | 1;
}

/** Sends one request through the official client. Never throws. */
export type CallOpenAI = (
  request: (client: OpenAI, options: { signal: AbortSignal }) => PromiseLike<unknown>,
  options: CallOptions,
) => Promise<ServiceReply>;

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const MAX_TIMEOUT_MS = 600_000;

/**
 * The official client behind bounds of size and time, with its errors mapped to reasons. Importing it takes some 35 ms, so that
 * happens with the first request; each request has a client of its own, whose `fetch` knows the bounds of that request.
 *
 * @throws {RangeError} When the key, the model, the address or the time cannot be right; the message quotes none of them.
 */
export const openAICaller = (
  { apiKey, baseURL = DEFAULT_BASE_URL, fetch = globalThis.fetch, now = Date.now, ...config }: OpenAIConfig,
  { model, timeoutMs: defaultTimeoutMs }: { model: string; timeoutMs: number },
): CallOpenAI => {
  const { timeoutMs = defaultTimeoutMs } = config;
  // Validated here because the error for an invalid header quotes its value.
  check('apiKey', isToken(apiKey));
  check('model', isToken(model));
  check('baseURL', isAddress(baseURL));
  check('timeoutMs', timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS);
  return async (request, { signal, maxBytes, retries }) => {
    const library = await import('openai');
    const deadline = AbortSignal.timeout(timeoutMs);
    const client = new library.OpenAI({
      apiKey: apiKey ?? null,
      baseURL,
      timeout: timeoutMs,
      maxRetries: retries,
      fetch: boundedFetch(fetch, { maxBytes, endsAtMs: now() + timeoutMs, now }),
      // A key must not follow a redirect to another address.
      fetchOptions: { redirect: 'manual' },
      // Otherwise read from the environment, which in a Worker contains its bindings.
      ...{ organization: null, project: null, adminAPIKey: null, webhookSecret: null, logLevel: 'off' as const },
    });
    try {
      const signals = signal === undefined ? [deadline] : [deadline, signal];
      return { ok: true, value: await request(client, { signal: AbortSignal.any(signals) }) };
    } catch (error) {
      if (signal?.aborted) return failed('aborted', 'the caller has given up');
      if (deadline.aborted || error instanceof library.APIConnectionTimeoutError)
        return failed('unavailable', `no answer within ${timeoutMs} ms`);
      if (error instanceof library.APIConnectionError)
        return failed('unavailable', `it cannot be reached${networkCodeOf(error)}`);
      // The client throws errors of other classes, which quote the reply, for a body that it cannot parse or decode.
      if (!(error instanceof library.APIError)) return failed('malformed', 'the reply cannot be parsed');
      return failureOf(error);
    }
  };
};

const check = (name: string, isRight: boolean): void => {
  if (!isRight) throw new RangeError(`${name} cannot be right`);
};

const isToken = (text = ''): boolean => /^[\x21-\x7e]{1,1000}$/.test(text);

/** Without query, user and fragment. */
const isAddress = (address: string): boolean => /^https?:\/\/[^?#@\s]+$/.test(address) && URL.canParse(address);

const failed = (reason: ServiceFailure, problem: string): ServiceReply => ({ ok: false, reason, problem });

const MAX_RETRY_AFTER_MS = 60_000;

const failureOf = ({ status = 0, code, type, headers }: InstanceType<typeof OpenAI.APIError>): ServiceReply => {
  if (status === 429 && [code, type].includes(QUOTA)) return failed('refused', 'the quota is used up');
  const reason = status === 429 ? 'rate_limited' : isPassing(status) ? 'unavailable' : 'refused';
  const retryAfter = headers?.get('retry-after-ms');
  const retryAfterMs = retryAfter == null ? undefined : Math.min(Number(retryAfter), MAX_RETRY_AFTER_MS);
  return { ok: false, reason, problem: `status is ${status}`, retryAfterMs };
};

const QUOTA = 'insufficient_quota';

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Errors of `fetch` may quote the address or a header; only a code of the operating system is repeated. */
const networkCodeOf = (error: Error): string => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return ` (${code})`;
  }
  return '';
};

const MAX_REQUEST_CHARACTERS = 4 * 1024 * 1024;
const MAX_ERROR_BYTES = 65_536;
/** Waited by the client before a retry when the service names no time. */
const DEFAULT_WAIT_MS = 500;
/** A longer wait is for the caller to decide upon. */
const MAX_WAIT_MS = 2000;

/** The client's others describe the machine and the runtime, or come from the environment. */
const SENT_HEADERS = new Set(['accept', 'authorization', 'content-type', 'user-agent']);

interface FetchBounds {
  maxBytes: number;
  endsAtMs: number;
  now: () => number;
}

/**
 * The `fetch` of a client. It reads the whole reply, so that a connection that breaks in the body is retried as well, and tells
 * the client by `x-should-retry` and `retry-after-ms` which failures are worth a retry that can still finish in time.
 */
const boundedFetch =
  (fetch: typeof globalThis.fetch, { maxBytes, endsAtMs, now }: FetchBounds): typeof globalThis.fetch =>
  async (input, init) => {
    if (typeof init?.body === 'string' && init.body.length > MAX_REQUEST_CHARACTERS)
      return new Response(null, { status: 413 });
    const sent = [...new Headers(init?.headers)].filter(([name]) => SENT_HEADERS.has(name));
    const response = await fetch(input, { ...init, headers: sent });
    const { ok, status, headers } = response;
    // Read by whoever asked for a stream, with a bound of its own.
    if (ok && isEventStream(headers)) return response;
    const text = await readText(response, ok ? maxBytes : MAX_ERROR_BYTES);
    // An empty reply is none to the client.
    if (ok) return new Response(text, { headers: { 'content-type': headers.get('content-type') ?? 'text/plain' } });
    const waitMs = retryAfterOf(headers, now());
    const word = headers.get('x-should-retry');
    const isInTime = (waitMs ?? DEFAULT_WAIT_MS) <= Math.min(MAX_WAIT_MS, endsAtMs - now());
    const isWorthIt = (word === 'true' || (word !== 'false' && isPassing(status))) && !text?.includes(`"${QUOTA}"`);
    return new Response(text || null, {
      status,
      headers: {
        'x-should-retry': `${isWorthIt && isInTime}`,
        ...(waitMs === undefined ? {} : { 'retry-after-ms': `${waitMs}` }),
      },
    });
  };

/** @returns `undefined` when it is longer. Invalid UTF-8 becomes U+FFFD. */
const readText = async ({ body }: Response, maxBytes: number): Promise<string | undefined> => {
  const decoder = new TextDecoder();
  let left = maxBytes;
  let text = '';
  for await (const part of body ?? []) {
    left -= part.length;
    // Leaving the loop cancels the stream.
    if (left < 0) return undefined;
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
};

/** Milliseconds by OpenAI's own header, or seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const [milliseconds = '', value = ''] = ['retry-after-ms', 'retry-after'].map((name) => headers.get(name) ?? '');
  const isNumber = (text: string) => /^\d{1,9}(?:\.\d+)?$/.test(text);
  if (isNumber(milliseconds)) return Number(milliseconds);
  if (isNumber(value)) return Number(value) * 1000;
  // A date begins with its weekday: `Date.parse` alone takes -5 for a year.
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};
