import { parseJson } from '../../contract/core/json-object.ts';
import { type Bytes, decodeBase64url, encodeBase64url, utf8 } from '../encoding.ts';
import { demand } from './request-context.ts';

/** What a signature is for. One key signs links and receipts, so the type must tell them apart. */
type JwsType = 'ctx+jwt' | 'ctx-receipt+jwt' | 'ctx-directory+jwt';

/** A well-formed JWS whose signature has not been verified. */
export interface UnverifiedJws {
  /** Exactly as received. */
  text: string;
  kid: string;
  /** Parsed claims: a JSON object, otherwise unchecked. */
  claims: Record<string, unknown>;
  /** The signed bytes. */
  signed: Bytes;
  /** 64 bytes. */
  signature: Bytes;
}

/** Claims -> compact JWS with exactly the header that `readJws` accepts. */
export async function signJws(
  claims: object,
  { typ, signer }: { typ: JwsType; signer: Signer },
): Promise<string> {
  const header = encodeBase64url(utf8(`{"alg":"EdDSA","kid":"${signer.kid}","typ":"${typ}"}`));
  const signed = `${header}.${encodeBase64url(utf8(JSON.stringify(claims)))}`;
  return `${signed}.${encodeBase64url(await signer.sign(utf8(signed)))}`;
}

/**
 * Parses a compact JWS in canonical form only, so that no two parsers can disagree: strict base64url, valid UTF-8, claims that
 * `JSON.stringify` reproduces exactly, and a header of `alg`, `kid` and `typ` alone. Throws `ContextRefused` for anything else.
 */
export function readJws(text: string, typ: JwsType): UnverifiedJws {
  const [header = '', claims = '', signature = '', ...more] = text.split('.');
  demand(more.length === 0, 'a link has more than three parts');
  const kid = readHeader(header, typ);
  const bytes = decodeBase64url(signature);
  demand(bytes !== undefined, 'the signature is not base64url');
  // workerd throws for other lengths, Node returns false (workerd issue 4554).
  demand(bytes.length === 64, 'the signature is not 64 bytes');
  return {
    text,
    kid,
    claims: readClaims(claims),
    signed: utf8(`${header}.${claims}`),
    signature: bytes,
  };
}

const HEADER =
  /^\{"alg":"(?:EdDSA|Ed25519)","kid":"([a-z0-9][a-z0-9._-]{0,63})","typ":"([a-z+-]{1,32})"\}$/;

const readHeader = (encoded: string, typ: JwsType): string => {
  const [, kid = '', found = ''] = HEADER.exec(readText(encoded) ?? '') ?? [];
  demand(kid !== '', 'the header is not {alg, kid, typ}');
  demand(found === typ, 'the type is not the one expected here');
  return kid;
};

const readClaims = (encoded: string): Record<string, unknown> => {
  const text = readText(encoded);
  demand(text !== undefined, 'the claims are not UTF-8 in base64url');
  const claims = parseJson(text);
  demand(
    typeof claims === 'object' && claims !== null && !Array.isArray(claims),
    'the claims are not an object',
  );
  demand(JSON.stringify(claims) === text, 'the claims are not canonical JSON');
  // Checked above: an object that is neither null nor a list, fresh from JSON.parse.
  return claims as Record<string, unknown>;
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const readText = (encoded: string): string | undefined => {
  const bytes = decodeBase64url(encoded);
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Signs for one librarian. The key stays inside WebCrypto. */
export interface Signer {
  /** The librarian. */
  id: string;
  /** Its key in the directory: `<id>.<n>`, or `dev.<id>.<n>` for a derived one. */
  kid: string;
  sign(bytes: Bytes): Promise<Bytes>;
}

/** Imports a private key as not extractable. Throws when `pkcs8` is not an Ed25519 key. */
export async function importSigner(
  pkcs8: Bytes,
  { id, kid }: { id: string; kid: string },
): Promise<Signer> {
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  return {
    id,
    kid,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes)),
  };
}

/** The public half of a private key: 32 bytes as base64url, the `x` of its JWK. */
export async function publicKeyOf(pkcs8: Bytes): Promise<string> {
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const jwk = await crypto.subtle.exportKey('jwk', key);
  // Cloudflare types the result as JsonWebKey | ArrayBuffer; the requested format is `jwk`.
  return (jwk as JsonWebKey).x ?? '';
}

/** An Ed25519 seed of 32 bytes -> PKCS8 (RFC 8410, section 7): a constant prefix and the seed. */
export function pkcs8Of(seed: Uint8Array): Bytes {
  const pkcs8 = new Uint8Array(48);
  pkcs8.set([
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]);
  pkcs8.set(seed, 16);
  return pkcs8;
}

/** A new key pair: the private half as PKCS8 in base64url (64 characters, for `CONTEXT_SIGNING_KEY`), the public `x`. */
export async function makeSigningKey(): Promise<{ privateKey: string; x: string }> {
  const pkcs8 = pkcs8Of(crypto.getRandomValues(new Uint8Array(32)));
  return { privateKey: encodeBase64url(pkcs8), x: await publicKeyOf(pkcs8) };
}
