import type { Bytes } from '../../runtime/base64url.ts';
import { utf8 } from '../../runtime/digest.ts';
import type { Delivery } from '../helpdesk-tool.ts';
import { decodeProof } from './decode-proof.ts';
import type { SignatureScheme } from './signature-scheme.ts';
import { TOLERANCE_MS } from './signed-time.ts';

interface VerifyOptions {
  secrets: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Whether a delivery comes from the holder of one of the secrets by one of the schemes, and is at most five minutes from
 * now where a time is signed. Works on the bytes, before anything is parsed; proofs are compared in constant time.
 *
 * At most 8 secrets and 16 proofs are tried. Never throws: what is malformed is refused.
 */
export const verifyDelivery = async (
  delivery: Delivery,
  schemes: readonly SignatureScheme[],
  options: VerifyOptions,
): Promise<boolean> => {
  for (const scheme of schemes) {
    if (await isProved(delivery, scheme, options)) return true;
  }
  return false;
};

/** The same, as the port of a tool wants it. */
export const verifierFor =
  (...schemes: readonly SignatureScheme[]) =>
  (delivery: Delivery, options: VerifyOptions): Promise<boolean> =>
    verifyDelivery(delivery, schemes, options);

const isProved = async (
  delivery: Delivery,
  scheme: SignatureScheme,
  { secrets, now }: VerifyOptions,
): Promise<boolean> => {
  const proofs = proofsOf(delivery, scheme);
  const time = scheme.time === undefined ? '' : freshTime(delivery, scheme.time, now);
  if (proofs.length === 0 || time === undefined) return false;
  const header = (name: string) => readHeader(delivery, name, 256);
  const parts = scheme.signed === undefined ? [] : scheme.signed({ delivery, time, header });
  if (parts === undefined) return false;
  const signed = joined(parts);
  for (const secret of secrets.slice(0, MAX_SECRETS)) {
    const key = (scheme.keyOf ?? utf8)(secret);
    if (key === undefined || key.length === 0) continue;
    for (const proof of proofs) {
      if (await isMadeWith(key, { proof, signed, by: scheme.proof })) return true;
    }
  }
  return false;
};

const MAX_SECRETS = 8;
const MAX_PROOFS = 16;
const MAX_PROOF_LENGTH = 4096;

const proofsOf = (delivery: Delivery, { header, label = '', separator, encoding }: SignatureScheme): Bytes[] => {
  const value = readHeader(delivery, header, MAX_PROOF_LENGTH) ?? '';
  const entries = separator === undefined ? [value] : value.split(separator, MAX_PROOFS);
  return entries.flatMap((entry) => {
    const bytes = entry.startsWith(label) ? decodeProof(entry.slice(label.length), encoding) : undefined;
    return bytes === undefined || bytes.length === 0 ? [] : [bytes];
  });
};

const freshTime = (
  delivery: Delivery,
  { header, read }: NonNullable<SignatureScheme['time']>,
  now: number,
): string | undefined => {
  const text = readHeader(delivery, header, 64);
  const time = text === undefined ? undefined : read(text);
  return time !== undefined && Math.abs(now - time) <= TOLERANCE_MS ? text : undefined;
};

/** Headers that came twice are joined by `, `: what they say is then no proof and no time. */
const readHeader = ({ headers }: Delivery, name: string, maxLength: number): string | undefined => {
  const value = headers.get(name);
  return value !== null && value.length <= maxLength && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
    ? value
    : undefined;
};

const joined = (parts: readonly (string | Bytes)[]): Bytes => {
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
  proof: Bytes;
  signed: Bytes;
  by: SignatureScheme['proof'];
}

/** WebCrypto throws for keys that are none, such as a point that is not on the curve: they prove nothing. */
const isMadeWith = async (key: Bytes, { proof, signed, by }: Claim): Promise<boolean> => {
  try {
    if (by === 'token') return await isSame(key, proof);
    if (by === 'sha-256') {
      return await isSame(new Uint8Array(await crypto.subtle.digest('SHA-256', joined([key, signed]))), proof);
    }
    const algorithm = by === 'ed25519' ? { name: 'Ed25519' } : { name: 'HMAC', hash: by.slice('hmac-'.length) };
    const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
    return await crypto.subtle.verify(algorithm.name, imported, proof, signed);
  } catch {
    return false;
  }
};

/** In a time that tells nothing of where the two differ: their codes under a key of the moment are compared. */
const isSame = async (one: Bytes, other: Bytes): Promise<boolean> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', crypto.getRandomValues(new Uint8Array(32)), algorithm, false, [
    'sign',
    'verify',
  ]);
  return crypto.subtle.verify('HMAC', key, await crypto.subtle.sign('HMAC', key, one), other);
};
