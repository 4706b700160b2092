import type { Bytes } from '../runtime/base64url.ts';

/**
 * Parses JSON in UTF-8. Whole numbers beyond 2^53, which ids of Zendesk, Intercom and HubSpot can be, come as the text
 * that they were written as.
 *
 * @throws When it is no JSON in UTF-8, or too deep.
 */
export const parseJson = (bytes: Bytes): unknown => {
  const text = decoder.decode(bytes);
  // Looking at every value takes time, and such numbers are rare.
  return /\d{16}/.test(text) ? JSON.parse(text, keepLongNumbers) : JSON.parse(text);
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The third argument tells how a value was written (ECMAScript 2026, `JSON.parse` with source text). */
const keepLongNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? source : value;
};
