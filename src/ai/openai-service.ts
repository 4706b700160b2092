/** Where a service that speaks OpenAI's protocol is reached. */
export interface OpenAIServiceConfig {
  /** Goes out in a header and nowhere else. Undefined, as an unset variable is, is refused like an empty one. */
  apiKey: string | undefined;
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

interface PostOptions {
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
 * @throws {RangeError} When the key cannot stand in a header, the address or the model is none, or the time is out of range.
 */
export const openAIService = (
  config: OpenAIServiceConfig,
  { model, timeoutMs: usualTimeoutMs }: { model: string; timeoutMs: number },
): OpenAIService => {
  const { apiKey, baseURL = DEFAULT_BASE_URL, fetch = globalThis.fetch, now = Date.now } = config;
  const { timeoutMs = usualTimeoutMs } = config;
  // A header that cannot be set is an error that quotes it.
  check('apiKey', isToken(apiKey));
  check('model', isToken(model));
  check('baseURL', isAddress(baseURL));
  check('timeoutMs', timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS);
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    Accept: 'application/json',
    'Content-Type': 'application/json',
  };
  const post: OpenAIService['post'] = async (path, body, { signal, maxBytes, retries }) => {
    const text = JSON.stringify(body);
    if (text.length > MAX_REQUEST_CHARACTERS) return failed('refused', 'the request is too large').reply;
    const limit = startLimit(timeoutMs, signal);
    const request = { method: 'POST', headers, body: text, redirect: 'manual', signal: limit.signal } as const;
    const url = `${baseURL.replace(/\/+$/, '')}${path}`;
    const send = () => limit.race(() => attempt(() => fetch(url, request), { maxBytes, now }));
    try {
      const { reply, waitMs } = await send();
      if (retries === 0 || waitMs === undefined) return reply;
      await limit.race(() => pause(waitMs, limit.signal));
      return (await send()).reply;
    } finally {
      limit.clear();
    }
  };
  return { post };
};

/** The value may be a secret. */
const check = (name: string, isRight: boolean): void => {
  if (!isRight) throw new RangeError(`${name} cannot be right`);
};

const isToken = (text = ''): boolean => /^[\x21-\x7e]{1,1000}$/.test(text);

/** Without query, user and fragment. */
const isAddress = (address: string): boolean => /^https?:\/\/[^?#@\s]+$/.test(address) && URL.canParse(address);

interface Attempt {
  reply: ServiceReply;
  /** When another attempt may help. */
  waitMs?: number | undefined;
}

const failed = (reason: ServiceFailure, problem: string): Attempt => ({ reply: { ok: false, reason, problem } });

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
      return failed('malformed', 'the answer is not JSON by its content type');
    }
    const text = await readText(response, maxBytes);
    return text === undefined ? failed('malformed', 'the answer is too large') : parse(text);
  } catch (error) {
    return { ...failed('unavailable', `it cannot be reached${networkCodeOf(error)}`), waitMs: WAIT_MS };
  }
};

const parse = (text: string): Attempt => {
  try {
    return { reply: { ok: true, json: JSON.parse(text) } };
  } catch {
    return failed('malformed', 'the answer is no JSON');
  }
};

/** 429 stands for too many requests, which passes, and for a quota that is used up, which does not. */
const failureOf = async (response: Response, now: number): Promise<Attempt> => {
  const { status, headers } = response;
  const isLimit = status === 429;
  const isUsedUp = isLimit && (await saysQuotaIsUsedUp(response));
  if (!isLimit) discard(response);
  if (isUsedUp) return failed('refused', 'the quota is used up');
  const isPassing = isLimit || status === 408 || status >= 500;
  const askedMs = retryAfterOf(headers, now);
  const waitMs = askedMs ?? WAIT_MS;
  const word = headers.get('x-should-retry');
  const isWorthIt = waitMs <= MAX_WAIT_MS && (word === 'true' || (isPassing && word !== 'false'));
  const reason = isLimit ? 'rate_limited' : isPassing ? 'unavailable' : 'refused';
  const retryAfterMs = askedMs === undefined ? undefined : Math.min(askedMs, MAX_RETRY_AFTER_MS);
  return {
    reply: { ok: false, reason, problem: `status is ${status}`, retryAfterMs },
    waitMs: isWorthIt ? waitMs : undefined,
  };
};

const MAX_ERROR_BYTES = 65_536;

const saysQuotaIsUsedUp = async (response: Response): Promise<boolean> => {
  const text = await readText(response, MAX_ERROR_BYTES).catch(() => undefined);
  // As code or as type, wherever a compatible service puts it.
  return /"(?:code|type)"\s*:\s*"insufficient_quota"/.test(text ?? '');
};

/** Milliseconds by OpenAI's own header, or seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const [milliseconds = '', value = ''] = ['retry-after-ms', 'retry-after'].map((name) => headers.get(name) ?? '');
  const isNumber = (text: string) => /^\d{1,9}(?:\.\d+)?$/.test(text);
  if (isNumber(milliseconds)) return Number(milliseconds);
  if (isNumber(value)) return Number(value) * 1000;
  // By its weekday: on its own `Date.parse` takes -5 for a year.
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

const discard = ({ body }: Response): void => void body?.cancel().catch(() => undefined);

/** @returns `undefined` when it is longer. What is no UTF-8 becomes U+FFFD. */
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

/** What `fetch` throws may quote the address or a header: only a code of the system is kept. */
const networkCodeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
};

interface Limit {
  signal: AbortSignal;
  /** Ends with the work, or as soon as the time is up or nobody waits any more: work need not listen to the signal. */
  race<T>(work: () => Promise<T>): Promise<T | Attempt>;
  clear(): void;
}

const startLimit = (timeoutMs: number, outer: AbortSignal | undefined): Limit => {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: ended, resolve } = Promise.withResolvers<Attempt>();
  const end = (attempt: Attempt) => {
    resolve(attempt);
    controller.abort();
  };
  const giveUp = () => end(failed('aborted', 'nobody waits for it any more'));
  const timer = setTimeout(() => end(failed('unavailable', `no answer within ${timeoutMs} ms`)), timeoutMs);
  outer?.addEventListener('abort', giveUp);
  if (outer?.aborted === true) giveUp();
  return {
    signal,
    race: (work) => (signal.aborted ? ended : Promise.race([work(), ended])),
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
    },
  };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
