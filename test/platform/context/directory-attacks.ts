import { pkcs8Of, publicKeyOf } from '../../../src/platform/context/compact-jws.ts';
import { localSigningKey } from '../../../src/platform/context/identity.ts';
import type { DirectoryClaims } from '../../../src/platform/context/key-directory.ts';
import { decodeBase64url } from '../../../src/platform/encoding.ts';
import { directoryClaims, editClaims, type Kit, NOW } from './attack-kit.ts';
import type { Attack } from './attacks.ts';
import { LOW_ORDER_KEYS } from './receipt-attacks.ts';

/** The offline root, and an untrusted one. */
export const ROOT_KEY = await localSigningKey('root', 'root');
const OTHER_ROOT_KEY = await localSigningKey('root', 'other');
const ROOT = await publicKeyOf(decodeBase64url(ROOT_KEY) ?? pkcs8Of(new Uint8Array(32)));

/** A directory as it would be published: production, kids without `dev.`. */
export async function productionClaims(): Promise<DirectoryClaims> {
  const claims = await directoryClaims();
  for (const { keys } of Object.values(claims.librarians))
    for (const key of keys) key.kid = key.kid.slice(4);
  return { ...claims, env: 'production' };
}

export const EXPECTED = { root: ROOT, env: 'production' as const, now: NOW };

const attack = (
  number: string,
  name: string,
  reason: string,
  change: {
    claims?: (claims: DirectoryClaims) => unknown;
    key?: string;
    edit?: (text: string, kit: Kit) => Promise<string> | string;
    expected?: Partial<Parameters<Kit['runtime']['loadDirectory']>[1]>;
  },
): Attack => ({
  number,
  name,
  refused: ['DirectoryRefused', `Cannot use the key directory: ${reason}`],
  run: async (kit) => {
    const claims = await productionClaims();
    const changed = change.claims?.(claims) ?? claims;
    // Some of the changed claims are intentionally no directory.
    const text = await kit.runtime.signDirectory(changed as DirectoryClaims, {
      privateKey: change.key ?? ROOT_KEY,
    });
    return kit.runtime.loadDirectory((await change.edit?.(text, kit)) ?? text, {
      ...EXPECTED,
      ...change.expected,
    });
  },
});

/** The directory with a changed entry of `billing`. */
const entry = (number: string, name: string, reason: string, change: object): Attack => {
  const claims = (honest: DirectoryClaims) => {
    Object.assign(honest.librarians.billing ?? {}, change);
    return honest;
  };
  return attack(number, name, reason, { claims });
};

/** The directory with a changed key of `billing`. */
const key = (number: string, name: string, reason: string, change: object): Attack => {
  const claims = (honest: DirectoryClaims) => {
    Object.assign(honest.librarians.billing?.keys[0] ?? {}, change);
    return honest;
  };
  return attack(number, name, reason, { claims });
};

