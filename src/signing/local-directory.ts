import type { Bytes } from './base64url.ts';
import { encodeBase64url } from './base64url.ts';
import { sha256, utf8 } from './digest.ts';
import { LOCAL_LIBRARIANS } from './internal-librarians.ts';
import { type DirectoryEntry, type KeyDirectory, openDirectory } from './key-directory.ts';
import { importSigner, pkcs8Of, publicKeyOf, type Signer } from './signer.ts';

/** Default seed of the derived keys. It is public, so for local development only. */
export const LOCAL_SEED = 'local-dev';

/**
 * A directory of derived keys, without files and the same on every start. Development only.
 *
 * @param partners External librarians, with their own keys and host.
 */
export const localDirectory = async (
  librarians: Record<string, Omit<DirectoryEntry, 'keys'>> = LOCAL_LIBRARIANS,
  seed: string = LOCAL_SEED,
  partners: Readonly<Record<string, DirectoryEntry>> = {},
): Promise<KeyDirectory> => {
  const ids = Object.keys(librarians);
  const publicKeys = await Promise.all(ids.map(async (id) => publicKeyOf(await localKey(id, seed))));
  const entries = ids.map((id, index) => [
    id,
    { ...librarians[id], keys: [{ kid: localKid(id), x: publicKeys[index] }] },
  ]);
  const claims = {
    v: 1,
    env: 'development',
    seq: 0,
    exp: NEVER,
    librarians: { ...partners, ...Object.fromEntries(entries) },
  };
  return openDirectory(claims, { version: await sha256(utf8(JSON.stringify(claims))) });
};

/** The signer that belongs to one id of `localDirectory`. */
export const localSigner = async (id: string, seed: string = LOCAL_SEED): Promise<Signer> =>
  importSigner(await localKey(id, seed), { id, kid: localKid(id) });

/** The private key of one id as it would stand in `CONTEXT_SIGNING_KEY`. */
export const localSigningKey = async (id: string, seed: string = LOCAL_SEED): Promise<string> =>
  encodeBase64url(await localKey(id, seed));

/** The year 2100, in seconds. */
const NEVER = 4_102_444_800;

const localKid = (id: string): string => `dev.${id}.1`;

const localKey = async (id: string, seed: string): Promise<Bytes> => {
  const secret = await crypto.subtle.importKey('raw', utf8(seed), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return pkcs8Of(new Uint8Array(await crypto.subtle.sign('HMAC', secret, utf8(`librarian-dev-key/${id}/1`))));
};
