import { type Bytes, decodeBase64url, encodeBase64url, sha256, utf8 } from '../encoding.ts';
import { importSigner, pkcs8Of, publicKeyOf, type Signer } from './compact-jws.ts';
import { LOCAL_LIBRARIANS } from './internal-librarians.ts';
import { type DirectoryEntry, type KeyDirectory, loadDirectory, openDirectory } from './key-directory.ts';

/** The variables and secrets of a function's identity. */
export interface IdentityVariables {
  /** `development` or `production`; anything but `development` counts as production. */
  ENVIRONMENT?: string | undefined;
  /** Secret: the private key as PKCS8 in base64url. */
  CONTEXT_SIGNING_KEY?: string | undefined;
  /** The key directory, a compact JWS. */
  CONTEXT_DIRECTORY?: string | undefined;
  /** The `x` of the key that signs directories. */
  CONTEXT_DIRECTORY_ROOT?: string | undefined;
  /** Development only: seed of the derived keys. */
  CONTEXT_KEY_SEED?: string | undefined;
  /** Development only: ids of further internal librarians, separated by commas. */
  CONTEXT_LOCAL_LIBRARIANS?: string | undefined;
  /** Development only: external librarians as JSON, `{"<id>": {"keys": [{"kid", "x"}], "host": "127.0.0.1:9000"}}`. */
  CONTEXT_PARTNERS?: string | undefined;
}

/** The identity of a function towards other functions. */
export interface Identity {
  self: string;
  signer: Signer;
  directory: KeyDirectory;
}

/** The identity of a function is missing or invalid; it must not start. */
class IdentityRefused extends Error {
  override readonly name = 'IdentityRefused';
}

/**
 * Reads the identity of a function from its environment, once per isolate: with a directory, the key of `self` must be in it; without
 * one, derived keys, in development only.
 *
 * @throws {IdentityRefused} When something is missing or does not fit together.
 * @throws {DirectoryRefused} When the directory is not acceptable.
 */
export const identityFrom = (variables: IdentityVariables, self: string): Promise<Identity> => {
  const key = JSON.stringify([self, ...IDENTITY_VARIABLES.map((name) => variables[name])]);
  const known = identities.get(key);
  if (known !== undefined) return known;
  const identity = readIdentity(variables, self);
  if (identities.size >= MAX_IDENTITIES) identities.clear();
  identities.set(key, identity);
  // A failure is not cached: the next request reads again.
  identity.catch(() => identities.delete(key));
  return identity;
};

/** Their names. */
export const IDENTITY_VARIABLES = [
  'ENVIRONMENT',
  'CONTEXT_SIGNING_KEY',
  'CONTEXT_DIRECTORY',
  'CONTEXT_DIRECTORY_ROOT',
  'CONTEXT_KEY_SEED',
  'CONTEXT_LOCAL_LIBRARIANS',
  'CONTEXT_PARTNERS',
] as const satisfies (keyof IdentityVariables)[];

/** More than one only where several functions share an isolate, as in tests. */
const MAX_IDENTITIES = 64;
const identities = new Map<string, Promise<Identity>>();

const readIdentity = async (variables: IdentityVariables, self: string): Promise<Identity> => {
  const { ENVIRONMENT = 'production', CONTEXT_SIGNING_KEY, CONTEXT_DIRECTORY, CONTEXT_DIRECTORY_ROOT } = variables;
  const env = ENVIRONMENT === 'development' ? 'development' : 'production';
  if (CONTEXT_DIRECTORY === undefined || CONTEXT_DIRECTORY === '') return localIdentity(variables, { self, env });
  assertDirectory(
    CONTEXT_DIRECTORY_ROOT !== undefined && CONTEXT_DIRECTORY_ROOT !== '',
    'CONTEXT_DIRECTORY_ROOT is not set',
  );
  assertDirectory(CONTEXT_SIGNING_KEY !== undefined && CONTEXT_SIGNING_KEY !== '', 'CONTEXT_SIGNING_KEY is not set');
  const directory = await loadDirectory(CONTEXT_DIRECTORY, { root: CONTEXT_DIRECTORY_ROOT, env, now: Date.now() });
  const pkcs8 = decodeBase64url(CONTEXT_SIGNING_KEY);
  assertDirectory(pkcs8 !== undefined, 'CONTEXT_SIGNING_KEY is not base64url');
  const x = await publicKeyOf(pkcs8).catch(() => '');
  const kid = directory.librarian(self)?.keys.find((candidate) => candidate.x === x)?.kid;
  assertDirectory(kid !== undefined, `the key in CONTEXT_SIGNING_KEY is not one of ${self} in the directory`);
  return { self, directory, signer: await importSigner(pkcs8, { id: self, kid }) };
};

const localIdentity = async (
  { CONTEXT_KEY_SEED: seed = LOCAL_SEED, CONTEXT_LOCAL_LIBRARIANS: more = '', CONTEXT_PARTNERS }: IdentityVariables,
  { self, env }: { self: string; env: string },
): Promise<Identity> => {
  assertDirectory(
    env === 'development',
    'derived keys are for development, set CONTEXT_DIRECTORY or ENVIRONMENT=development',
  );
  const ids = [self, ...more.split(',').map((id) => id.trim())].filter((id) => id !== '');
  const librarians = { ...Object.fromEntries(ids.map((id) => [id, {}])), ...LOCAL_LIBRARIANS };
  const directory = await localDirectory(librarians, seed, parsePartners(CONTEXT_PARTNERS));
  return { self, directory, signer: await localSigner(self, seed) };
};

/** Parsed only; the directory validates the entries. */
const parsePartners = (text: string | undefined): Record<string, DirectoryEntry> => {
  if (text === undefined || text === '') return {};
  try {
    // openDirectory refuses invalid entries.
    return JSON.parse(text) as Record<string, DirectoryEntry>;
  } catch {
    throw new IdentityRefused('Cannot sign calls: CONTEXT_PARTNERS is not JSON');
  }
};

function assertDirectory(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new IdentityRefused(`Cannot sign calls: ${problem}`);
}

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
