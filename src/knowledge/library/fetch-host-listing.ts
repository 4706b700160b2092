import { DataSourceError } from '../../http/coded-error.ts';
import { HttpFailure, retryAfterMs, send } from '../../http/fetch-json.ts';
import { discard } from '../../http/read-body.ts';
import { type AllowedHosts, addressProblem } from './allowed-hosts.ts';
import { type ReadListingOptions, readListing } from './read-listing.ts';

/** The host could not be read; `message` says why in our own words and is fit for the report. */
export class HostKbError extends DataSourceError {
  /** Whether another attempt may help. */
  readonly isPassing: boolean;
  /** Whether a smaller page may be read. */
  readonly isTooLarge: boolean;
  /** Retry-After of the host. */
  readonly retryAfterMs: number | undefined;

  constructor(
    problem: string,
    { isPassing = false, isTooLarge = false, retryAfterMs, cause }: HostKbErrorOptions = {},
  ) {
    super(`Cannot read the article list: ${problem}`, { cause });
    this.isPassing = isPassing;
    this.isTooLarge = isTooLarge;
    this.retryAfterMs = retryAfterMs;
  }
}

interface HostKbErrorOptions {
  isPassing?: boolean;
  isTooLarge?: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export interface FetchHostOptions extends Omit<ReadListingOptions, 'signal'> {
  fetch: typeof fetch;
  allowed: AllowedHosts;
  /** Sent to the configured origin only. */
  token?: { origin: string; value: string } | undefined;
  timeoutMs: number;
  now: () => number;
}

const MAX_REDIRECTS = 3;

/**
 * Fetches a page of articles from a host: allowed addresses only, checked again at every redirect; at most three redirects; one
 * deadline for all of it, the body included; a limit on the size of the body, which is read as a stream.
 *
 * @returns The members beside the articles, as `readListing` gives them.
 * @throws {HostKbError} When there is no such page, or it breaks off.
 */
export const fetchHostListing = async (
  address: URL,
  options: FetchHostOptions,
): Promise<{ members: Record<string, unknown>; url: URL; headers: Headers }> => {
  const signal = AbortSignal.timeout(options.timeoutMs);
  try {
    const { response, url } = await follow(address, options, signal);
    checkResponse(response, options.now());
    return { members: await readListing(response, { ...options, signal }), url, headers: response.headers };
  } catch (error) {
    throw error instanceof HttpFailure ? hostErrorOf(error, options) : error;
  }
};

const follow = async (address: URL, options: FetchHostOptions, signal: AbortSignal) => {
  let url = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const problem = addressProblem(url, options.allowed);
    if (problem) throw new HostKbError(`the address ${problem}`);
    const response = await send(url, { fetch: options.fetch, headers: headersFor(url, options), signal });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return { response, url };
    discard(response.body);
    if (!URL.canParse(location, url)) throw new HostKbError('a redirect leads to no address');
    url = new URL(location, url);
  }
  throw new HostKbError(`more than ${MAX_REDIRECTS} redirects`);
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const headersFor = (url: URL, { token }: FetchHostOptions): Record<string, string> => ({
  Accept: 'application/json',
  'User-Agent': 'constellation-library',
  ...(token?.origin === url.origin ? { Authorization: `Bearer ${token.value}` } : {}),
});

const checkResponse = ({ status, headers, body }: Response, now: number): void => {
  const type = headers.get('content-type') ?? '';
  if (status === 200 && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  discard(body);
  if (status === 200) throw new HostKbError('the answer is not JSON by its content type');
  const isPassing = status === 408 || status === 429 || status >= 500;
  throw new HostKbError(`status is ${status}`, { isPassing, retryAfterMs: retryAfterMs(headers, now) });
};

const hostErrorOf = (cause: HttpFailure, { timeoutMs, maxBytes }: FetchHostOptions): HostKbError => {
  if (cause.kind === 'too-large')
    return new HostKbError(`a page is larger than ${maxBytes} bytes`, { isTooLarge: true, cause });
  // A body that is no JSON has as a rule been cut off with its connection.
  if (cause.kind === 'not-json') return new HostKbError('the answer is cut off or no JSON', { isPassing: true, cause });
  const problem = cause.kind === 'timeout' ? `no answer within ${timeoutMs} ms` : 'the host cannot be reached';
  return new HostKbError(problem, { isPassing: true, cause });
};