const SEE = 'see of billing is not a list of at most 20 audiences';
export const DIRECTORY_ATTACKS: Attack[] = [
  attack('D1', 'a rollback to an older one', 'its seq 7 is older than 8', {
    expected: { lastSeq: 8 },
  }),
  attack('D2', 'one that has expired', 'it has expired', { expected: { now: NOW + 86_400_000 } }),
  attack('D3', 'one signed by another root', 'it is not signed by the root', {
    key: OTHER_ROOT_KEY,
  }),
  attack('D3a', 'one edited after signing', 'it is not signed by the root', {
    edit: (text) => editClaims(text, (claims) => claims.replace('"seq":7', '"seq":8')),
  }),
  ...LOW_ORDER_KEYS.map((x, index) =>
    key(
      `89.${index + 1}`,
      `a key of low order, encoding ${index + 1} of 14`,
      'key billing.1 is of low order',
      { x },
    ),
  ),
  attack('D4', 'a root of low order', 'the root key is not usable', {
    expected: { root: LOW_ORDER_KEYS[1] ?? '' },
  }),
  attack('D4a', 'a root that is no key', 'the root key is not usable', {
    expected: { root: 'AAAA' },
  }),
  attack(
    'D5',
    'ids outside the prefix that the root may vouch for',
    'its root may not certify gateway',
    {
      expected: { prefix: 'partner.' },
    },
  ),
  attack(
    'D6',
    'a directory of staging in production (T28)',
    'it is for staging, this is production',
    {
      claims: (claims) => ({ ...claims, env: 'staging' }),
    },
  ),
  key('D7', 'a derived key in production', 'billing has a derived key', { kid: 'dev.billing.1' }),
  attack('87', 'the same kid twice', 'kid billing.1 occurs twice', {
    claims: (claims) => {
      claims.librarians.billing?.keys.push(...claims.librarians.billing.keys);
      return claims;
    },
  }),
  key('D8', 'a kid of another librarian', 'kid gateway.2 is not one of billing', {
    kid: 'gateway.2',
  }),
  key('D8a', 'a kid without a number', 'kid billing.x is not one of billing', { kid: 'billing.x' }),
  key('D9', 'a key of 31 bytes', 'key billing.1 is not 32 bytes', { x: 'A'.repeat(42) }),
  attack('D10', 'another version of the form', 'v is not 1', {
    claims: (claims) => ({ ...claims, v: 2 }),
  }),
  attack('D10a', 'no environment', 'env is missing', { claims: ({ env: _, ...claims }) => claims }),
  attack('D10b', 'no seq', 'seq or exp is missing', { claims: ({ seq: _, ...claims }) => claims }),
  attack('D10c', 'no librarians', 'librarians are missing', {
    claims: ({ librarians: _, ...claims }) => claims,
  }),
  attack('D10d', '1001 librarians', 'there are more than 1000 librarians', {
    claims: (claims) => ({
      ...claims,
      librarians: Object.fromEntries(
        Array.from({ length: 1001 }, (_, n) => [`n${n}`, { keys: [] }]),
      ),
    }),
  }),
  attack('D10e', 'an id in capitals', 'Billing is not a librarian id', {
    claims: (claims) => ({ ...claims, librarians: { Billing: { keys: [] } } }),
  }),
  entry('D10f', 'a librarian without keys', 'billing has no list of keys', { keys: undefined }),
  key('D10g', 'a key without x', 'billing has a key without kid or x', { x: undefined }),
  key('D10h', 'a window that is text', 'key billing.1 has a window that is no time', {
    exp: 'never',
  }),
  entry('D10i', 'an origin of an unknown kind', 'origin of billing is not a list of kinds', {
    origin: ['root'],
  }),
  entry('D10j', 'workspaces that are no list', 'ws of billing is not a list of workspaces', {
    ws: '*',
  }),
  entry('D10k', 'capabilities that are none', 'cap of billing is not a list of capabilities', {
    cap: ['kb read'],
  }),
  entry('D10o', 'audiences that are none', SEE, { see: ['The staff'] }),
  entry('D10p', '21 audiences', SEE, { see: Array(21).fill('staff') }),
  entry('D10l', 'revoked before no time', 'revokedBefore of billing is no time', {
    revokedBefore: -1,
  }),
  entry('D10m', 'a host that only one network knows', 'host of billing is not a public name', {
    host: '10.0.0.1',
  }),
  entry('D10n', 'this machine, in production', 'host of billing is not a public name', {
    host: '127.0.0.1:8787',
  }),
  attack('D11', 'a link as directory', 'the type is not the one expected here', {
    edit: async (_, kit) => kit.travel(['gateway', 'billing']),
  }),
  attack('D12', 'more than 1 MiB', 'it is larger than 1 MiB', {
    edit: () => 'A'.repeat(1_048_577),
  }),
  attack('D13', 'a root private key that is not base64url', 'the root key is not base64url', {
    key: 'not a key',
  }),
];
