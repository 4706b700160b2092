/** Bytes that WebCrypto accepts: not backed by shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Bytes -> base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (byteAt(bytes, at) << 16) | (byteAt(bytes, at + 1) << 8) | byteAt(bytes, at + 2);
    text += letter(group >> 18) + letter(group >> 12);
    if (at + 1 < bytes.length) text += letter(group >> 6);
    if (at + 2 < bytes.length) text += letter(group);
  }
  return text;
}

/**
 * Base64url -> bytes; `undefined` unless the text is canonical: no padding, no white space, unused bits of the last letter zero. `atob`
 * accepts all three.
 */
export function decodeBase64url(text: string): Bytes | undefined {
  const rest = text.length % 4;
  if (rest === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let group = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? NONE;
    if (value === NONE) return undefined;
    group = ((group << 6) | value) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (group >> bits) & 0xff;
    at += 1;
  }
  return (group & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

const NONE = 255;
const VALUES = new Uint8Array(128).fill(NONE);
for (let value = 0; value < ALPHABET.length; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;
const letter = (bits: number): string => ALPHABET.charAt(bits & 63);

const encoder = new TextEncoder();

/** Text -> UTF-8. */
// TextEncoder always allocates an ArrayBuffer; Cloudflare's types leave that open.
export function utf8(text: string): Bytes {
  return encoder.encode(text) as Bytes;
}

/** SHA-256 as base64url, 43 characters: of bodies, links and answers. */
export async function sha256(bytes: Bytes): Promise<string> {
  return encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Random bytes as lower-case hex: 8 for a span id, 16 for a trace id. */
export function randomHex(byteCount: number): string {
  let hex = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(byteCount)))
    hex += byte.toString(16).padStart(2, '0');
  return hex;
}
