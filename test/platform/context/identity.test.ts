import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeSigningKey } from '../../../src/platform/context/compact-jws.ts';
import { type IdentityVariables, identityFrom } from '../../../src/platform/context/identity.ts';
import { LOCAL_LIBRARIANS } from '../../../src/platform/context/internal-librarians.ts';
import {
  type DirectoryClaims,
  signDirectory,
} from '../../../src/platform/context/key-directory.ts';
import { utf8 } from '../../../src/platform/encoding.ts';

/** A deployment: a root, a key, a signed directory. */
const deployment = async (change: Partial<DirectoryClaims> = {}) => {
  const root = await makeSigningKey();
  const navigator = await makeSigningKey();
  const librarians = { navigator: { keys: [{ kid: 'navigator.1', x: navigator.x }] } };
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { v: 1, env: 'production', seq: 1, exp, librarians, ...change };
  return {
    ENVIRONMENT: 'production',
    CONTEXT_SIGNING_KEY: navigator.privateKey,
    CONTEXT_DIRECTORY: await signDirectory(claims, root),
    CONTEXT_DIRECTORY_ROOT: root.x,
  } satisfies IdentityVariables;
};

describe('identityFrom() in production', async () => {
  it('signs with the key of its kid in the directory', async () => {
    const { signer, directory } = await identityFrom(await deployment(), 'navigator');
    const bytes = utf8('anything');
    expect(signer.kid).toBe('navigator.1');
    expect(await directory.key('navigator.1')?.verify(await signer.sign(bytes), bytes)).toBe(true);
  });
  it('accepts a directory of hundreds of librarians', async () => {
    const { x } = await makeSigningKey();
    const others = Array.from({ length: 300 }, (_, at) => [
      `other-${at}`,
      { keys: [{ kid: `other-${at}.1`, x }] },
    ]);
    const own = await makeSigningKey();
    const librarians = {
      navigator: { keys: [{ kid: 'navigator.1', x: own.x }] },
      ...Object.fromEntries(others),
    };
    const variables = {
      ...(await deployment({ librarians })),
      CONTEXT_SIGNING_KEY: own.privateKey,
    };
    expect(variables.CONTEXT_DIRECTORY.length).toBeGreaterThan(20_000);
    expect((await identityFrom(variables, 'navigator')).signer.kid).toBe('navigator.1');
  });
  it('does not expose the private key', async () => {
    const variables = await deployment();
    const identity = await identityFrom(variables, 'navigator');
    expect(JSON.stringify(identity)).not.toContain(variables.CONTEXT_SIGNING_KEY.slice(24));
    expect(Object.keys(identity.signer).toSorted()).toEqual(['id', 'kid', 'sign']);
  });
  it('creates a key that fits a Worker secret: 64 characters of PKCS8', async () => {
    const { privateKey } = await makeSigningKey();
    const key = createPrivateKey({
      key: Buffer.from(privateKey, 'base64url'),
      format: 'der',
      type: 'pkcs8',
    });
    expect([privateKey.length, key.asymmetricKeyType]).toEqual([64, 'ed25519']);
  });
  const { privateKey, x } = await makeSigningKey();
  const DERIVED = /derived keys are for development/;
  const production = { ENVIRONMENT: 'production' };
  const deployedWith = (changed: IdentityVariables) => async () => ({
    ...(await deployment()),
    ...changed,
  });
  it.each<[string, () => IdentityVariables | Promise<IdentityVariables>, RegExp]>([
    ['derived keys', () => production, DERIVED],
    ['derived keys without an environment', () => ({}), DERIVED],
    ['a seed', () => ({ ...production, CONTEXT_KEY_SEED: 'x' }), DERIVED],
    [
      'a directory without its root',
      deployedWith({ CONTEXT_DIRECTORY_ROOT: '' }),
      /CONTEXT_DIRECTORY_ROOT: it is not set/,
    ],
    [
      'no key',
      deployedWith({ CONTEXT_SIGNING_KEY: undefined }),
      /CONTEXT_SIGNING_KEY: it is not set/,
    ],
    [
      'a key that is not base64url',
      deployedWith({ CONTEXT_SIGNING_KEY: '%' }),
      /CONTEXT_SIGNING_KEY: it is not base64url/,
    ],
    [
      "another's key",
      deployedWith({ CONTEXT_SIGNING_KEY: privateKey }),
      /is not one of navigator in the directory/,
    ],
    [
      'T28 a directory of development',
      () => deployment({ env: 'development' }),
      /for development, this is production/,
    ],
    [
      'a directory of another root',
      deployedWith({ CONTEXT_DIRECTORY_ROOT: x }),
      /not signed by the root/,
    ],
  ])('refuses to start with %s', async (_, variables, message) => {
    await expect(identityFrom(await variables(), 'navigator')).rejects.toThrow(message);
  });
});

describe('identityFrom() in development', () => {
  const DEVELOPMENT = { ENVIRONMENT: 'development' };
  it('derives the keys of all functions from the seed, the same everywhere', async () => {
    const { directory } = await identityFrom(DEVELOPMENT, 'gateway');
    expect(directory.ids()).toEqual(expect.arrayContaining(Object.keys(LOCAL_LIBRARIANS)));
    // Computed independently: HMAC, then the public half by Node's own crypto (signed context 4.12).
    const seed = createHmac('sha256', 'local-dev').update('librarian-dev-key/navigator/1').digest();
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    expect(directory.key('dev.navigator.1')?.x).toBe(publicKey.export({ format: 'jwk' }).x);
  });
  it('derives different keys from another seed', async () => {
    const [first, second] = await Promise.all(
      ['a', 'b'].map((seed) => identityFrom({ ...DEVELOPMENT, CONTEXT_KEY_SEED: seed }, 'gateway')),
    );
    expect(first?.directory.key('dev.gateway.1')?.x).not.toBe(
      second?.directory.key('dev.gateway.1')?.x,
    );
    expect(first?.directory.version).not.toBe(second?.directory.version);
  });
  it('contains itself and configured librarians, which may not originate contexts', async () => {
    const { directory } = await identityFrom(
      { ...DEVELOPMENT, CONTEXT_LOCAL_LIBRARIANS: 'faq, gateway' },
      'notes',
    );
    expect(directory.librarian('notes')).toMatchObject({ keys: [{ kid: 'dev.notes.1' }] });
    expect(directory.librarian('faq')?.ws).toBeUndefined();
    expect(directory.librarian('gateway')?.origin).toEqual(['user', 'anon']);
  });
  it('is read once for the same variables', async () => {
    const first = await identityFrom(DEVELOPMENT, 'memory');
    expect(await identityFrom({ ...DEVELOPMENT }, 'memory')).toBe(first);
  });
  it('reads again after a failure', async () => {
    const bad = { ENVIRONMENT: 'production' };
    const [first, second] = [identityFrom(bad, 'memory'), identityFrom(bad, 'memory')];
    expect(second).toBe(first);
    await expect(first).rejects.toThrow();
    const third = identityFrom(bad, 'memory');
    expect(third).not.toBe(first);
    await expect(third).rejects.toThrow();
  });
});
