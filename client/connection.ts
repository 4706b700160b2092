import { BUSY, ConstellationError, errorOfReply, isObject } from './constellation-error.ts';

/**
 * The address of a deployment, and how it is called.
 *
 * @example
 * const options: ClientOptions = {
 *   url: 'https://answers.example.com',
 *   key: async () => (await fetch('/token')).text(),
 *   workspace: 'acme',
 *   retries: 0,
 * };
 */
export interface ClientOptions {
  /** Address of the gateway: `http://127.0.0.1:8787`. */
  url: string | URL;
  /** An API key, or a function that gives a token for each attempt. */
  key?: string | (() => string | Promise<string>) | undefined;
  /** One of the workspaces of the key; the first of them when absent. */
  workspace?: string | undefined;
  /** Named in kept answers and statistics; `client` when absent. */
  interface?: string | undefined;
  /** Sends the requests; the platform's own when absent. */
  fetch?: typeof fetch | undefined;
  /** For a whole call with its retries, in milliseconds; 60,000 when absent. A stream has ended by then, too. */
  timeoutMs?: number | undefined;
  /** Further attempts of what may be repeated, 0 to 10; 2 when absent. */
  retries?: number | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  workspace?: string | undefined;
}

/** What a member of a reply has to be; `objects` is a list of them. A member that ends with `?` may be absent. */
export type Expected = Readonly<Record<string, 'objects' | 'object' | 'string' | 'number'>>;

interface Call extends CallOptions {
  query?: object | undefined;
  body?: unknown;
  /** False for what would be done twice: only an attempt that was refused at the door is repeated. */
  isRepeatable?: boolean | undefined;
}

/** A reply whose body is still to be read, under the deadline of its call. */
export interface Opened {
  response: Response;
  signal: AbortSignal;
  /** What broke it off: the caller, the deadline or the connection. */
  failure(cause: unknown): ConstellationError;
}

