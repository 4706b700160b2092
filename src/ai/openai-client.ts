import type OpenAI from 'openai';
import { boundedFetch, isPassing } from './bounded-fetch.ts';
import {
  type Refusal,
  type RefusalReason,
  readRefusal,
  readServiceError,
  type ServiceError,
} from './service-refusal.ts';

/** A service that speaks OpenAI's protocol. */
export interface OpenAIConfig {
  /** Sent in a header and nowhere else. `undefined`, as an unset variable is, is refused like an empty one. */
  apiKey: string | undefined;
  /**
   * Up to and including the version; `https://api.openai.com/v1` when absent. A version that is missing is tried, and a dated API of Azure
   * is named in the query (`?api-version=2024-10-21`).
   */
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

type ServiceReply =
  /** Not validated: the types of the client are what the service promises. */
  { ok: true; value: unknown } | FailedReply;

export interface FailedReply {
  ok: false;
  reason: ServiceFailure;
  /** Contains nothing that was received, and of what was sent at most names of parameters. */
  problem: string;
  /** What the service refuses, where it says so. */
  why?: RefusalReason | undefined;
  /** How the service answered, when it answered with an error. */
  refusal?: Refusal | undefined;
  /** At most a minute. */
  retryAfterMs?: number | undefined;
}

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
export function openAICaller(
  {
    apiKey,
    baseURL = DEFAULT_BASE_URL,
    fetch = globalThis.fetch,
    now = Date.now,
    ...config
  }: OpenAIConfig,
  {
    model,
    timeoutMs: defaultTimeoutMs,
    isChat = false,
  }: { model: string; timeoutMs: number; isChat?: boolean },
): CallOpenAI {
  const { timeoutMs = defaultTimeoutMs } = config;
  // Validated here because the error for an invalid header quotes its value.
  check('apiKey', isToken(apiKey));
  check('model', isToken(model));
  check('baseURL', isAddress(baseURL));
  check('timeoutMs', timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS);
  const addresses = serviceAddresses(baseURL, { keepsDeployment: isChat });
  /** The address that is known to be right, once there are several. */
  let known: ServiceAddress | undefined;
  return async (request, { signal, maxBytes, retries }) => {
    const { openAILibrary: library } = await import('./openai-library.ts');
    const deadline = AbortSignal.timeout(timeoutMs);
    const endsAtMs = now() + timeoutMs;
    const signals = AbortSignal.any(signal === undefined ? [deadline] : [deadline, signal]);
    const send = async (address: ServiceAddress): Promise<ServiceReply> => {
      const client = clientFor(library, address, {
        apiKey: apiKey ?? '',
        timeout: timeoutMs,
        maxRetries: retries,
        fetch: boundedFetch(fetch, { maxBytes, endsAtMs, now }),
        // A key must not follow a redirect to another address.
        fetchOptions: { redirect: 'manual' },
        // Otherwise read from the environment, which in a Worker contains its bindings.
        organization: null,
        project: null,
        logLevel: 'off',
      });
      try {
        return { ok: true, value: await request(client, { signal: signals }) };
      } catch (error) {
        if (signal?.aborted) return failed('aborted', 'the caller has given up');
        if (deadline.aborted || error instanceof library.APIConnectionTimeoutError)
          return failed('unavailable', `no answer within ${timeoutMs} ms`);
        if (error instanceof library.APIConnectionError)
          return failed('unavailable', `it cannot be reached${networkCodeOf(error)}`);
        const refused = serviceErrorOf(error);
        // The client throws errors of other classes, which quote the reply, for a body that it cannot parse or decode.
        return refused === undefined
          ? failed('malformed', 'the reply cannot be parsed')
          : failureOf(refused, error);
      }
    };
    let reply = await send(known ?? addresses[0]);
    if (known !== undefined || reply.ok || reply.why !== 'address') return reply;
    for (const address of addresses.slice(1)) {
      const other = await send(address);
      if (!other.ok && other.why === 'address') continue;
      reply = other;
      // Whatever it refuses, it is an endpoint.
      if (other.ok || other.reason === 'refused') known = address;
    }
    return reply;
  };
}

type Library = typeof import('./openai-library.ts').openAILibrary;
type ClientOptions = Required<
  Pick<
    NonNullable<ConstructorParameters<Library['OpenAI']>[0]>,
    'timeout' | 'maxRetries' | 'fetch' | 'fetchOptions' | 'organization' | 'project' | 'logLevel'
  >
> & { apiKey: string };

const clientFor = (
  library: Library,
  { baseURL, apiVersion, deployment }: ServiceAddress,
  options: ClientOptions,
): OpenAI => {
  const bare = { ...options, adminAPIKey: null, webhookSecret: null, baseURL };
  if (apiVersion === undefined) return new library.OpenAI(bare);
  return new library.AzureOpenAI({
    ...bare,
    apiVersion,
    ...(deployment === undefined ? {} : { deployment }),
  });
};

/** An error of a service within a stream, for `throw`: it is read like one of the client. */
export class StreamedError extends Error {
  override readonly name = 'StreamedError';
  readonly status: number;
  /** As `boundedFetch` gives it to the client. */
  readonly error: { message: string; param?: string | undefined; code?: string | undefined };

