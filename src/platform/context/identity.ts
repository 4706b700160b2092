import * as z from 'zod';
import { type Bytes, decodeBase64url, encodeBase64url, sha256, utf8 } from '../encoding.ts';
import { lruCache } from '../lru-cache.ts';
import {
  environmentSettings,
  readSettings,
  SettingRefused,
  type Settings,
  type SettingsSchema,
  type Variables,
} from '../settings/settings.ts';
import { json, list, text } from '../settings/values.ts';
import { importSigner, pkcs8Of, publicKeyOf, type Signer } from './compact-jws.ts';
import { LOCAL_LIBRARIANS } from './internal-librarians.ts';
import {
  type DirectoryEntry,
  type KeyDirectory,
  loadDirectory,
  MAX_DIRECTORY,
  openDirectory,
} from './key-directory.ts';

/** Default seed of the derived keys. It is public, so for local development only. */
const LOCAL_SEED = 'local-dev';

/** The variables and secrets of a function's identity. */
export const identitySettings = {
  ...environmentSettings,
  CONTEXT_SIGNING_KEY: {
    ...text({
      what: "The function's own signing key (`npx constellation keys`)",
      allowed: 'a private key as PKCS8 in base64url',
      otherwise: 'derived, in development',
    }),
    secret: true,
  },
  CONTEXT_DIRECTORY: text({
    what: 'The signed directory of all keys; `npm run deploy` sets it',
    allowed: 'a compact JWS',
    max: MAX_DIRECTORY,
    otherwise: 'derived, in development',
  }),
  CONTEXT_DIRECTORY_ROOT: text({
    what: 'The public key that the directory is checked with; `npm run deploy` sets it',
    allowed: 'the `x` of an Ed25519 key',
  }),
  CONTEXT_KEY_SEED: text({
    what: 'Development only: what the derived keys are made of',
    usual: LOCAL_SEED,
    otherwise: 'a fixed one',
  }),
  CONTEXT_LOCAL_LIBRARIANS: list({ what: 'Development only: ids of further internal librarians' }),
  // Parsed only; the directory validates the entries.
  CONTEXT_PARTNERS: json(z.record(z.string(), z.unknown()), {
    what: 'Development only: partner librarians ([librarians](librarians.md))',
    example: '{"<id>": {"keys": [{"kid", "x"}], "host": "127.0.0.1:9000"}}',
    usual: {},
    otherwise: 'none',
  }),
} satisfies SettingsSchema;
export type IdentityVariables = Variables<typeof identitySettings>;

/** The identity of a function towards other functions. */
export interface Identity {
  self: string;
  signer: Signer;
  directory: KeyDirectory;
}

/**
 * Reads the identity of a function from its environment, once per isolate: with a directory, the key of `self` must be in it; without
 * one, derived keys, in development only.
 *
 * @throws {SettingRefused} When something is missing or does not fit together.
 * @throws {DirectoryRefused} When the directory is not acceptable.
 */
export function identityFrom(variables: IdentityVariables, self: string): Promise<Identity> {
  const key = JSON.stringify([self, ...IDENTITY_VARIABLES.map((name) => variables[name])]);
  return identities.getOr(key, () => {
    const identity = readIdentity(variables, self);
    // A failure is not cached: the next request reads again.
    identity.catch(() => identities.delete(key));
    return identity;
  });
}

/** Their names. */
export const IDENTITY_VARIABLES = Object.keys(
  identitySettings,
) as (keyof typeof identitySettings)[];

/** More than one only where several functions share an isolate, as in tests. */
const MAX_IDENTITIES = 64;
const identities = lruCache<string, Promise<Identity>>({ max: MAX_IDENTITIES });

