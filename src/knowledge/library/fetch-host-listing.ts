import { JSONParser } from '@streamparser/json';
import { CodedError, DataSourceError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { HttpFailure, retryAfterMs, send } from '../../platform/http/fetch-json.ts';
import { discard } from '../../platform/http/read-body.ts';

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

interface FetchHostOptions extends Omit<ReadListingOptions, 'signal'> {
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
export async function fetchHostListing(
  address: URL,
  options: FetchHostOptions,
): Promise<{ members: Record<string, unknown>; url: URL; headers: Headers }> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  try {
    const { response, url } = await follow(address, options, signal);
    checkResponse(response, options.now());
    return {
      members: await readListing(response, { ...options, signal }),
      url,
      headers: response.headers,
    };
  } catch (error) {
    throw error instanceof HttpFailure ? hostErrorOf(error, options) : error;
  }
}

const follow = async (address: URL, options: FetchHostOptions, signal: AbortSignal) => {
  let url = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const problem = addressProblem(url, options.allowed);
    if (problem) throw new HostKbError(`the address ${problem}`);
    const response = await send(url, {
      fetch: options.fetch,
      headers: headersFor(url, options),
      signal,
    });
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
  throw new HostKbError(`status is ${status}`, {
    isPassing,
    retryAfterMs: retryAfterMs(headers, now),
  });
};

const hostErrorOf = (
  cause: HttpFailure,
  { timeoutMs, maxBytes }: FetchHostOptions,
): HostKbError => {
  if (cause.kind === 'too-large')
    return new HostKbError(`a page is larger than ${maxBytes} bytes`, { isTooLarge: true, cause });
  // A body that is no JSON has as a rule been cut off with its connection.
  if (cause.kind === 'not-json')
    return new HostKbError('the answer is cut off or no JSON', { isPassing: true, cause });
  const problem =
    cause.kind === 'timeout' ? `no answer within ${timeoutMs} ms` : 'the host cannot be reached';
  return new HostKbError(problem, { isPassing: true, cause });
};

interface ReadListingOptions {
  /** Limit of the body. */
  maxBytes: number;
  signal: AbortSignal;
  /** Called with each member of `articles` as soon as it is complete; nothing here keeps it. */
  onArticle: (article: unknown) => void;
}

/** The members that say how a listing goes on. */
const PATHS = ['$.articles.*', '$.articles', '$.total', '$.updated_at', '$.next_cursor'];

/**
 * Reads a page of articles while it arrives: of the body, no more than a network packet and the article that is being read are in memory.
 *
 * @returns The members beside the articles, unvalidated; `articles` is what is left of the list: an empty array.
 * @throws {HttpFailure} `timeout`, `broken-off`, `too-large`, or `not-json` when the body is cut off or no JSON object.
 */
export async function readListing(
  { body }: Response,
  { maxBytes, signal, onArticle }: ReadListingOptions,
): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {};
  const parser = new JSONParser({ paths: PATHS, stringBufferSize: STRING_BUFFER_BYTES });
  parser.onValue = ({ value, key, parent, stack }) => {
    if (stack.length === 1 && typeof key === 'string') members[key] = value;
    if (stack.length !== 2) return;
    onArticle(value);
    // The parser keeps a list whose own end is reported; its length is not read again.
    if (Array.isArray(parent)) parent.length = 0;
  };
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let length = 0;
  if (body === null) throw cutOff();
  const reader = body.getReader();
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      const { value } = await withDeadline(() => reader.read(), {
        signal,
        errorFor: () => timedOut(),
      });
      return value;
    } catch (cause) {
      throw signal.aborted
        ? timedOut(cause)
        : new HttpFailure('broken-off', 'the reply broke off', { cause });
    }
  };
  try {
    for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
      length += bytes.length;
      if (length > maxBytes)
        throw new HttpFailure('too-large', `the reply has more than ${maxBytes} bytes`);
      try {
        // The parser replaces bytes that are no UTF-8; this refuses them.
        decoder.decode(bytes, { stream: true });
        parser.write(bytes);
      } catch (cause) {
        throw cause instanceof CodedError ? cause : cutOff(cause);
      }
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    reader.releaseLock();
  }
  if (!parser.isEnded) throw cutOff();
  return members;
}

const STRING_BUFFER_BYTES = 65_536;

const cutOff = (cause?: unknown) =>
  new HttpFailure('not-json', 'the reply is cut off or no JSON', { cause });

const timedOut = (cause?: unknown) => new HttpFailure('timeout', 'no answer in time', { cause });

/** Hosts that a knowledge base may be read from. */
export interface AllowedHosts {
  /** `host` or `host:port`, as they stand in an address. */
  hosts: readonly string[];
  /** Allows plain http, IP addresses and local names such as `localhost`: development only. */
  allowsLocal: boolean;
}

/**
 * Checks an address before each fetch, redirects included: on the list, https on its default port, a public name, no
 * credentials.
 *
 * @returns What is wrong with it, to follow the words `the address`; `undefined` if it is allowed.
 */
export function addressProblem(url: URL, { hosts, allowsLocal }: AllowedHosts): string | undefined {
  if (url.username !== '' || url.password !== '') return 'holds credentials';
  if (!hosts.includes(url.host)) return 'is of a host that is not allowed';
  if (url.protocol !== 'https:' && !(allowsLocal && url.protocol === 'http:'))
    return 'is not https';
  if (allowsLocal) return undefined;
  if (url.port !== '') return 'has a port';
  return isPublicName(url.hostname) ? undefined : 'is not of a public name';
}

/** A name with a dot that is not an IP address and not in a private network. */
const isPublicName = (name: string): boolean =>
  name.includes('.') &&
  !name.startsWith('[') &&
  !/^[\d.]+$/.test(name) &&
  !/\.(?:internal|local|localhost)\.?$/.test(name);
