import { Redis } from '@upstash/redis/cloudflare';
import type * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { withDeadline } from '../http/deadline.ts';
import { readBody } from '../http/read-body.ts';
import { withRetries } from '../retry.ts';
import {
  type StoreFailure,
  type StoreOptions,
  StoreUnavailable,
  storeGivenUp,
} from './store-unavailable.ts';

export interface UpstashAccess {
  /** `https://…upstash.io`. */
  url: string;
  token: string;
  fetch?: typeof fetch | undefined;
  /** Limit of one call, its retry included; 10,000 when absent. */
  timeoutMs?: number | undefined;
}

/** What both SDKs accept in place of their own HTTP client. */
interface UpstashRequester {
  request<T>(request: { path?: string[]; body?: unknown }): Promise<{ result?: T; error?: string }>;
}

/** Makes one call of an SDK. @param what What is tried, for error messages: `search vectors`. @throws {StoreUnavailable} */
type UpstashCall = <T>(
  what: string,
  ask: (requester: UpstashRequester) => Promise<T>,
  options?: StoreOptions | undefined,
) => Promise<T>;

/** The namespace was never written to. */
class UnknownNamespace extends StoreUnavailable {}

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 50;
/** A thousand hits with a few fields, or 256 embeddings of 3,072 numbers, stay far below. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * The HTTP side of both SDKs, at the extension point that they offer for it: `new Index(requester)` and `redis.use(request)`.
 *
 * Their own HTTP client reports no status, so that a wrong token looks like an exhausted quota or an outage; it puts the command with its
 * values into error messages, and reads replies of any length. Here each call has a deadline and the caller's signal, one retry after
 * a failed connection, and errors that contain nothing but the status. Every request must be safe to repeat.
 *
 * @throws {RangeError} For a URL or a token that cannot be valid. The message contains neither.
 */
export function upstashCaller(access: UpstashAccess): UpstashCall {
  const { url, token, timeoutMs = TIMEOUT_MS } = access;
  const base = baseOf(url);
  if (!/^[\x21-\x7e]{1,4096}$/.test(token))
    throw new RangeError('the token of Upstash cannot be one');
  const requesterOf = (what: string, signal: AbortSignal): UpstashRequester => ({
    request: async <T>({ path = [], body }: { path?: string[]; body?: unknown }) => {
      const init: RequestInit = {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // A redirect would take the token elsewhere.
        redirect: 'manual',
        signal,
      };
      const response = await send(access, [base, ...path].join('/'), init).catch(
        (error: unknown) => {
          throw new StoreUnavailable('unavailable', `Cannot ${what}: no connection`, {
            cause: error,
          });
        },
      );
      const text = await textOf(response, what);
      if (!response.ok) throw refusalOf(response.status, text, what);
      // The SDK's types say what each command returns; the adapters check it.
      return parsed(text, what) as { result?: T; error?: string };
    },
  });
  return (what, ask, { signal } = {}) => {
    const work = async (ending: AbortSignal) => {
      try {
        return await ask(requesterOf(what, ending));
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        // The SDK's own errors may quote the command and the reply, so they are not passed on as the cause.
        const isRefusal = error instanceof Error && error.name === 'UpstashError';
        throw isRefusal
          ? new StoreUnavailable('refused', `Cannot ${what}: the database refused`)
          : malformedReply(what);
      }
    };
    return withDeadline(work, { timeoutMs, signal, errorFor: storeGivenUp(what) });
  };
}

export function malformedReply(what: string): StoreUnavailable {
  return new StoreUnavailable('malformed', `Cannot ${what}: the reply has an unknown form`);
}

/** A namespace that was never written to is empty. */
export function insteadOfNamespace<T>(empty: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof UnknownNamespace) return empty;
    throw error;
  };
}

/** A reply in the form that an adapter reads. @throws {StoreUnavailable} */
export function readReply<T extends z.ZodType>(
  schema: T,
  value: unknown,
  what: string,
): z.output<T> {
  const read = readAs(schema, value);
  if (read.ok) return read.value;
  throw malformedReply(what);
}

/** A Redis client for one call. Strings stay as stored: the SDK would turn those that are JSON into numbers or objects. */
export function redisClient({ url, token }: UpstashAccess, { request }: UpstashRequester): Redis {
  const options = {
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
  };
  const redis = new Redis({ url, token, ...options });
  redis.use(request);
  return redis;
}

const baseOf = (url: string): string => {
  const parsed = URL.parse(url);
  const isBase = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isBase || parsed.search || parsed.hash || parsed.username)
    throw new RangeError('the URL of Upstash cannot be one');
  return url.replace(/\/+$/, '');
};

/** Retried once, after a connection that failed. */
const send = (access: UpstashAccess, address: string, init: RequestInit): Promise<Response> => {
  // Called as a plain function: workerd refuses `fetch` as a method of another object.
  const { fetch: send = fetch } = access;
  return withRetries(() => send(address, init), {
    signal: init.signal ?? undefined,
    pauseMs: ({ error }) => (error === undefined ? undefined : RETRY_AFTER_MS),
  });
};

const textOf = async (response: Response, what: string): Promise<string> => {
  const body = await readBody(response, MAX_REPLY_BYTES).catch((error: unknown) => {
    throw new StoreUnavailable('unavailable', `Cannot ${what}: the reply was cut off`, {
      cause: error,
    });
  });
  if (body === undefined)
    throw new StoreUnavailable('malformed', `Cannot ${what}: the reply is too long`);
  return new TextDecoder().decode(body);
};

const refusalOf = (status: number, text: string, what: string): StoreUnavailable => {
  const message = `Cannot ${what}: status is ${status}`;
  if (status === 404 && /"error"\s*:\s*"Namespace /.test(text))
    return new UnknownNamespace('refused', message);
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
    // Reported below, without the text that could not be parsed.
  }
  throw malformedReply(what);
};
