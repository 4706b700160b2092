import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Bytes, decodeBase64url, utf8 } from '../../platform/encoding.ts';
import { BODY, type DeliveryHead, type SignatureScheme } from './helpdesk-tool.ts';

/** Largest difference between a signed time and now: what Chatwoot, Front, HubSpot and Standard Webhooks use or recommend. */
const TOLERANCE_MS = 300_000;
const MAX_SECRETS = 4;
const MAX_SIGNATURES = 16;
const MAX_SIGNATURE_LENGTH = 4096;

interface VerifyOptions {
  secrets: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** The verification of a delivery whose body is arriving. Holds hash states, never the body. */
export interface Verification {
  /** Whether the headers leave anything to check; if not, the delivery is refused whatever its body. */
  isPossible: boolean;
  /** The next bytes of the body. */
  add(chunk: Bytes): void;
  /**
   * After the last chunk: whether the delivery is signed with one of the secrets by one of the schemes, at most five minutes from now where
   * a time is signed.
   *
   * @param body The whole body, which Ed25519 needs; without it such a signature does not match.
   */
  isVerified(body: Bytes | undefined): Promise<boolean>;
}

/**
 * Begins to verify a delivery. Works on the bytes, before anything is parsed; signatures are compared in constant time.
 *
 * At most 4 secrets and 16 signatures are tried. Never throws: anything malformed is refused.
 */
export function startVerification(
  head: DeliveryHead,
  schemes: readonly SignatureScheme[],
  options: VerifyOptions,
): Verification {
  const checks = schemes.flatMap((scheme) => checksOf(head, scheme, options));
  return {
    isPossible: checks.length > 0,
    add: (chunk) => {
      for (const { hash } of checks) hash?.update(chunk);
    },
    isVerified: async (body) => {
      for (const check of checks) if (await matches(check, body)) return true;
      return false;
    },
  };
}

/** What is signed with one secret, as far as it has arrived. */
interface Check {
  scheme: SignatureScheme;
  signatures: readonly Bytes[];
  key: Bytes;
  before: Bytes;
  after: Bytes;
  hash: Hash | undefined;
}

/** WebCrypto can only hash what is complete. */
interface Hash {
  update(bytes: Bytes): unknown;
  digest(): Uint8Array;
}

const checksOf = (
  head: DeliveryHead,
  scheme: SignatureScheme,
  { secrets, now }: VerifyOptions,
): Check[] => {
  const signatures = signaturesOf(head, scheme);
  const timestamp =
    scheme.timestamp === undefined ? '' : freshTimestamp(head, scheme.timestamp, now);
  if (signatures.length === 0 || timestamp === undefined) return [];
  const header = (name: string) => readHeader(head, name, 256);
  const parts = scheme.signed === undefined ? [] : scheme.signed({ head, timestamp, header });
  if (parts === undefined) return [];
  const at = parts.indexOf(BODY);
  const before = utf8(parts.slice(0, Math.max(at, 0)).join(''));
  const after = utf8(parts.slice(at + 1).join(''));
  return secrets.slice(0, MAX_SECRETS).flatMap((secret) => {
    const key = (scheme.keyOf ?? utf8)(secret);
    if (key === undefined || key.length === 0) return [];
    const hash = HASHES[scheme.algorithm]?.(key);
    hash?.update(before);
    return [{ scheme, signatures, key, before, after, hash }];
  });
};

const HASHES: Partial<Record<SignatureScheme['algorithm'], (key: Bytes) => Hash>> = {
  'hmac-sha-1': (key) => hmac.create(sha1, key),
  'hmac-sha-256': (key) => hmac.create(sha256, key),
};

const matches = async (
  { scheme, signatures, key, before, after, hash }: Check,
  body: Bytes | undefined,
): Promise<boolean> => {
  if (scheme.algorithm === 'ed25519') {
    if (body === undefined) return false;
    const signed = concatenate([before, body, after]);
    for (const signature of signatures) if (await isSignedBy(key, signature, signed)) return true;
    return false;
  }
  hash?.update(after);
  const expected = hash === undefined ? key : new Uint8Array(hash.digest());
  for (const signature of signatures) if (await isEqual(expected, signature)) return true;
  return false;
};

const signaturesOf = (
  head: DeliveryHead,
  { header, prefix = '', separator, encoding }: SignatureScheme,
): Bytes[] => {
  const value = readHeader(head, header, MAX_SIGNATURE_LENGTH) ?? '';
  const entries = separator === undefined ? [value] : value.split(separator, MAX_SIGNATURES);
  return entries.flatMap((entry) => {
    const bytes = entry.startsWith(prefix)
      ? DECODERS[encoding](entry.slice(prefix.length))
      : undefined;
    return bytes === undefined || bytes.length === 0 ? [] : [bytes];
  });
};

/** Base64 with its padding (RFC 4648, section 4); undefined for any other way to write the same bytes. */
export function decodeBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || /[-_]/.test(text)) return undefined;
  const bare = text.endsWith('==')
    ? text.slice(0, -2)
    : text.endsWith('=')
      ? text.slice(0, -1)
      : text;
  return decodeBase64url(bare.replaceAll('+', '-').replaceAll('/', '_'));
}

/** Lower case, as every tool writes it. */
const decodeHex = (text: string): Bytes | undefined => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = Number.parseInt(text.slice(at * 2, at * 2 + 2), 16);
  return bytes;
};

const DECODERS = { hex: decodeHex, base64: decodeBase64, text: utf8 };

const freshTimestamp = (
  head: DeliveryHead,
  { header, parse }: NonNullable<SignatureScheme['timestamp']>,
  now: number,
): string | undefined => {
  const text = readHeader(head, header, 64);
  const time = text === undefined ? undefined : parse(text);
  return time !== undefined && Math.abs(now - time) <= TOLERANCE_MS ? text : undefined;
};

/** A header that came twice is joined by `, `, which no signature and no time contains. */
const readHeader = (
  { headers }: DeliveryHead,
  name: string,
  maxLength: number,
): string | undefined => {
  const value = headers.get(name);
  return value !== null &&
    value.length <= maxLength &&
    /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : undefined;
};

const concatenate = (parts: readonly Bytes[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** WebCrypto throws for bytes that are no key, such as a point that is not on the curve. */
const isSignedBy = async (key: Bytes, signature: Bytes, signed: Bytes): Promise<boolean> => {
  try {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, [
      'verify',
    ]);
    return await crypto.subtle.verify('Ed25519', imported, signature, signed);
  } catch {
    return false;
  }
};

/** Compares in constant time: by the HMAC of both under a random key. */
const isEqual = async (one: Bytes, other: Bytes): Promise<boolean> => {
  const parameters = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey(
    'raw',
    crypto.getRandomValues(new Uint8Array(32)),
    parameters,
    false,
    ['sign', 'verify'],
  );
  return crypto.subtle.verify('HMAC', key, await crypto.subtle.sign('HMAC', key, one), other);
};
