import { parseJson } from '../contract/core/json-object.ts';
import { isEventStream } from '../platform/http/event-stream.ts';
import {
  isErrorReply,
  readRefusal,
  readServiceError,
  type ServiceError,
} from './service-refusal.ts';

const MAX_REQUEST_CHARACTERS = 4 * 1024 * 1024;
const MAX_ERROR_BYTES = 65_536;
/** Waited by the client before a retry when the service names no time. */
const DEFAULT_WAIT_MS = 500;
/** A longer wait is for the caller to decide upon. */
const MAX_WAIT_MS = 2000;

/** The client's others describe the machine and the runtime, or come from the environment. */
const SENT_HEADERS = new Set(['accept', 'api-key', 'authorization', 'content-type', 'user-agent']);

interface FetchBounds {
  maxBytes: number;
  endsAtMs: number;
  now: () => number;
}

/**
 * The `fetch` of a client. It reads the whole reply, so that a connection that breaks in the body is retried as well, gives every error
 * one shape (`{ error: { message, param, code } }`, also one that came with status 200), and tells the client by `x-should-retry` and
 * `retry-after-ms` which failures are worth a retry that can still finish in time.
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  { maxBytes, endsAtMs, now }: FetchBounds,
): typeof globalThis.fetch {
  return async (input, init) => {
    if (typeof init?.body === 'string' && init.body.length > MAX_REQUEST_CHARACTERS)
      return new Response(null, { status: 413 });
    const sent = [...new Headers(init?.headers)].filter(([name]) => SENT_HEADERS.has(name));
    const response = await fetch(input, { ...init, headers: sent });
    const { ok, status, headers } = response;
    // Read by whoever asked for it, with a bound of its own.
    if (ok && isEventStream(headers)) return response;
    const text = await readText(response, ok ? maxBytes : MAX_ERROR_BYTES);
    const error = ok ? errorIn(text) : readServiceError(status, text ?? '');
    // An empty reply is none to the client.
    if (error === undefined)
      return new Response(text, {
        headers: { 'content-type': headers.get('content-type') ?? 'text/plain' },
      });
    const waitMs = retryAfterOf(headers, now()) ?? waitIn(text ?? '');
    const word = headers.get('x-should-retry');
    const isInTime = (waitMs ?? DEFAULT_WAIT_MS) <= Math.min(MAX_WAIT_MS, endsAtMs - now());
    const isUsedUp = readRefusal(error, []).why === 'quota';
    const isWorthIt =
      (word === 'true' || (word !== 'false' && isPassing(error.status))) && !isUsedUp;
    const { words: message, param, code } = error;
    return new Response(JSON.stringify({ error: { message, param, code } }), {
      status: error.status,
      headers: {
        'content-type': 'application/json',
        'x-should-retry': `${isWorthIt && isInTime}`,
        ...(waitMs === undefined ? {} : { 'retry-after-ms': `${waitMs}` }),
      },
    });
  };
}

/** Whether a status is one of a failure that may pass. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The error that a reply with status 200 is; longer replies are none. */
const errorIn = (text = ''): ServiceError | undefined =>
  text.length <= MAX_ERROR_BYTES && isErrorReply(parseJson(text))
    ? readServiceError(200, text)
    : undefined;

/** @returns `undefined` when it is longer. Invalid UTF-8 becomes U+FFFD. */
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

/** Milliseconds by the header of OpenAI or Azure, or seconds or a date (RFC 9110, section 10.2.3). */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const milliseconds = headers.get('retry-after-ms') ?? headers.get('x-ms-retry-after-ms') ?? '';
  const value = headers.get('retry-after') ?? '';
  const isNumber = (text: string) => /^\d{1,9}(?:\.\d+)?$/.test(text);
  if (isNumber(milliseconds)) return Number(milliseconds);
  if (isNumber(value)) return Number(value) * 1000;
  // A date begins with its weekday: `Date.parse` alone takes -5 for a year.
  const date = /^[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

/** Milliseconds that the words of a refusal ask to wait: "try again in 1m7.5s", "retry after 27 seconds", `"retryDelay": "34s"`. */
const waitIn = (text: string): number | undefined => {
  const found = WAIT.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { minutes = '0', amount = '0', unit = 's' } = found;
  return Math.ceil(
    Number(minutes) * 60_000 + Number(amount) * (unit.toLowerCase() === 'ms' ? 1 : 1000),
  );
};

const WAIT =
  /(?:(?:try again|retry)(?: \w{1,12})? (?:in|after)|"retryDelay"\s{0,4}:\s{0,4}")\s{0,4}(?:(?<minutes>\d{1,4})m(?!s)\s?)?(?<amount>\d{1,6}(?:\.\d{1,9})?)\s?(?<unit>ms|s)/i;
