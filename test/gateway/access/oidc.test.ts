import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../src/gateway/access/gateway-error.ts';
import {
  oidcTokens,
  type Provider,
  readProviders,
  type Tokens,
} from '../../../src/gateway/access/oidc.ts';
import { SettingRefused } from '../../../src/platform/settings/settings.ts';
import { loopbackServer } from '../../platform/http/loopback-server.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
const FORGED = /its signature is not of the identity provider/;
const AUDIENCE = 'https://kb.example.com';
let server: Awaited<ReturnType<typeof loopbackServer>>;
let issuer: string;
let keys: Map<string, KeyPair>;
let metadata: () => object;
let fetches: string[];
let tokens: Tokens;

/** An identity provider: discovery and keys, over HTTP. */
beforeEach(async () => {
  keys = new Map([['one', await generateKeyPair('ES256')]]);
  fetches = [];
  server = await loopbackServer(async ({ url = '' }, response) => {
    fetches.push(url);
    const published = [...keys].map(async ([kid, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg: 'ES256',
      use: 'sig',
    }));
    const jwks = await Promise.all(published);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url.startsWith('/keys') ? { keys: jwks } : metadata()));
  });
  issuer = server.url;
  metadata = () => ({ issuer, jwks_uri: `${issuer}/keys?p=1` });
  tokens = oidcTokens([provider()]);
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

const provider = (): Provider => ({
  issuer,
  audience: AUDIENCE,
  grants: [
    {
      claims: { groups: 'editors' },
      workspaces: ['default', 'docs'],
      capabilities: ['kb:*'],
      rate: 'high',
      audiences: ['staff', { name: 'legal', claims: { groups: 'lawyers' } }],
    },
    {
      claims: { 'realm_access.roles': 'reader', scope: 'kb' },
      workspaces: ['docs'],
      capabilities: ['kb:read'],
    },
  ],
});

interface Signing {
  kid?: string;
  by?: KeyPair | Uint8Array | undefined;
  expires?: string;
}
const sign = async (
  claims: object,
  { kid = 'one', by = keys.get(kid), expires = '5m' }: Signing = {},
) => {
  if (by === undefined) throw new Error(`Cannot sign: there is no key ${kid}`);
  const [alg, key] = by instanceof Uint8Array ? ['HS256', by] : ['ES256', by.privateKey];
  const token = new SignJWT({
    iss: issuer,
    aud: AUDIENCE,
    sub: 'kim',
    ...claims,
  }).setProtectedHeader({ alg, kid });
  return token.setIssuedAt().setExpirationTime(expires).sign(key);
};

const refusalOf = async (token: string): Promise<string> => {
  const error = await tokens.find(token).catch((caught: unknown) => caught);
  return error instanceof GatewayError
    ? `${error.code}: ${error.reported.message}`
    : `no refusal: ${String(error)}`;
};

const EDITOR = { groups: ['staff', 'editors'] };
const READER = { realm_access: { roles: ['reader'] }, scope: 'openid kb' };
const UNKNOWN = generateKeyPair('ES256');

describe('a token of an identity provider', () => {
  it.each<[string, object, object]>([
    [
      'its first grant',
      EDITOR,
      { workspaces: ['default', 'docs'], capabilities: ['kb:*'], rate: 'high' },
    ],
    ['another grant', READER, { workspaces: ['docs'], capabilities: ['kb:read'], audiences: [] }],
    ['the audiences of its grant', EDITOR, { audiences: ['staff'] }],
    [
      'audiences whose claims match',
      { groups: ['editors', 'lawyers'] },
      { audiences: ['staff', 'legal'] },
    ],
  ])('has the rights of %s whose claims match', async (_, claims, rights) => {
    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(await tokens.find(await sign({ ...claims, name: 'Dana Ortiz' }))).toMatchObject({
      name: 'Dana Ortiz',
      ...rights,
      id,
      authentication: 'oidc',
    });
  });
  it('identifies one person: the same at every sign-in, different from others', async () => {
    const idOf = async (more: object = {}) =>
      (await tokens.find(await sign({ ...EDITOR, ...more }))).id;
    expect(await idOf({ jti: '2' })).toBe(await idOf());
    expect(await idOf({ sub: 'lee' })).not.toBe(await idOf());
  });
  it('differs from an API key by its form', () => {
    expect(tokens.reads('ck_reader_0123456789abcdef')).toBe(false);
    expect(tokens.reads('eyJhbGciOiJub25lIn0.e30.c2ln')).toBe(true);
    expect(oidcTokens([]).reads('eyJhbGciOiJub25lIn0.e30.c2ln')).toBe(false);
  });

  const unsigned = () =>
    new UnsecuredJWT({ iss: issuer, aud: AUDIENCE, sub: 'kim', ...EDITOR }).setExpirationTime('5m');
  it.each<[string, () => Promise<string> | string, RegExp]>([
    [
      'without a claim that a grant requires',
      () => sign({ groups: ['staff'] }),
      /its claims give no rights here/,
    ],
    ['with only a part of a claim', () => sign({ ...READER, scope: 'kbx' }), /no rights/],
    [
      'for another audience',
      () => sign({ ...EDITOR, aud: 'https://other.example.com' }),
      /its claim aud/,
    ],
    [
      'of another issuer',
      () => sign({ ...EDITOR, iss: 'https://evil.example.com' }),
      /its issuer is not accepted/,
    ],
    ['that has expired', () => sign(EDITOR, { expires: '-2m' }), /it has expired/],
    [
      'that is not valid yet',
      () => sign({ ...EDITOR, nbf: Math.floor(Date.now() / 1000) + 600 }),
      /its claim nbf/,
    ],
    ['with an empty subject', () => sign({ ...EDITOR, sub: '' }), /its claim sub/],
    ['without a subject', () => sign({ ...EDITOR, sub: null }), /its claim sub/],
    [
      'signed with another key under the same id',
      async () => sign(EDITOR, { by: await UNKNOWN }),
      FORGED,
    ],
    [
      'signed with an unknown key',
      async () => sign(EDITOR, { kid: 'two', by: await UNKNOWN }),
      FORGED,
    ],
    ['without a signature', () => `${unsigned().encode()}c2ln`, /algorithm is not accepted/],
    [
      'signed with a shared secret',
      () => sign(EDITOR, { by: new Uint8Array(32) }),
      /algorithm is not accepted/,
    ],
    [
      'whose text is cut',
      async () => (await sign(EDITOR)).slice(0, -3),
      /signature is not of|cannot be read/,
    ],
    ['that is no JSON', () => 'eyJhbGciOiJFUzI1NiJ9.bm90.c2ln', /it cannot be read/],
    ['that is too long', () => `eyJ${'a'.repeat(9000)}.e30.c2ln`, /more than 8000 characters/],
  ])('%s is refused with the reason', async (_, made, says) => {
    const refusal = await refusalOf(await made());
    expect(refusal).toMatch(/^UNAUTHORIZED: Cannot accept the token: /);
    expect(refusal).toMatch(says);
  });
});

