/** Longer waits than this are a fault of the tool or of its clock. */
const MAX_WAIT_MS = 3_600_000;

/**
 * How long a tool asks to be left alone, in milliseconds from 0 to an hour; undefined when it tells nothing. In seconds or
 * as a date (RFC 9110, section 10.2.3), by Help Scout's own header, or as the end of a window: in seconds from now
 * (Zendesk) or since 1970 (Intercom). Tools tell of their window with every answer, so that its end counts with 429 alone: a
 * failure of one ticket would have all others wait.
 *
 * @param now Milliseconds since 1970.
 */
export const retryAfterOf = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  now: number,
): number | undefined => {
  const names = status === 429 ? ['retry-after', ...OF_WINDOW] : ['retry-after'];
  const wait = names.map((name) => delayOf(headers.get(name), now)).find((delay) => delay !== undefined);
  return wait === undefined ? undefined : Math.min(Math.max(Math.ceil(wait), 0), MAX_WAIT_MS);
};

const OF_WINDOW = ['x-ratelimit-retry-after', 'ratelimit-reset', 'x-ratelimit-reset'];

const delayOf = (header: string | null, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (text.length > 64) return undefined;
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) {
    const seconds = Number(text);
    return seconds < EPOCH_SECONDS ? seconds * 1000 : seconds * 1000 - now;
  }
  // A bare number with a sign would be read as a year.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
};

/** 2001: what is less is a delay. */
const EPOCH_SECONDS = 1_000_000_000;
