import { startDeadline } from '../../runtime/deadline.ts';
import { CodedError, DataSourceError } from '../../runtime/error-info-of.ts';
import { readBody } from '../../runtime/read-body.ts';

export interface ProviderRequest {
  /** May carry the key: neither it nor an error of `fetch`, which may quote it, reaches a message or a log. */
  url: URL;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Name of the secret, for those who have to set it right. */
  secret: string;
  fetch: typeof fetch;
  /** Milliseconds that are left; 8,000 are taken at most. */
  timeoutMs?: number | undefined;
  signal: AbortSignal;
  now: () => number;
}

/** The longest that a provider is waited for, both attempts together. */
const PROVIDER_TIMEOUT_MS = 8000;
/** A second attempt with less time than this only adds load. */
const WORTH_RETRYING_MS = 500;
const MAX_BYTES = 2_097_152;

/**
 * Asks a provider for JSON: one time limit over all, no redirects, a bound on the body, and a second attempt after a
 * failure that may pass.
 *
 * @throws {CodedError} RATE_LIMITED, TIMEOUT, SERVICE_UNAVAILABLE (the key is refused), DATA_SOURCE_ERROR.
 */
export const providerJson = async (request: ProviderRequest): Promise<unknown> => {
  const { signal, now } = request;
  const timeoutMs = Math.min(PROVIDER_TIMEOUT_MS, request.timeoutMs ?? PROVIDER_TIMEOUT_MS);
  const untilMs = now() + timeoutMs;
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const first = await deadline.race(attempt(request, deadline.signal));
    if (first.ok) return first.json;
    if (!first.isPassing || untilMs - now() < WORTH_RETRYING_MS) throw first.error;
    const second = await deadline.race(attempt(request, deadline.signal));
    if (second.ok) return second.json;
    throw second.error;
  } catch (error) {
    if (deadline.signal.aborted) throw tooSlow();
    throw error;
  } finally {
    deadline.clear();
  }
};

type Attempt = { ok: true; json: unknown } | { ok: false; error: CodedError; isPassing: boolean };

const attempt = async (request: ProviderRequest, signal: AbortSignal): Promise<Attempt> => {
  try {
    const headers = { Accept: 'application/json', 'User-Agent': 'constellation-web-search', ...request.headers };
    const response = await request.fetch(request.url, { headers, redirect: 'manual', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { ok: false, error: refusalOf(response, request), isPassing: response.status >= 500 };
    }
    const body = await readBody(response, MAX_BYTES);
    if (body === undefined) return lasting(`its answer is larger than ${MAX_BYTES} bytes`);
    const json = parse(body);
    return json === undefined ? lasting('its answer is no JSON') : { ok: true, json };
  } catch (cause) {
    // What `fetch` throws may quote the address, and with it the key: only the kind of error is kept.
    const kind = cause instanceof Error ? cause.name : typeof cause;
    return { ok: false, error: unreadable(`it cannot be reached (${kind})`), isPassing: !signal.aborted };
  }
};

const lasting = (problem: string): Attempt => ({ ok: false, error: unreadable(problem), isPassing: false });

const unreadable = (problem: string) => new DataSourceError(`Cannot read the search provider: ${problem}`);

const refusalOf = ({ status, headers }: Response, { secret, now }: ProviderRequest): CodedError => {
  if (status === 401 || status === 403) return keyRefused(status, secret);
  if (status === 429) return tooMany(retryAfterOf(headers, now()));
  const isRedirect = status >= 300 && status < 400;
  return unreadable(isRedirect ? 'it redirects, which is not followed' : `status is ${status}`);
};

const keyRefused = (status: number, secret: string) =>
  new CodedError('SERVICE_UNAVAILABLE', `the search provider refuses the key: status is ${status}`, {
    told: {
      message: 'Cannot search the web: the search provider does not accept the key',
      suggestion: `Set the secret ${secret} of the web-search function to a valid key`,
      recoverable: false,
    },
  });

const tooMany = (seconds: number | undefined) =>
  new CodedError('RATE_LIMITED', 'the search provider takes no more requests', {
    told: {
      message: 'Cannot search the web right now: the search provider takes no more requests',
      suggestion:
        seconds === undefined
          ? 'Try again in a minute; if it stays, the plan of the search provider is used up'
          : `Try again in ${seconds} seconds`,
      ...(seconds === undefined ? {} : { details: { retry_after_seconds: seconds } }),
    },
  });

const tooSlow = () =>
  new CodedError('TIMEOUT', 'the search provider did not answer in time', {
    told: { message: 'Cannot search the web in the time that was left' },
  });

/** Seconds or a date (RFC 9110, section 10.2.3), at most a day. */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), 86_400);
};

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    return undefined;
  }
};
