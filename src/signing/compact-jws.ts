import { type Bytes, decodeBase64url, encodeBase64url } from './base64url.ts';
import { demand } from './context-refused.ts';
import { utf8 } from './digest.ts';
import type { Signer } from './signer.ts';

/** What a signature is for. One key signs links and receipts, so the type must tell them apart. */
export type JwsType = 'ctx+jwt' | 'ctx-receipt+jwt' | 'ctx-directory+jwt';

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
export const signJws = async (claims: object, { typ, signer }: { typ: JwsType; signer: Signer }): Promise<string> => {
  const header = encodeBase64url(utf8(`{"alg":"EdDSA","kid":"${signer.kid}","typ":"${typ}"}`));
  const signed = `${header}.${encodeBase64url(utf8(JSON.stringify(claims)))}`;
  return `${signed}.${encodeBase64url(await signer.sign(utf8(signed)))}`;
};

/**
 * Parses a compact JWS in canonical form only, so that no two parsers can disagree: strict base64url, valid UTF-8, claims that
 * `JSON.stringify` reproduces exactly, and a header of `alg`, `kid` and `typ` alone. Throws `ContextRefused` for anything else.
 */
export const readJws = (text: string, typ: JwsType): UnverifiedJws => {
  const [header = '', claims = '', signature = '', ...more] = text.split('.');
  demand(more.length === 0, 'a link has more than three parts');
  const kid = readHeader(header, typ);
  const bytes = decodeBase64url(signature);
  demand(bytes !== undefined, 'the signature is not base64url');
  // workerd throws for other lengths, Node returns false (workerd issue 4554).
  demand(bytes.length === 64, 'the signature is not 64 bytes');
  return { text, kid, claims: readClaims(claims), signed: utf8(`${header}.${claims}`), signature: bytes };
};

const HEADER = /^\{"alg":"(?:EdDSA|Ed25519)","kid":"([a-z0-9][a-z0-9._-]{0,63})","typ":"([a-z+-]{1,32})"\}$/;

const readHeader = (encoded: string, typ: JwsType): string => {
  const [, kid = '', found = ''] = HEADER.exec(readText(encoded) ?? '') ?? [];
  demand(kid !== '', 'the header is not {alg, kid, typ}');
  demand(found === typ, 'the type is not the one expected here');
  return kid;
};

const readClaims = (encoded: string): Record<string, unknown> => {
  const text = readText(encoded);
  demand(text !== undefined, 'the claims are not UTF-8 in base64url');
  const claims = parse(text);
  demand(typeof claims === 'object' && claims !== null && !Array.isArray(claims), 'the claims are not an object');
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

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
