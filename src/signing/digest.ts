import { type Bytes, encodeBase64url } from './base64url.ts';

const encoder = new TextEncoder();

/** Text -> UTF-8. */
// TextEncoder always allocates an ArrayBuffer; Cloudflare's types leave that open.
export const utf8 = (text: string): Bytes => encoder.encode(text) as Bytes;

/** SHA-256 as base64url, 43 characters: of bodies, links and answers. */
export const sha256 = async (bytes: Bytes): Promise<string> =>
  encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));

/** Random bytes as lower-case hex: 8 for a span id, 16 for a trace id. */
export const randomHex = (byteCount: number): string => {
  let hex = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(byteCount))) hex += byte.toString(16).padStart(2, '0');
  return hex;
};
