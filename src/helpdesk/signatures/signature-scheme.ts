import type { Bytes } from '../../runtime/base64url.ts';
import type { Delivery } from '../helpdesk-tool.ts';

/** How one kind of delivery is proved: what is signed, with which key, and where the proof stands. */
export interface SignatureScheme {
  /** `sha-256` is a plain digest of the secret and what is signed; `token` is the secret itself, and signs nothing. */
  proof: 'hmac-sha-1' | 'hmac-sha-256' | 'ed25519' | 'sha-256' | 'token';
  /** Header of the proof, in lower case. */
  header: string;
  /** Stands before the proof, as it is: `sha1=`. */
  label?: string;
  /** Set where the header holds several proofs, of which one is enough. */
  separator?: string;
  encoding: 'hex' | 'base64' | 'text';
  /** Secret -> key; the secret's text where this is not set. Undefined for secrets of another scheme. */
  keyOf?: (secret: string) => Bytes | undefined;
  /** The time that is signed. A delivery without it, or far from now, is refused. */
  time?: { header: string; read: (text: string) => number | undefined };
  /** What is signed, in order; undefined when a part is missing. */
  signed?: (parts: SignedParts) => readonly (string | Bytes)[] | undefined;
}

interface SignedParts {
  delivery: Delivery;
  /** As the header says it; empty where the scheme signs no time. */
  time: string;
  /** A header of at most 256 printable characters of ASCII. */
  header: (name: string) => string | undefined;
}
