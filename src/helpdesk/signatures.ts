import { type Bytes, decodeBase64url } from '../signing/base64url.ts';
import { utf8 } from '../signing/digest.ts';
import type { Delivery, SignatureScheme } from './helpdesk-tool.ts';

/** Largest difference between a signed time and now: what Chatwoot, Front, HubSpot and Standard Webhooks use or recommend. */
const TOLERANCE_MS = 300_000;
const MAX_SECRETS = 8;
const MAX_SIGNATURES = 16;
const MAX_SIGNATURE_LENGTH = 4096;

interface VerifyOptions {
  secrets: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Whether a delivery is signed with one of the secrets by one of the schemes, at most five minutes from now where a time is
 * signed. Works on the bytes, before anything is parsed; signatures are compared in constant time.
 *
 * At most 8 secrets and 16 signatures are tried. Never throws: anything malformed is refused.
 */
export const verifyDelivery = async (
  delivery: Delivery,
  schemes: readonly SignatureScheme[],
  options: VerifyOptions,
): Promise<boolean> => {
  for (const scheme of schemes) {
    if (await matches(delivery, scheme, options)) return true;
  }
  return false;
};

const matches = async (
  delivery: Delivery,
  scheme: SignatureScheme,
  { secrets, now }: VerifyOptions,
): Promise<boolean> => {
  const signatures = signaturesOf(delivery, scheme);
  const timestamp = scheme.timestamp === undefined ? '' : freshTimestamp(delivery, scheme.timestamp, now);
  if (signatures.length === 0 || timestamp === undefined) return false;
  const header = (name: string) => readHeader(delivery, name, 256);
  const parts = scheme.signed === undefined ? [] : scheme.signed({ delivery, timestamp, header });
  if (parts === undefined) return false;
  const signed = concatenate(parts);
  for (const secret of secrets.slice(0, MAX_SECRETS)) {
    const key = (scheme.keyOf ?? utf8)(secret);
    if (key === undefined || key.length === 0) continue;
    for (const signature of signatures) {
      if (await isSignedWith(key, { signature, signed, algorithm: scheme.algorithm })) return true;
    }
  }
  return false;
};

const signaturesOf = (delivery: Delivery, { header, prefix = '', separator, encoding }: SignatureScheme): Bytes[] => {
  const value = readHeader(delivery, header, MAX_SIGNATURE_LENGTH) ?? '';
  const entries = separator === undefined ? [value] : value.split(separator, MAX_SIGNATURES);
  return entries.flatMap((entry) => {
    const bytes = entry.startsWith(prefix) ? DECODERS[encoding](entry.slice(prefix.length)) : undefined;
    return bytes === undefined || bytes.length === 0 ? [] : [bytes];
  });
};

/** Base64 with its padding (RFC 4648, section 4); undefined for any other way to write the same bytes. */
export const decodeBase64 = (text: string): Bytes | undefined => {
  if (text.length % 4 !== 0 || /[-_]/.test(text)) return undefined;
  const bare = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  return decodeBase64url(bare.replaceAll('+', '-').replaceAll('/', '_'));
};

/** Lower case, as every tool writes it. */
const decodeHex = (text: string): Bytes | undefined => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
};

const DECODERS = { hex: decodeHex, base64: decodeBase64, text: utf8 };

const freshTimestamp = (
  delivery: Delivery,
  { header, parse }: NonNullable<SignatureScheme['timestamp']>,
  now: number,
): string | undefined => {
  const text = readHeader(delivery, header, 64);
  const time = text === undefined ? undefined : parse(text);
  return time !== undefined && Math.abs(now - time) <= TOLERANCE_MS ? text : undefined;
};

/** A header that came twice is joined by `, `, which no signature and no time contains. */
const readHeader = ({ headers }: Delivery, name: string, maxLength: number): string | undefined => {
  const value = headers.get(name);
  return value !== null && value.length <= maxLength && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : undefined;
};

const concatenate = (parts: readonly (string | Bytes)[]): Bytes => {
  const pieces = parts.map((part) => (typeof part === 'string' ? utf8(part) : part));
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
};

interface Claim {
  signature: Bytes;
  signed: Bytes;
  algorithm: SignatureScheme['algorithm'];
}

/** WebCrypto throws for bytes that are no key, such as a point that is not on the curve. */
const isSignedWith = async (key: Bytes, { signature, signed, algorithm }: Claim): Promise<boolean> => {
  try {
    if (algorithm === 'token') return await isEqual(key, signature);
    if (algorithm === 'sha-256') {
      return await isEqual(
        new Uint8Array(await crypto.subtle.digest('SHA-256', concatenate([key, signed]))),
        signature,
      );
    }
    const parameters =
      algorithm === 'ed25519' ? { name: 'Ed25519' } : { name: 'HMAC', hash: algorithm.slice('hmac-'.length) };
    const imported = await crypto.subtle.importKey('raw', key, parameters, false, ['verify']);
    return await crypto.subtle.verify(parameters.name, imported, signature, signed);
  } catch {
    return false;
  }
};

/** Compares in constant time: by the HMAC of both under a random key. */
const isEqual = async (one: Bytes, other: Bytes): Promise<boolean> => {
  const parameters = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', crypto.getRandomValues(new Uint8Array(32)), parameters, false, [
    'sign',
    'verify',
  ]);
  return crypto.subtle.verify('HMAC', key, await crypto.subtle.sign('HMAC', key, one), other);
};