const readIdentity = async (variables: IdentityVariables, self: string): Promise<Identity> => {
  const settings = readSettings(identitySettings, variables);
  const {
    ENVIRONMENT: env,
    CONTEXT_SIGNING_KEY,
    CONTEXT_DIRECTORY,
    CONTEXT_DIRECTORY_ROOT,
  } = settings;
  if (CONTEXT_DIRECTORY === undefined) return localIdentity(settings, self);
  assertSet(CONTEXT_DIRECTORY_ROOT, 'CONTEXT_DIRECTORY_ROOT');
  assertSet(CONTEXT_SIGNING_KEY, 'CONTEXT_SIGNING_KEY');
  const directory = await loadDirectory(CONTEXT_DIRECTORY, {
    root: CONTEXT_DIRECTORY_ROOT,
    env,
    now: Date.now(),
  });
  const pkcs8 = decodeBase64url(CONTEXT_SIGNING_KEY);
  if (pkcs8 === undefined) throw new SettingRefused('CONTEXT_SIGNING_KEY', 'it is not base64url');
  const x = await publicKeyOf(pkcs8).catch(() => '');
  const kid = directory.librarian(self)?.keys.find((candidate) => candidate.x === x)?.kid;
  if (kid === undefined)
    throw new SettingRefused(
      'CONTEXT_SIGNING_KEY',
      `the key is not one of ${self} in the directory`,
    );
  return { self, directory, signer: await importSigner(pkcs8, { id: self, kid }) };
};

const localIdentity = async (
  settings: Settings<typeof identitySettings>,
  self: string,
): Promise<Identity> => {
  const {
    ENVIRONMENT,
    CONTEXT_KEY_SEED: seed,
    CONTEXT_LOCAL_LIBRARIANS,
    CONTEXT_PARTNERS,
  } = settings;
  if (ENVIRONMENT !== 'development')
    throw new SettingRefused(
      'CONTEXT_DIRECTORY',
      'it is not set, and derived keys are for development. Set it, or ENVIRONMENT=development',
    );
  const ids = [self, ...CONTEXT_LOCAL_LIBRARIANS];
  const librarians = { ...Object.fromEntries(ids.map((id) => [id, {}])), ...LOCAL_LIBRARIANS };
  // openDirectory refuses invalid entries.
  const partners = CONTEXT_PARTNERS as Record<string, DirectoryEntry>;
  return {
    self,
    directory: await localDirectory(librarians, seed, partners),
    signer: await localSigner(self, seed),
  };
};

function assertSet(value: string | undefined, name: string): asserts value is string {
  if (value === undefined) throw new SettingRefused(name, 'it is not set');
}

/**
 * A directory of derived keys, without files and the same on every start. Development only.
 *
 * @param partners External librarians, with their own keys and host.
 */
export async function localDirectory(
  librarians: Record<string, Omit<DirectoryEntry, 'keys'>> = LOCAL_LIBRARIANS,
  seed: string = LOCAL_SEED,
  partners: Readonly<Record<string, DirectoryEntry>> = {},
): Promise<KeyDirectory> {
  const ids = Object.keys(librarians);
  const publicKeys = await Promise.all(
    ids.map(async (id) => publicKeyOf(await localKey(id, seed))),
  );
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
}

/** The signer that belongs to one id of `localDirectory`. */
export async function localSigner(id: string, seed: string = LOCAL_SEED): Promise<Signer> {
  return importSigner(await localKey(id, seed), { id, kid: localKid(id) });
}

/** The private key of one id as it would stand in `CONTEXT_SIGNING_KEY`. */
export async function localSigningKey(id: string, seed: string = LOCAL_SEED): Promise<string> {
  return encodeBase64url(await localKey(id, seed));
}

/** The year 2100, in seconds. */
const NEVER = 4_102_444_800;

const localKid = (id: string): string => `dev.${id}.1`;

const localKey = async (id: string, seed: string): Promise<Bytes> => {
  const secret = await crypto.subtle.importKey(
    'raw',
    utf8(seed),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return pkcs8Of(
    new Uint8Array(await crypto.subtle.sign('HMAC', secret, utf8(`librarian-dev-key/${id}/1`))),
  );
};
