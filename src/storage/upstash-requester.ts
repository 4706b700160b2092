import type { StoreFailure } from './store-unavailable.ts';
import { StoreUnavailable } from './store-unavailable.ts';
import { withinTime } from './within-time.ts';

export interface UpstashAccess {
  /** `https://…upstash.io`. */
  url: string;
  token: string;
  fetch?: typeof fetch | undefined;
  /** How long one request may take, its second attempt included; 10,000 when absent. */
  timeoutMs?: number | undefined;
}

/** What both SDKs take in place of their own HTTP client. */
interface UpstashRequester {
  request<T>(request: { path?: string[]; body?: unknown }): Promise<{ result?: T; error?: string }>;
}

/** The namespace was never written to. */
export class UnknownNamespace extends StoreUnavailable {}

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 50;
/** A thousand hits with a few fields, or 256 embeddings of 3,072 numbers, stay far below. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * The HTTP side of an Upstash SDK, in the place that the SDK provides for it.
 *
 * Their own client is not used, because it tells no status, so that a wrong token looks like an exhausted quota; takes a
 * time limit for the result when it is given a plain signal; repeats five times over 4.3 seconds; puts the command with
 * its values into its messages; and reads replies of any length. Here a call has one signal and one end, a second attempt
 * only after a connection that failed, and errors that name nothing but the status. Every request must bear repeating.
 *
 * @param what What is done, for messages: `search vectors`.
 * @throws {RangeError} For an address or a token that cannot be one. The message names neither.
 */
export const upstashRequester = (
  access: UpstashAccess,
  { what, signal }: { what: string; signal?: AbortSignal | undefined },
): UpstashRequester => {
  const { url, token, timeoutMs = TIMEOUT_MS } = access;
  const base = baseOf(url);
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw new RangeError('the token of Upstash cannot be one');
  const send = async (address: string, init: RequestInit): Promise<Response> => {
    // Called as a plain function: workerd refuses a `fetch` that is called as a method of something else.
    const { fetch: send = fetch } = access;
    try {
      return await send(address, init);
    } catch (error) {
      init.signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      init.signal?.throwIfAborted();
      return await send(address, init).catch(() => {
        throw new StoreUnavailable('unavailable', `Cannot ${what}: no connection`, { cause: error });
      });
    }
  };
  return {
    request: <T>({ path = [], body }: { path?: string[]; body?: unknown }) => {
      const init: RequestInit = {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // The token goes to nobody else.
        redirect: 'manual',
      };
      const ask = async (ending: AbortSignal): Promise<{ result?: T; error?: string }> => {
        const response = await send([base, ...path].join('/'), { ...init, signal: ending });
        const text = await readText(response, what);
        if (!response.ok) throw refusal(response.status, { text, what });
        // The SDK's types say what each command gives; the adapters look at it again.
        return parsed(text, what) as { result?: T; error?: string };
      };
      return withinTime(ask, { what, timeoutMs, signal });
    },
  };
};

const baseOf = (url: string): string => {
  const parsed = URL.parse(url);
  const isBase = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isBase || parsed.search || parsed.hash || parsed.username)
    throw new RangeError('the URL of Upstash cannot be one');
  return url.replace(/\/+$/, '');
};

const readText = async ({ body }: Response, what: string): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  try {
    for await (const part of body ?? []) {
      length += part.length;
      if (length > MAX_REPLY_BYTES) break;
      text += decoder.decode(part, { stream: true });
    }
  } catch (error) {
    throw new StoreUnavailable('unavailable', `Cannot ${what}: the reply was cut off`, { cause: error });
  }
  if (length > MAX_REPLY_BYTES) throw new StoreUnavailable('malformed', `Cannot ${what}: the reply is too long`);
  return text + decoder.decode();
};

const refusal = (status: number, { text, what }: { text: string; what: string }): StoreUnavailable => {
  const message = `Cannot ${what}: status is ${status}`;
  if (status === 404 && /"error"\s*:\s*"Namespace /.test(text)) return new UnknownNamespace('refused', message);
  return new StoreUnavailable(failureOf(status), message);
};

const failureOf = (status: number): StoreFailure => {
  if (status === 429) return 'rate_limited';
  return status >= 500 || status === 408 ? 'unavailable' : 'refused';
};

const parsed = (text: string, what: string): unknown => {
  try {
    const reply: unknown = JSON.parse(text);
    if (typeof reply === 'object' && reply !== null) return reply;
  } catch {
    // Said below, without what could not be parsed.
  }
  throw new StoreUnavailable('malformed', `Cannot ${what}: the reply is not of a known form`);
};
