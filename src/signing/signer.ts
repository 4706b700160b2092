import { type Bytes, encodeBase64url } from './base64url.ts';

/** Signs for one librarian. The key stays inside WebCrypto. */
export interface Signer {
  /** The librarian. */
  id: string;
  /** Its key in the directory: `<id>.<n>`, or `dev.<id>.<n>` for a derived one. */
  kid: string;
  sign(bytes: Bytes): Promise<Bytes>;
}

/** Imports a private key as not extractable. Throws when `pkcs8` is not an Ed25519 key. */
export const importSigner = async (pkcs8: Bytes, { id, kid }: { id: string; kid: string }): Promise<Signer> => {
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  return { id, kid, sign: async (bytes) => new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes)) };
};

/** The public half of a private key: 32 bytes as base64url, the `x` of its JWK. */
export const publicKeyOf = async (pkcs8: Bytes): Promise<string> => {
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const jwk = await crypto.subtle.exportKey('jwk', key);
  // Cloudflare types the result as JsonWebKey | ArrayBuffer; the requested format is `jwk`.
  return (jwk as JsonWebKey).x ?? '';
};

/** An Ed25519 seed of 32 bytes -> PKCS8 (RFC 8410, section 7): a constant prefix and the seed. */
export const pkcs8Of = (seed: Uint8Array): Bytes => {
  const pkcs8 = new Uint8Array(48);
  pkcs8.set([0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]);
  pkcs8.set(seed, 16);
  return pkcs8;
};

/** A new key pair: the private half as PKCS8 in base64url (64 characters, for `CONTEXT_SIGNING_KEY`), the public `x`. */
export const makeSigningKey = async (): Promise<{ privateKey: string; x: string }> => {
  const pkcs8 = pkcs8Of(crypto.getRandomValues(new Uint8Array(32)));
  return { privateKey: encodeBase64url(pkcs8), x: await publicKeyOf(pkcs8) };
};
