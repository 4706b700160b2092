import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../src/gateway/gateway-error.ts';
import { oidcTokens, type Provider, readProviders, type Tokens } from '../../src/gateway/oidc.ts';
import { SettingRefused } from '../../src/http/public-address.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

const AUDIENCE = 'https://kb.example.com';

let server: Server;
let issuer: string;
let keys: Map<string, KeyPair>;
let metadata: () => object;
let fetches: string[];
let tokens: Tokens;

/** An identity provider: discovery and keys, over HTTP. */
beforeEach(async () => {
  keys = new Map([['one', await generateKeyPair('ES256')]]);
  fetches = [];
  server = createServer(async ({ url = '' }, response) => {
    fetches.push(url);
    const jwks = await Promise.all(
      [...keys].map(async ([kid, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg: 'ES256',
        use: 'sig',
      })),
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url.startsWith('/keys') ? { keys: jwks } : metadata()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  metadata = () => ({ issuer, jwks_uri: `${issuer}/keys?p=1` });
  tokens = oidcTokens([provider()]);
});
afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

const provider = (changes: Partial<Provider> = {}): Provider => ({
  ...{ issuer, audience: AUDIENCE },
  grants: [
    {
      ...{ claims: { groups: 'editors' }, workspaces: ['default', 'docs'], capabilities: ['kb:*'], rate: 'high' },
      audiences: ['staff', { name: 'legal', claims: { groups: 'lawyers' } }],
    },
    { claims: { 'realm_access.roles': 'reader', scope: 'kb' }, workspaces: ['docs'], capabilities: ['kb:read'] },
  ],
  ...changes,
});

const EDITOR = { groups: ['staff', 'editors'] };

const sign = async (
  claims: JWTPayload,
  {
    kid = 'one',
    by = keys.get(kid),
    expires = '5m',
  }: { kid?: string; by?: KeyPair | undefined; expires?: string } = {},
): Promise<string> => {
  const token = new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'kim', ...claims }).setProtectedHeader({
    alg: 'ES256',
    kid,
  });
  if (by === undefined) throw new Error(`Cannot sign: there is no key ${kid}`);
  return token.setIssuedAt().setExpirationTime(expires).sign(by.privateKey);
};

const refusalOf = async (token: string): Promise<string> => {
  const error = await tokens.find(token).catch((caught: unknown) => caught);
  return error instanceof GatewayError ? `${error.code}: ${error.reported.message}` : `no refusal: ${String(error)}`;
};

describe('a token of an identity provider', () => {
  it('has the rights of the first grant whose claims match', async () => {
    expect(await tokens.find(await sign(EDITOR))).toMatchObject({
      ...{ workspaces: ['default', 'docs'], capabilities: ['kb:*'], rate: 'high', authentication: 'oidc' },
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const reader = { realm_access: { roles: ['reader'] }, scope: 'openid kb' };
    expect(await tokens.find(await sign(reader))).toMatchObject({ workspaces: ['docs'], capabilities: ['kb:read'] });
  });

  it('has the audiences of its grant, and those whose own claims match', async () => {
    const audiencesOf = async (claims: JWTPayload) => (await tokens.find(await sign(claims))).audiences;
    expect(await audiencesOf(EDITOR)).toEqual(['staff']);
    expect(await audiencesOf({ groups: ['editors', 'lawyers'] })).toEqual(['staff', 'legal']);
    expect(await audiencesOf({ realm_access: { roles: ['reader'] }, scope: 'kb' })).toEqual([]);
  });

  it('identifies one person: the same at every sign-in, different from others', async () => {
    const [first, again, other] = [
      await tokens.find(await sign(EDITOR)),
      await tokens.find(await sign({ ...EDITOR, jti: '2' })),
      await tokens.find(await sign({ ...EDITOR, sub: 'lee' })),
    ];
    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
  });

  it('differs from an API key by its form', () => {
    expect(tokens.reads('ck_reader_0123456789abcdef')).toBe(false);
    expect(tokens.reads('eyJhbGciOiJub25lIn0.e30.c2ln')).toBe(true);
    expect(oidcTokens([]).reads('eyJhbGciOiJub25lIn0.e30.c2ln')).toBe(false);
  });

  it.each<[string, () => Promise<string> | string, RegExp]>([
    ['without a claim that a grant requires', () => sign({ groups: ['staff'] }), /its claims give no rights here/],
    ['with only a part of a claim', () => sign({ realm_access: { roles: ['reader'] }, scope: 'kbx' }), /no rights/],
    ['for another audience', () => sign({ ...EDITOR, aud: 'https://other.example.com' }), /its claim aud/],
    ['of another issuer', () => sign({ ...EDITOR, iss: 'https://evil.example.com' }), /its issuer is not accepted/],
    ['that has expired', () => sign(EDITOR, { expires: '-2m' }), /it has expired/],
    ['that is not valid yet', () => sign({ ...EDITOR, nbf: Math.floor(Date.now() / 1000) + 600 }), /its claim nbf/],
    ['with an empty subject', () => sign({ ...EDITOR, sub: '' }), /its claim sub/],
    ['without a subject', () => sign({ ...EDITOR, sub: null } as unknown as JWTPayload), /its claim sub/],
    [
      'signed with another key under the same id',
      async () => sign(EDITOR, { by: await generateKeyPair('ES256') }),
      /its signature is not of the identity provider/,
    ],
    [
      'signed with an unknown key of the provider',
      async () => sign(EDITOR, { kid: 'two', by: await generateKeyPair('ES256') }),
      /its signature is not of the identity provider/,
    ],
    [
      'without a signature',
      () =>
        `${new UnsecuredJWT({ iss: issuer, aud: AUDIENCE, sub: 'kim', ...EDITOR }).setExpirationTime('5m').encode()}c2ln`,
      /algorithm is not accepted/,
    ],
    [
      'signed with a shared secret',
      () => {
        const token = new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'kim', ...EDITOR }).setProtectedHeader({
          alg: 'HS256',
          kid: 'one',
        });
        return token.setExpirationTime('5m').sign(new TextEncoder().encode('x'.repeat(32)));
      },
      /algorithm is not accepted/,
    ],
    ['whose text is cut', async () => (await sign(EDITOR)).slice(0, -3), /signature is not of|cannot be read/],
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
    expect(await tokens.find(await sign(EDITOR, { kid: 'two' }))).toMatchObject({ authentication: 'oidc' });
    expect(await refusalOf(old)).toMatch(/its signature is not of the identity provider/);
  });

  it('that cannot be fetched lead to SERVICE_UNAVAILABLE', async () => {
    const token = await sign(EDITOR);
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
    expect(await refusalOf(token)).toMatch(/^SERVICE_UNAVAILABLE: Cannot check the token/);
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

  it('is a list of providers', () => {
    expect(readProviders(text({}), { isLocal: false })).toHaveLength(1);
    expect(readProviders('', { isLocal: false })).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '[{', /it is not JSON/],
    ['an unknown member', text({ audiance: 'x' }), /audiance/],
    ['no grant', text({ grants: [] }), /grants/],
    ['an invalid capability', text({ grants: [{ workspaces: ['a'], capabilities: ['kb read'] }] }), /capabilities/],
    [
      'a reserved audience',
      text({ grants: [{ workspaces: ['a'], capabilities: [], audiences: ['none'] }] }),
      /audiences/,
    ],
    ['an address without https', text({ issuer: 'http://login.example.com' }), /not an https address/],
    ['an address of this machine', text({ jwks_uri: 'https://127.0.0.1/keys' }), /does not name a public host/],
  ])('with %s is refused with the reason', (_, setting, says) => {
    expect(() => readProviders(setting, { isLocal: false })).toThrow(SettingRefused);
    expect(() => readProviders(setting, { isLocal: false })).toThrow(says);
  });
});
