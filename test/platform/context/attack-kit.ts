import type { Signer } from '../../../src/platform/context/compact-jws.ts';
import { localDirectory, localSigner } from '../../../src/platform/context/identity.ts';
import type {
  DirectoryClaims,
  DirectoryEntry,
  KeyDirectory,
} from '../../../src/platform/context/key-directory.ts';
import type { extendContext } from '../../../src/platform/context/link-claims.ts';
import type {
  OriginContext,
  originate,
  VerifiedContext,
} from '../../../src/platform/context/request-context.ts';
import type { verifyContext } from '../../../src/platform/context/verify-context.ts';
import {
  type Bytes,
  decodeBase64url,
  encodeBase64url,
  sha256,
  utf8,
} from '../../../src/platform/encoding.ts';
import type { Runtime } from './real-runtime.ts';

type Verification = Parameters<typeof verifyContext>[1];

type Origin = Parameters<typeof originate>[0];

export const NOW = 1_795_220_125_854;
export const OP = 'POST /librarians/billing/ask';
export const BODY = utf8('{"query":"Why is my invoice higher?"}');
export const SEED = 'attacks';

/** The librarians. `mallory` is registered and may originate contexts; it is compromised. */
const LIBRARIANS: Record<string, Omit<DirectoryEntry, 'keys'>> = {
  gateway: { origin: ['user', 'anon'], ws: ['acme', 'default'] },
  webhooks: { origin: ['svc'], ws: ['*'], cap: ['support:analyze', 'kb:read'] },
  triage: {},
  billing: {},
  search: {},
  archive: {},
  mallory: { origin: ['svc'], ws: ['*'], cap: ['kb:read'], see: ['sales'] },
  'partner.acme': { cap: ['kb:read'] },
  'partner.trusted': { cap: ['kb:read'], see: ['sales', 'legal'] },
  hosted: { host: 'librarians.acme.com' },
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8'].map((id) => [id, {}])),
};

/** Eight hops that end at `billing`. */
export const LONG_PATH = ['gateway', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'billing'];
export type Claims = Record<string, unknown>;

/** Tools of an attacker with some keys, and of honest librarians. */
export interface Kit {
  runtime: Runtime;
  directory: KeyDirectory;
  signer(id: string): Signer;
  /** Claims of an honest link at a position of a path. */
  claims(path: readonly string[], hop: number): Claims;
  /** A chain along a path, signed by each issuer; `edit` changes the claims of a hop before it is signed. */
  forge(
    path: readonly string[],
    edit?: (claims: Claims, hop: number) => Claims | undefined,
  ): Promise<string>;
  /** One link of any header and claims, by any key. */
  link(claims: Claims | string | Bytes, by: string, header?: string): Promise<string>;
  /** A chain made by the runtime itself: mint, verify, extend, verify... */
  travel(
    path: readonly string[],
    request?: Partial<Parameters<typeof extendContext>[1]>,
  ): Promise<string>;
  origin(known?: Partial<Origin>): OriginContext;
  /** Verifies a token as `billing`. */
  verify(token: string, known?: Partial<Verification>): Promise<VerifiedContext>;
}

export function headerOf(kid: string, { alg = 'EdDSA', typ = 'ctx+jwt' } = {}): string {
  return `{"alg":"${alg}","kid":"${kid}","typ":"${typ}"}`;
}

export function kidOf(id: string): string {
  return `dev.${id}.1`;
}

const shared = (async () => {
  const ids = Object.keys(LIBRARIANS);
  const signers = await Promise.all(ids.map((id) => localSigner(id, SEED)));
  const directory = await localDirectory(LIBRARIANS, SEED);
  return { signers: new Map(signers.map((signer) => [signer.id, signer])), directory };
})();

/** The public claims of the directory, to be changed by a test. */
export async function directoryClaims(): Promise<DirectoryClaims> {
  const { directory } = await shared;
  const entries = directory.ids().map((id) => [id, structuredClone(directory.librarian(id))]);
  return {
    v: 1,
    env: 'development',
    seq: 7,
    exp: (NOW + 86_400_000) / 1000,
    librarians: Object.fromEntries(entries),
  };
}