  constructor(body: string) {
    const { status, words, param, code } = readServiceError(200, body);
    super('the stream holds an error');
    this.status = status;
    this.error = { message: words, param, code };
  }
}

/** What a service said, from an error of the client; undefined for other errors. */
export function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number')
    return undefined;
  // The body that `boundedFetch` or `StreamedError` has made; absent for a request that was not sent.
  const body =
    'error' in error ? (error.error as Partial<StreamedError['error']> | undefined) : undefined;
  return { status: error.status, words: body?.message ?? '', param: body?.param, code: body?.code };
}

const check = (name: string, isRight: boolean): void => {
  if (!isRight) throw new RangeError(`${name} cannot be right`);
};

const isToken = (text = ''): boolean => /^[\x21-\x7e]{1,1000}$/.test(text);

/** Without user and fragment; the query may have the version of Azure's API. */
const isAddress = (address: string): boolean =>
  /^https?:\/\/[^?#@\s]+(?:\?api-version=[\w.-]{1,40})?$/.test(address) && URL.canParse(address);

const failed = (reason: ServiceFailure, problem: string): FailedReply => ({
  ok: false,
  reason,
  problem,
});

const MAX_RETRY_AFTER_MS = 60_000;

const failureOf = (refused: ServiceError, error: unknown): FailedReply => {
  const { status } = refused;
  const refusal = readRefusal(refused, PARAMETERS);
  const { why, named } = refusal;
  // A quota is refused with the status of a limit that passes, and a long input by some with that of a fault.
  const isFinal = why === 'quota' || (why === 'length' && status !== 429);
  const reason = isFinal
    ? 'refused'
    : status === 429
      ? 'rate_limited'
      : isPassing(status)
        ? 'unavailable'
        : 'refused';
  const headers = error instanceof Error && 'headers' in error ? error.headers : undefined;
  const retryAfter = headers instanceof Headers ? headers.get('retry-after-ms') : null;
  const retryAfterMs =
    retryAfter === null ? undefined : Math.min(Number(retryAfter), MAX_RETRY_AFTER_MS);
  if (reason !== 'refused' || why === undefined)
    return { ok: false, reason, problem: `status is ${status}`, refusal, retryAfterMs };
  const which = why === 'parameters' && named.length > 0 ? ` (${named.join(', ')})` : '';
  return {
    ok: false,
    reason,
    problem: `${REFUSED[why]}${which}: status is ${status}`,
    why,
    refusal,
    retryAfterMs,
  };
};

const REFUSED: Readonly<Record<RefusalReason, string>> = {
  key: 'the key is refused',
  quota: 'the quota is used up',
  model: 'there is no such model, or not for this key',
  address: 'there is no such endpoint',
  length: 'the input is too long for the model',
  content: 'the content is refused',
  parameters: 'a parameter is refused',
};

/** Parameters that requests may have. */
const PARAMETERS = [
  ...[
    'store',
    'temperature',
    'max_tokens',
    'max_completion_tokens',
    'response_format',
    'stream',
    'stream_options',
  ],
  ...['reasoning_effort', 'dimensions', 'encoding_format', 'messages'],
];

/** Errors of `fetch` may quote the address or a header; only a code of the operating system is repeated. */
const networkCodeOf = (error: Error): string => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return ` (${code})`;
  }
  return '';
};

/** An address that requests to a service go to. */
interface ServiceAddress {
  /** Without a slash at its end. */
  baseURL: string;
  /** Only for a dated API of Azure: its client sends the key in a header of its own, and names the deployment in the path. */
  apiVersion?: string | undefined;
  /** The deployment that the address names; otherwise the model is one. */
  deployment?: string | undefined;
}

/**
 * The addresses to try, in order: as given, without an endpoint that was pasted along, and with `/v1` where the address names no version.
 * An address of Azure without a version means its v1 API, one of a deployment the last dated API.
 *
 * @param baseURL Checked: an http address, its query `?api-version=` or none.
 * @param options.keepsDeployment A deployment in the address is meant. It is one of a chat model, so embeddings do without.
 */
function serviceAddresses(
  baseURL: string,
  { keepsDeployment }: { keepsDeployment: boolean },
): [ServiceAddress, ...ServiceAddress[]] {
  const url = new URL(baseURL);
  const path = url.pathname.replace(/\/+$/, '').replace(ENDPOINT, '');
  const version = url.searchParams.get('api-version') ?? undefined;
  const isAzure = AZURE.test(url.hostname);
  const [, before = '', deployment] = /^(.*)\/deployments\/([^/]+)$/.exec(path) ?? [];
  if (deployment !== undefined && (isAzure || version !== undefined)) {
    const named = keepsDeployment ? { deployment: decodeURIComponent(deployment) } : {};
    return [
      { baseURL: `${url.origin}${before}`, apiVersion: version ?? LAST_DATED_VERSION, ...named },
    ];
  }
  if (version !== undefined && !/\/v\d/.test(path))
    return [{ baseURL: `${url.origin}${path === '' ? '/openai' : path}`, apiVersion: version }];
  if (isAzure && (path === '' || path === '/openai'))
    return [{ baseURL: `${url.origin}/openai/v1` }];
  const given = { baseURL: `${url.origin}${path}` };
  return /\/v\d/.test(path) ? [given] : [given, { baseURL: `${given.baseURL}/v1` }];
}

const ENDPOINT = /\/(?:chat\/completions|completions|embeddings|responses|models)$/;
const AZURE = /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$/;
/** The last dated version of Azure's API that is generally available; the v1 API has followed it. */
const LAST_DATED_VERSION = '2024-10-21';
