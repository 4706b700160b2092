import { DataSourceError } from '../../runtime/error-info-of.ts';
import { readBody } from '../../runtime/read-body.ts';
import { type AllowedHosts, addressProblem } from './allowed-hosts.ts';

/** The host could not be read; `message` says why in our own words and is fit for the report. */
export class HostKbError extends DataSourceError {
  /** Whether another attempt may help. */
  readonly isPassing: boolean;
  /** What the host asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: string, { isPassing = false, retryAfterMs, cause }: HostKbErrorOptions = {}) {
    super(`Cannot read the article list: ${problem}`, { cause });
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }
}

interface HostKbErrorOptions {
  isPassing?: boolean;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export interface FetchHostOptions {
  fetch: typeof fetch;
  allowed: AllowedHosts;
  /** Sent to the configured origin only. */
  token?: { origin: string; value: string } | undefined;
  timeoutMs: number;
  maxBytes: number;
  now: () => number;
}

const MAX_REDIRECTS = 3;

/**
 * Fetches a JSON document from a host: allowed addresses only, at every redirect anew; at most three redirects, one time
 * limit over all of it, the body included; a bound on the body while it streams in.
 *
 * @throws {HostKbError} When there is no such document.
 */
export const fetchHostJson = async (
  address: URL,
  options: FetchHostOptions,
): Promise<{ json: unknown; url: URL; headers: Headers }> => {
  const signal = AbortSignal.timeout(options.timeoutMs);
  try {
    const { response, url } = await follow(address, options, signal);
    await checkResponse(response, options.now());
    const body = await readBody(response, options.maxBytes);
    if (body === undefined) throw new HostKbError(`a page is larger than ${options.maxBytes} bytes`);
    return { json: parse(body), url, headers: response.headers };
  } catch (cause) {
    if (cause instanceof HostKbError) throw cause;
    const problem = signal.aborted ? `no answer within ${options.timeoutMs} ms` : 'the host cannot be reached';
    throw new HostKbError(problem, { isPassing: true, cause });
  }
};

const follow = async (address: URL, options: FetchHostOptions, signal: AbortSignal) => {
  let url = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const problem = addressProblem(url, options.allowed);
    if (problem) throw new HostKbError(`the address ${problem}`);
    const response = await options.fetch(url, { headers: headersFor(url, options), redirect: 'manual', signal });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return { response, url };
    await response.body?.cancel();
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

const checkResponse = async (response: Response, now: number): Promise<void> => {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (status === 200 && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return;
  await response.body?.cancel();
  if (status === 200) throw new HostKbError('the answer is not JSON by its content type');
  const isPassing = status === 408 || status === 429 || status >= 500;
  throw new HostKbError(`status is ${status}`, { isPassing, retryAfterMs: retryAfterOf(headers, now) });
};

/** Seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

/** A body that breaks off is as a rule a connection that did. */
const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body));
  } catch (cause) {
    throw new HostKbError('the answer is cut off or no JSON', { isPassing: true, cause });
  }
};
