import * as z from 'zod';

/**
 * Parses JSON in UTF-8. Integers beyond 2^53, which ids of Zendesk, Intercom and HubSpot may be, become text
 * with the same digits.
 *
 * @throws When it is not JSON in UTF-8, or nested too deeply.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes);
  // A reviver visits every value, and such numbers are rare.
  return /\d{16}/.test(text) ? JSON.parse(text, keepLongIntegers) : JSON.parse(text);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The third argument has the source text of the value (ECMAScript 2026, `JSON.parse` with source text). */
const keepLongIntegers = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? source : value;
};

/** Text that is cut after `maxLength`; undefined when it is missing, empty or of another type. */
export function optionalText(maxLength: number) {
  return z
    .string()
    .transform((text) => text.slice(0, maxLength).toWellFormed())
    .nullish()
    .catch(undefined)
    .transform((text) => (text === null || text === '' ? undefined : text));
}

/** ISO 8601 -> milliseconds since 1970; UTC where it has no offset. */
export const optionalTime = optionalText(64).transform((text) =>
  text === undefined ? undefined : timeOf(text),
);

const timeOf = (text: string): number | undefined => {
  const iso = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text;
  const time = Date.parse(iso);
  return Number.isNaN(time) ? undefined : time;
};

/** Seconds since 1970 -> milliseconds. */
export const optionalSeconds = z
  .number()
  .min(0)
  .max(1e11)
  .nullish()
  .catch(undefined)
  .transform((seconds) => (typeof seconds === 'number' ? Math.round(seconds * 1000) : undefined));