/** Sends requests such as `POST /v1/ask`. */
export interface Connection {
  json<Reply>(route: string, expected: Expected, call?: Call): Promise<Reply>;
  /** For replies without a body. */
  done(route: string, call?: Call): Promise<void>;
  /** A reply to be read as it arrives; retries end when it begins. */
  open(route: string, accept: string, call: Call): Promise<Opened>;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 2;
const MAX_RETRIES = 10;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** A full page of the largest articles is shorter. */
const MAX_REPLY_BYTES = 33_554_432;
const JSON_TYPE = 'application/json';

/** @throws {ConstellationError} `INVALID_QUERY` when the address is none. */
export function connect({
  url,
  key,
  fetch = globalThis.fetch,
  interface: through = 'client',
  ...defaults
}: ClientOptions): Connection {
  const base = baseOf(url);
  /** One attempt. */
  const attempt = async <T>(
    address: URL,
    { init, signal, read, failure }: Attempt<T>,
  ): Promise<T | { refused: ConstellationError; waitMs: number | undefined }> => {
    try {
      const token = typeof key === 'function' ? await key() : key;
      if (token !== undefined) init.headers.authorization = `Bearer ${token}`;
      // A redirect would hand on the question; the address has to be right. Workers know no `redirect: 'error'`.
      const response = await fetch(address.href, { ...init, redirect: 'manual', signal });
      if (response.ok) return await read({ response, signal, failure });
      const text = await readText(response, MAX_REPLY_BYTES);
      const reply = {
        status: response.status,
        requestId: response.headers.get('x-request-id') ?? undefined,
      };
      return { refused: errorOfReply(jsonOf(text), reply), waitMs: retryAfterMs(response.headers) };
    } catch (cause) {
      return { refused: failure(cause), waitMs: undefined };
    }
  };
  const run = async <T>(
    route: string,
    { accept, read, ...call }: Call & { accept: string; read: (opened: Opened) => Promise<T> },
  ): Promise<T> => {
    const {
      signal: caller,
      timeoutMs = TIMEOUT_MS,
      retries = RETRIES,
      workspace,
    } = { ...defaults, ...defined(call) };
    const [method = 'GET', path = ''] = route.split(' ');
    const address = addressOf(base, path, { workspace_id: workspace, ...call.query });
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = caller === undefined ? deadline : AbortSignal.any([caller, deadline]);
    const endsAt = Date.now() + timeoutMs;
    const failure = (cause: unknown): ConstellationError => {
      if (cause instanceof ConstellationError) return cause;
      if (caller?.aborted)
        return new ConstellationError('ABORTED', 'The call was aborted', { cause });
      if (signal.aborted) {
        const message = `There was no whole reply within ${timeoutMs} ms`;
        return new ConstellationError('TIMEOUT', message, { cause, retryable: true });
      }
      const message = `Cannot reach ${base.origin}, or the connection broke off`;
      return new ConstellationError('UNREACHABLE', message, { cause, retryable: true });
    };
    for (let left = Math.min(retries, MAX_RETRIES), number = 0; ; left -= 1, number += 1) {
      const headers: Record<string, string> = { accept, 'constellation-interface': through };
      if (call.body !== undefined) headers['content-type'] = JSON_TYPE;
      const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
      const result = await attempt(address, {
        init: { method, headers, ...body },
        signal,
        read,
        failure,
      });
      if (!isRefused(result)) return result;
      const { refused, waitMs } = result;
      // A reply that was lost has deleted it.
      if (method === 'DELETE' && number > 0 && refused.code === 'NOT_FOUND') return undefined as T;
      const pauseMs = waitMs ?? backoffMs(number);
      const isWorthIt =
        left > 0 && !signal.aborted && mayHelp(refused, call) && Date.now() + pauseMs < endsAt;
      if (!isWorthIt) throw refused;
      await pause(pauseMs, signal).catch((cause: unknown) => {
        throw failure(cause);
      });
    }
  };
  return {
    json: (route, expected, call = {}) =>
      run(route, {
        ...call,
        accept: JSON_TYPE,
        read: async ({ response }) =>
          expect(jsonOf(await readText(response, MAX_REPLY_BYTES)), expected),
      }),
    done: (route, call = {}) =>
      run(route, {
        ...call,
        accept: JSON_TYPE,
        read: async ({ response }) => void (await response.body?.cancel()),
      }),
    open: (route, accept, call) => run(route, { ...call, accept, read: async (opened) => opened }),
  };
}

interface Attempt<T> {
  init: { method: string; headers: Record<string, string>; body?: string };
  signal: AbortSignal;
  read: (opened: Opened) => Promise<T>;
  failure: (cause: unknown) => ConstellationError;
}

const isRefused = (
  result: unknown,
): result is { refused: ConstellationError; waitMs: number | undefined } =>
  isObject(result) && result.refused instanceof ConstellationError;

/** `undefined` means absent, whatever `exactOptionalPropertyTypes` the caller compiles with. */
const defined = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Partial<T>; // fewer members

/** Refused at the door, or may be done twice and could succeed now. */
const mayHelp = (
  { code, status, retryable }: ConstellationError,
  { isRepeatable = true }: Call,
): boolean =>
  retryable && (status === 429 || (isRepeatable && (code === 'UNREACHABLE' || BUSY.has(status))));

const baseOf = (url: string | URL): URL => {
  const text = String(url);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new ConstellationError(
      'INVALID_QUERY',
      'Cannot use the address: it is no http or https address',
    );
  return new URL(text.endsWith('/') ? text : `${text}/`);
};

const addressOf = (base: URL, path: string, query: object): URL => {
  const address = new URL(path.slice(1), base);
  // A part `..` of an id would lead to another route.
  if (address.pathname !== base.pathname + path.slice(1))
    throw new ConstellationError('INVALID_QUERY', 'Cannot use the id: it has a part . or ..');
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value));
  return address;
};

/** Half of it is random, so that clients that failed together do not come back together. */
const backoffMs = (number: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** number, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
const retryAfterMs = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
};

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

export function invalidReply(why: string): ConstellationError {
  return new ConstellationError('INVALID_REPLY', `Cannot read the reply: ${why}`);
}

const readText = async ({ body }: Response, maxBytes: number): Promise<string> => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    left -= value.length;
    if (left < 0) {
      void reader.cancel().catch(() => {});
      throw invalidReply(`it has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
};

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object, when its members are what the caller reads. */
export function expect<Reply>(value: unknown, expected: Expected): Reply {
  if (!isObject(value)) throw invalidReply('it is no JSON object');
  for (const [member, type] of Object.entries(expected)) {
    const name = member.replace('?', '');
    if (name !== member && value[name] === undefined) continue;
    if (!IS[type](value[name]))
      throw invalidReply(`its member ${name} is not of the expected type`);
  }
  return value as Reply; // the members that are read have been checked
}

const IS: Record<Expected[string], (value: unknown) => boolean> = {
  objects: (value) => Array.isArray(value) && value.every(isObject),
  object: isObject,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
};