export async function createKit(runtime: Runtime): Promise<Kit> {
  const { signers } = await shared;
  const directory = runtime.openDirectory(await directoryClaims(), { version: 'v1' });
  const signer = (id: string): Signer => {
    const found = signers.get(id);
    if (found === undefined) throw new Error(`no key for ${id}`);
    return found;
  };
  const verify: Kit['verify'] = (token, known = {}) =>
    runtime.verifyContext(token, {
      self: 'billing',
      directory,
      op: OP,
      body: () => BODY,
      now: NOW,
      ...known,
    });
  const origin: Kit['origin'] = (known = {}) =>
    runtime.originate({ ...ORIGIN, now: NOW, ...known });
  const link: Kit['link'] = async (claims, by, header = headerOf(kidOf(by))) => {
    const payload = claims instanceof Uint8Array ? claims : utf8(textOf(claims));
    const signed = `${encodeBase64url(utf8(header))}.${encodeBase64url(payload)}`;
    return `${signed}.${encodeBase64url(await signer(by).sign(utf8(signed)))}`;
  };
  const bd = await sha256(BODY);
  const claimsAt: Kit['claims'] = (path, hop) => ({
    ...(hop === 0 ? ROOT : {}),
    iss: path[hop],
    aud: path[hop + 1],
    hop,
    jti: `00000000000000${hop + 10}`,
    iat: NOW / 1000,
    exp: (NOW + 30_000) / 1000,
    op: opFor(path[hop + 1] ?? ''),
    bd,
  });
  const forge: Kit['forge'] = async (path, edit) => {
    const links: string[] = [];
    for (let hop = 0; hop < path.length - 1; hop += 1) {
      const before = links.at(-1);
      const honest = {
        ...claimsAt(path, hop),
        ...(before === undefined ? {} : { prv: await sha256(utf8(before)) }),
      };
      links.push(await link(edit?.(honest, hop) ?? honest, path[hop] ?? ''));
    }
    return links.join('~');
  };
  const travel: Kit['travel'] = async (path, request = {}) => {
    let context: OriginContext | VerifiedContext = origin();
    let token = '';
    for (let hop = 0; hop < path.length - 1; hop += 1) {
      const [self = '', aud = ''] = [path[hop], path[hop + 1]];
      if (hop > 0) context = await verify(token, { self, op: opFor(self), cache: undefined });
      const call = { signer: signer(self), aud, op: opFor(aud), body: BODY, now: NOW, ...request };
      ({ token } = await runtime.signLink(context, call));
    }
    return token;
  };
  return { runtime, directory, signer, claims: claimsAt, forge, link, travel, origin, verify };
}

export function opFor(id: string): string {
  return `POST /librarians/${id}/ask`;
}

const ORIGIN = {
  self: 'gateway',
  subject: 'user:u_8f2kd03ka9',
  workspace: 'acme',
  authentication: 'session',
  capabilities: ['kb:*', 'sql:read'],
  audiences: ['staff', 'sales'],
  budgets: { tokens: 20_000, calls: 24 },
};

const ROOT = {
  tid: 'f10bdce1f10bdce1f10bdce1f10bdce1',
  sub: ORIGIN.subject,
  ws: ORIGIN.workspace,
  amr: ORIGIN.authentication,
  max: 8,
  cap: ORIGIN.capabilities,
  see: ORIGIN.audiences,
  bud: ORIGIN.budgets,
};

const textOf = (claims: Claims | string): string =>
  typeof claims === 'string' ? claims : JSON.stringify(claims);

/** Changes the bytes of one part (0 header, 1 claims, 2 signature) of a link. */
export function editPart(link: string, part: number, edit: (bytes: Bytes) => Uint8Array): string {
  return link
    .split('.')
    .map((text, index) =>
      index === part ? encodeBase64url(edit(decodeBase64url(text) ?? new Uint8Array())) : text,
    )
    .join('.');
}

/** Changes the text of a link's claims and leaves the signature as it is. */
export function editClaims(link: string, edit: (text: string) => string): string {
  return editPart(link, 1, (bytes) => utf8(edit(new TextDecoder().decode(bytes))));
}

/** Changes one link of a token. */
export function editLink(token: string, hop: number, edit: (link: string) => string): string {
  return token
    .split('~')
    .map((link, index) => (index === hop ? edit(link) : link))
    .join('~');
}