describe('the keys of a provider', () => {
  it('are found by discovery, and fetched once for many tokens', async () => {
    for (let count = 0; count < 5; count += 1) await tokens.find(await sign(EDITOR));
    expect(fetches).toEqual(['/.well-known/openid-configuration', '/keys?p=1']);
  });
  it('can rotate: half a minute later the new key is accepted, and the old one is not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await tokens.find(await sign(EDITOR));
    const old = await sign(EDITOR);
    keys = new Map([['two', await generateKeyPair('ES256')]]);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await tokens.find(await sign(EDITOR, { kid: 'two' }))).toMatchObject({
      authentication: 'oidc',
    });
    expect(await refusalOf(old)).toMatch(FORGED);
  });
  it('that cannot be fetched lead to SERVICE_UNAVAILABLE', async () => {
    const token = await sign(EDITOR);
    await server.close();
    expect(await refusalOf(token)).toMatch(/^SERVICE_UNAVAILABLE: Cannot check the token/);
  });
  it('and its addresses are asked for once while it is down, however many tokens come, and again soon', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const genuine = metadata;
    const token = await sign(EDITOR, { expires: '1h' });
    tokens = oidcTokens([provider()], { now: () => Date.now() });
    metadata = () => ({});
    for (let count = 0; count < 20; count += 1)
      expect(await refusalOf(token)).toMatch(/^SERVICE_UNAVAILABLE/);
    expect(
      await Promise.allSettled(Array.from({ length: 20 }, () => tokens.metadataOf(issuer))),
    ).toMatchObject(Array.from({ length: 20 }, () => ({ status: 'rejected' })));
    expect(fetches).toEqual(['/.well-known/openid-configuration']);
    vi.setSystemTime(Date.now() + 11_000);
    metadata = () => ({ ...genuine(), jwks_uri: `${issuer}/nothing` });
    keys = new Map();
    for (let count = 0; count < 20; count += 1)
      expect(await refusalOf(token)).toMatch(/^SERVICE_UNAVAILABLE/);
    expect(fetches).toEqual([...Array(2).fill('/.well-known/openid-configuration'), '/nothing']);
  });
  it('are asked for once by many that come together', async () => {
    const token = await sign(EDITOR);
    await Promise.all(Array.from({ length: 20 }, () => tokens.find(token)));
    expect(fetches).toEqual(['/.well-known/openid-configuration', '/keys?p=1']);
  });
  it('are not fetched from metadata of another issuer', async () => {
    metadata = () => ({ issuer: 'https://evil.example.com', jwks_uri: `${issuer}/keys` });
    expect(await refusalOf(await sign(EDITOR))).toMatch(/^SERVICE_UNAVAILABLE/);
    expect(fetches).toEqual(['/.well-known/openid-configuration']);
  });
});

describe('OIDC_PROVIDERS', () => {
  const text = (changes: object) =>
    JSON.stringify([{ ...provider(), issuer: 'https://login.example.com/', ...changes }]);
  const granting = (grant: object) =>
    text({ grants: [{ workspaces: ['a'], capabilities: [], ...grant }] });

  it('is a list of providers', () => {
    expect(readProviders({ OIDC_PROVIDERS: text({}) })).toHaveLength(1);
    expect(readProviders({ OIDC_PROVIDERS: '' })).toEqual([]);
  });
  it.each<[string, () => string, RegExp]>([
    ['no JSON', () => '[{', /it is not JSON: `/],
    ['an unknown member', () => text({ audiance: 'x' }), /audiance/],
    ['no grant', () => text({ grants: [] }), /grants/],
    ['an invalid capability', () => granting({ capabilities: ['kb read'] }), /capabilities/],
    ['a reserved audience', () => granting({ audiences: ['none'] }), /audiences/],
    [
      'an address without https',
      () => text({ issuer: 'http://login.example.com' }),
      /not an https address/,
    ],
    [
      'an address of this machine',
      () => text({ jwks_uri: 'https://127.0.0.1/keys' }),
      /does not name a public host/,
    ],
  ])('with %s is refused with the reason', (_, setting, says) => {
    const read = () => readProviders({ OIDC_PROVIDERS: setting() });
    expect(read).toThrow(SettingRefused);
    expect(read).toThrow(says);
  });
});
