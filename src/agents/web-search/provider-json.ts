import { CodedError, DataSourceError } from '../../http/coded-error.ts';
import { fetchJson, HttpFailure, retryAfterMs } from '../../http/fetch-json.ts';

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

/** Longest wait for a provider, both attempts together. */
const PROVIDER_TIMEOUT_MS = 8000;
const MAX_BYTES = 2_097_152;

/**
 * Asks a provider for JSON: one deadline for all of it, no redirects, a limit on the body, and a second attempt after a lost
 * connection or a status of 5xx.
 *
 * @throws {CodedError} RATE_LIMITED, TIMEOUT, SERVICE_UNAVAILABLE (the key is refused), DATA_SOURCE_ERROR.
 */
export const providerJson = async ({ url, headers, secret, fetch, timeoutMs, signal, now }: ProviderRequest) => {
  try {
    const { json } = await fetchJson(url, {
      ...{ fetch, signal, now },
      headers: { Accept: 'application/json', 'User-Agent': 'constellation-web-search', ...headers },
      timeoutMs: Math.min(PROVIDER_TIMEOUT_MS, timeoutMs ?? PROVIDER_TIMEOUT_MS),
      maxBytes: MAX_BYTES,
      retries: 1,
    });
    return json;
  } catch (error) {
    throw error instanceof HttpFailure ? providerErrorOf(error, { secret, now: now() }) : error;
  }
};

/** Without its cause: what `fetch` throws may quote the address, and with it the key. */
const providerErrorOf = (
  { kind, status, headers, message }: HttpFailure,
  { secret, now }: { secret: string; now: number },
): CodedError => {
  if (kind === 'timeout') return tooSlow();
  if (status === 401 || status === 403) return keyRefused(status, secret);
  if (status === 429) return tooMany(retryAfterMs(headers, now));
  const isRedirect = status >= 300 && status < 400;
  return new DataSourceError(
    `Cannot read the search provider: ${isRedirect ? 'it redirects, which is not followed' : message}`,
  );
};

const keyRefused = (status: number, secret: string) =>
  new CodedError('SERVICE_UNAVAILABLE', `the search provider refuses the key: status is ${status}`, {
    reported: {
      message: 'Cannot search the web: the search provider does not accept the key',
      suggestion: `Set the secret ${secret} of the web-search function to a valid key`,
      recoverable: false,
    },
  });

const MAX_WAIT_SECONDS = 86_400;

const tooMany = (waitMs: number | undefined) => {
  const seconds = waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs / 1000), MAX_WAIT_SECONDS);
  return new CodedError('RATE_LIMITED', 'the search provider takes no more requests', {
    reported: {
      message: 'Cannot search the web right now: the search provider takes no more requests',
      suggestion:
        seconds === undefined
          ? 'Try again in a minute; if it stays, the plan of the search provider is used up'
          : `Try again in ${seconds} seconds`,
      ...(seconds === undefined ? {} : { details: { retry_after_seconds: seconds } }),
    },
  });
};

const tooSlow = () =>
  new CodedError('TIMEOUT', 'the search provider did not answer in time', {
    reported: { message: 'Cannot search the web in the time that was left' },
  });
