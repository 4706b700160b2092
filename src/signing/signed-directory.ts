import { decodeBase64url } from './base64url.ts';
import { readJws, signJws } from './compact-jws.ts';
import { ContextRefused } from './context-refused.ts';
import { sha256, utf8 } from './digest.ts';
import {
  assertDirectory,
  type DirectoryClaims,
  DirectoryRefused,
  isLowOrder,
  type KeyDirectory,
  openDirectory,
} from './key-directory.ts';
import { importSigner } from './signer.ts';

/** Requirements on a directory, whatever its source. */
export interface DirectoryRequirements {
  /** The `x` of the offline root key. */
  root: string;
  env: 'development' | 'production';
  /** Milliseconds since 1970. */
  now: number;
  /** The `seq` of the last directory seen; an older one is refused. */
  lastSeq?: number | undefined;
  /** Prefix of the ids that this root may certify: `partner.` for another organisation. All when absent. */
  prefix?: string | undefined;
}

/**
 * Verifies a signed directory.
 *
 * @throws {DirectoryRefused} For another root or environment, an older `seq`, an expired directory, derived keys in production, ids
 * outside the prefix, and whatever `openDirectory` refuses.
 */
export const loadDirectory = async (text: string, expected: DirectoryRequirements): Promise<KeyDirectory> => {
  const { root, env, now, lastSeq = 0, prefix = '' } = expected;
  const claims = await readSigned(text, root);
  const directory = openDirectory(claims, { version: await sha256(utf8(text)) });
  // openDirectory has just checked its form.
  const { seq } = claims as unknown as DirectoryClaims;
  assertDirectory(directory.env === env, `it is for ${directory.env}, this is ${env}`);
  assertDirectory(directory.expiresAtMs > now, 'it has expired');
  assertDirectory(seq >= lastSeq, `its seq ${seq} is older than ${lastSeq}`);
  for (const id of directory.ids()) {
    assertDirectory(id.startsWith(prefix), `its root may not certify ${id}`);
    const keys = directory.librarian(id)?.keys ?? [];
    assertDirectory(env !== 'production' || !keys.some(({ kid }) => kid.startsWith('dev.')), `${id} has a derived key`);
  }
  return directory;
};

/** Signs a directory with the offline root key; for a deploy script. `privateKey` is PKCS8 in base64url. */
export const signDirectory = async (
  claims: DirectoryClaims,
  { privateKey }: { privateKey: string },
): Promise<string> => {
  const pkcs8 = decodeBase64url(privateKey);
  assertDirectory(pkcs8 !== undefined, 'the root key is not base64url');
  return signJws(claims, { typ: 'ctx-directory+jwt', signer: await importSigner(pkcs8, { id: 'root', kid: 'root' }) });
};

const readSigned = async (text: string, root: string): Promise<Record<string, unknown>> => {
  assertDirectory(text.length <= MAX_LENGTH, 'it is larger than 1 MiB');
  const point = decodeBase64url(root);
  assertDirectory(point?.length === 32 && !isLowOrder(point), 'the root key is not usable');
  const jws = await (async () => readJws(text, 'ctx-directory+jwt'))().catch((error: unknown) => {
    throw new DirectoryRefused(
      `Cannot use the key directory: ${error instanceof ContextRefused ? error.reason : 'unreadable'}`,
    );
  });
  const key = await crypto.subtle.importKey('raw', point, 'Ed25519', false, ['verify']);
  assertDirectory(
    await crypto.subtle.verify('Ed25519', key, jws.signature, jws.signed),
    'it is not signed by the root',
  );
  return jws.claims;
};

/** Ample: `openDirectory` accepts at most 1,000 librarians. */
const MAX_LENGTH = 1_048_576;
