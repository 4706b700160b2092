/** Where a service that speaks OpenAI's protocol is reached. */
export interface OpenAIServiceConfig {
  /** Goes out in a header and nowhere else. */
  apiKey: string;
  /** Up to and with the version, over HTTPS but on one's own machine; `https://api.openai.com/v1` when absent. */
  baseURL?: string | undefined;
  fetch?: typeof fetch | undefined;
  /** For one request with its repeat and the wait between them; 1 to 600,000. */
  timeoutMs?: number | undefined;
  now?: (() => number) | undefined;
}

/** As `EmbeddingFailure` has it. */
export type ServiceFailure = 'refused' | 'rate_limited' | 'unavailable' | 'malformed' | 'aborted';

export type ServiceReply =
  | { ok: true; json: unknown }
  /** `problem` is in our own words and holds nothing that was sent or received. `retryAfterMs` is at most a minute. */
  | { ok: false; reason: ServiceFailure; problem: string; retryAfterMs?: number | undefined };

export interface PostOptions {
  /** Gives up the request, its repeat and the wait. */
  signal?: AbortSignal | undefined;
  /** Of the answer. */
  maxBytes: number;
  /** How often it is sent again after a failure that may pass. */
  retries: 0 | 1;
}

export interface OpenAIService {
  /** Sends JSON to a path such as `/embeddings`. Never throws. */
  post(path: string, body: unknown, options: PostOptions): Promise<ServiceReply>;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const MAX_TIMEOUT_MS = 600_000;
const MAX_REQUEST_CHARACTERS = 4 * 1024 * 1024;

/**
 * The transport of every adapter that speaks OpenAI's protocol. In its place the official client would be 84 KiB of each
 * bundle, takes an answer of the wrong type for a text and a broken stream for a whole one, and reads the environment.
 *
 * @throws {RangeError} When the key cannot stand in a header, the address is none, or the time is out of range.
 */
export const openAIService = (config: OpenAIServiceConfig, defaultTimeoutMs: number): OpenAIService => {
  const { apiKey, baseURL = DEFAULT_BASE_URL, fetch = globalThis.fetch, now = Date.now } = config;
  const { timeoutMs = defaultTimeoutMs } = config;
  // A header that cannot be set is an error that quotes it.
  if (!/^[\x21-\x7e]{1,1000}$/.test(apiKey)) throw new RangeError('apiKey is empty, too long or no token');
  if (!isAddress(baseURL)) throw new RangeError('baseURL is no HTTP address without query, user and fragment');
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS)) throw new RangeError('timeoutMs is not 1 to 600,000');
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    Accept: 'application/json',
    'Content-Type': 'application/json',
  };
  const post: OpenAIService['post'] = async (path, body, { signal, maxBytes, retries }) => {
    const text = JSON.stringify(body);
    if (text.length > MAX_REQUEST_CHARACTERS) return refused('the request is too large');
    const limit = startLimit(timeoutMs, signal);
    if (signal?.aborted === true) return limit.ended;
    const request = { method: 'POST', headers, body: text, redirect: 'manual', signal: limit.signal } as const;
    const url = `${baseURL.replace(/\/+$/, '')}${path}`;
    const send = () => attempt(() => fetch(url, request), { maxBytes, now });
    try {
      const first = await Promise.race([send(), limit.ended]);
      if (first.ok || retries === 0 || first.waitMs === undefined) return replyOf(first);
      await Promise.race([pause(first.waitMs, limit.signal), limit.ended]);
      return replyOf(await Promise.race([limit.signal.aborted ? limit.ended : send(), limit.ended]));
    } finally {
      limit.clear();
    }
  };
  return { post };
};

const isAddress = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@]/.test(address);
};

type Failed = Extract<ServiceReply, { ok: false }>;
/** `waitMs` is there when another attempt may help. */
type Attempt = { ok: true; json: unknown } | (Failed & { waitMs?: number | undefined });

const replyOf = (tried: Attempt): ServiceReply => {
  if (tried.ok) return tried;
  const { ok, reason, problem, retryAfterMs } = tried;
  return { ok, reason, problem, retryAfterMs };
};

/** Without a word of the service about it, as its own client does at first. */
const WAIT_MS = 400;
/** A longer wait is for whoever asked to decide upon. */
const MAX_WAIT_MS = 2000;
const MAX_RETRY_AFTER_MS = 60_000;

