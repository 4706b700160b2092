import { expect, it } from 'vitest';
import {
  importSigner,
  makeSigningKey,
  signJws,
} from '../../../src/platform/context/compact-jws.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { type DirectoryEntry, openDirectory } from '../../../src/platform/context/key-directory.ts';
import { ContextRefused } from '../../../src/platform/context/request-context.ts';
import { signedClient } from '../../../src/platform/context/signed-client.ts';
import { verifyContext } from '../../../src/platform/context/verify-context.ts';
import { decodeBase64url, randomHex, sha256, utf8 } from '../../../src/platform/encoding.ts';
import { userContext } from './callers.ts';

const PARTNER = 'partner.shop';
/** Seconds since 1970: no link outlives the one before it. */
const NOW = Math.floor(Date.now() / 1000);
const BODY = '{"query":"Where?"}';

/** A partner that may read in one workspace, and everybody's view of it. */
const prepared = async (limits: Partial<DirectoryEntry> = { workspaces: ['default'] }) => {
  const { privateKey, x } = await makeSigningKey();
  const entry = {
    keys: [{ kid: `${PARTNER}.1`, x }],
    host: 'shop.example.org',
    origin: ['svc'],
    ws: ['*'],
  };
  const rights = { cap: ['kb:read'], see: ['partners'], ...limits };
  const variables = {
    ENVIRONMENT: 'development',
    CONTEXT_PARTNERS: JSON.stringify({ [PARTNER]: { ...entry, ...rights } }),
  };
  const identity = await identityFrom(variables, 'gateway');
  const signer = await importSigner(decodeBase64url(privateKey)!, {
    id: PARTNER,
    kid: `${PARTNER}.1`,
  });
  return { identity, signer };
};

/** Claims of the link that the gateway hands to the partner in a workspace. */
const handedTo = async (workspace: string, limits?: Partial<DirectoryEntry>) => {
  const { identity, signer } = await prepared(limits);
  let token = '';
  const target = {
    fetch: async (request: Request) => {
      token = request.headers.get('Context-Token') ?? '';
      return new Response();
    },
  };
  const client = signedClient({
    ...identity,
    targets: { [PARTNER]: target },
    log: () => undefined,
  });
  const context = userContext({
    workspace,
    capabilities: ['kb:read', 'sql:read'],
    audiences: ['partners', 'staff'],
  });
  await client.call(context, { to: PARTNER, path: `/librarians/${PARTNER}/ask`, body: BODY });
  const claims = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;
  return { token, claims, identity, signer };
};

/** What a function of ours takes from a token. */
const received = async (
  token: string,
  { directory }: Awaited<ReturnType<typeof prepared>>['identity'],
) => {
  const op = 'POST /librarians/navigator/ask';
  return verifyContext(token, {
    self: 'navigator',
    directory,
    now: Date.now(),
    op,
    body: () => utf8(BODY),
  });
};

const linkTo = async (
  to: string,
  claims: object,
  signer: Awaited<ReturnType<typeof prepared>>['signer'],
) => {
  const call = {
    iss: signer.id,
    aud: to,
    jti: randomHex(8),
    iat: NOW,
    exp: NOW + 20,
    op: `POST /librarians/${to}/ask`,
  };
  return signJws({ ...call, bd: await sha256(utf8(BODY)), ...claims }, { typ: 'ctx+jwt', signer });
};

it.each([
  ['default', undefined, ['kb:read'], ['partners']],
  ['acme', undefined, [], []],
  ['acme', { workspaces: ['*'] }, ['kb:read'], ['partners']],
  ['acme', { workspaces: undefined }, ['kb:read'], ['partners']],
])(
  'in a question of the workspace %s a partner for %j gets the rights %j',
  async (workspace, limits, cap, see) => {
    const { claims } = await handedTo(workspace, limits as Partial<DirectoryEntry>);
    expect([claims.cap, claims.see ?? []]).toEqual([cap, see]);
  },
);

it.each([
  ['default', ['kb:read']],
  ['acme', []],
])(
  'passes on in the workspace %s no more than it holds there, whatever its token says: %j',
  async (workspace, expected) => {
    const { identity, signer } = await prepared();
    const { signer: gateway } = identity;
    const user = {
      hop: 0,
      tid: randomHex(16),
      sub: 'user:u_1',
      ws: workspace,
      amr: 'key',
      max: 8,
      bud: { calls: 8 },
    };
    const root = await linkTo(PARTNER, { ...user, cap: ['kb:read'] }, gateway);
    const next = await linkTo('navigator', { hop: 1, prv: await sha256(utf8(root)) }, signer);
    expect((await received(`${root}~${next}`, identity)).capabilities).toEqual(expected);
  },
);

it('starts no context with rights in a workspace where it holds none', async () => {
  const { identity, signer } = await prepared();
  const start = (ws: string) => {
    const own = {
      hop: 0,
      tid: randomHex(16),
      sub: `svc:${PARTNER}`,
      ws,
      amr: 'key',
      max: 8,
      bud: { calls: 8 },
    };
    return linkTo('navigator', { ...own, cap: ['kb:read'] }, signer);
  };
  expect((await received(await start('default'), identity)).capabilities).toEqual(['kb:read']);
  await expect(received(await start('acme'), identity)).rejects.toThrow(ContextRefused);
});

it('an entry whose workspaces are no names is refused', () => {
  const librarians = { [PARTNER]: { keys: [], workspaces: ['not a name'] } };
  const claims = { v: 1, env: 'development', seq: 1, exp: 1, librarians };
  expect(() => openDirectory(claims, { version: '1' })).toThrow('workspaces of partner.shop');
});