const attempt = async (
  send: () => Promise<Response>,
  { maxBytes, now }: { maxBytes: number; now: () => number },
): Promise<Attempt> => {
  try {
    const response = await send();
    if (!response.ok) return await failureOf(response, now());
    if (!isJson(response)) {
      discard(response);
      return malformed('the answer is not JSON by its content type');
    }
    const bytes = await readBytes(response, maxBytes);
    if (bytes === undefined) return malformed('the answer is too large');
    const json = parse(bytes);
    return json === undefined ? malformed('the answer is no JSON') : { ok: true, json };
  } catch (error) {
    return { ...unavailable(`it cannot be reached${networkCodeOf(error)}`), waitMs: WAIT_MS };
  }
};

const refused = (problem: string) => ({ ok: false, reason: 'refused', problem }) as const;
const malformed = (problem: string) => ({ ok: false, reason: 'malformed', problem }) as const;
const unavailable = (problem: string) => ({ ok: false, reason: 'unavailable', problem }) as const;

/** 429 stands for too many requests, which passes, and for a quota that is used up, which does not. */
const failureOf = async (response: Response, now: number): Promise<Attempt> => {
  const { status, headers } = response;
  const isLimit = status === 429;
  const isUsedUp = isLimit && (await saysQuotaIsUsedUp(response));
  if (!isLimit) discard(response);
  if (isUsedUp) return refused('the quota is used up');
  const isPassing = isLimit || status === 408 || status >= 500;
  const askedMs = retryAfterOf(headers, now);
  const waitMs = askedMs ?? WAIT_MS;
  const word = headers.get('x-should-retry');
  const isWorthIt = waitMs <= MAX_WAIT_MS && (word === 'true' || (isPassing && word !== 'false'));
  return {
    ok: false,
    reason: isLimit ? 'rate_limited' : isPassing ? 'unavailable' : 'refused',
    problem: `status is ${status}`,
    retryAfterMs: askedMs === undefined ? undefined : Math.min(askedMs, MAX_RETRY_AFTER_MS),
    waitMs: isWorthIt ? waitMs : undefined,
  };
};

const MAX_ERROR_BYTES = 65_536;

const saysQuotaIsUsedUp = async (response: Response): Promise<boolean> => {
  const bytes = await readBytes(response, MAX_ERROR_BYTES).catch(() => undefined);
  // As code or as type, wherever a compatible service puts it.
  return /"(?:code|type)"\s*:\s*"insufficient_quota"/.test(new TextDecoder().decode(bytes));
};

/** Milliseconds by OpenAI's own header, or seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const milliseconds = headers.get('retry-after-ms')?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  // By its weekday: on its own `Date.parse` takes -5 for a year.
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

const discard = ({ body }: Response): void => void body?.cancel().catch(() => undefined);

/** @returns `undefined` when there are more. */
const readBytes = async (response: Response, maxBytes: number): Promise<Uint8Array | undefined> => {
  const { body, headers } = response;
  if (body === null) return new Uint8Array();
  if (Number(headers.get('content-length')) > maxBytes) {
    discard(response);
    return undefined;
  }
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length <= maxBytes) continue;
    void reader.cancel().catch(() => undefined);
    return undefined;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
};

/** What `fetch` throws may quote the address or a header: only a code of the system is kept. */
const networkCodeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
};

interface Limit {
  signal: AbortSignal;
  /** Resolves when the time is up or nobody waits any more: work need not listen to the signal. */
  ended: Promise<Failed & { waitMs?: undefined }>;
  clear(): void;
}

const startLimit = (timeoutMs: number, outer: AbortSignal | undefined): Limit => {
  const controller = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<Failed & { waitMs?: undefined }>();
  const giveUp = () => {
    resolve({ ok: false, reason: 'aborted', problem: 'nobody waits for it any more' });
    controller.abort();
  };
  const timer = setTimeout(() => {
    resolve(unavailable(`no answer within ${timeoutMs} ms`));
    controller.abort();
  }, timeoutMs);
  outer?.addEventListener('abort', giveUp, { once: true });
  const clear = () => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', giveUp);
  };
  if (outer?.aborted === true) {
    giveUp();
    clear();
  }
  return { signal: controller.signal, ended, clear };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
