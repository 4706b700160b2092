import { type Bytes, decodeBase64url, sha256, utf8 } from '../encoding.ts';
import { isUsableHost } from '../http/public-address.ts';
import { AUDIENCE } from './capabilities.ts';
import { importSigner, readJws, signJws } from './compact-jws.ts';
import { MAX_AUDIENCES } from './limits.ts';
import { CAPABILITY, LIBRARIAN_ID } from './link-claims.ts';
import { ContextRefused } from './request-context.ts';

/** Claims of a key directory; public. Times are seconds since 1970. */
export interface DirectoryClaims {
  /** Version of this form: 1. */
  v: number;
  /** `production` or `development`; keys of one never verify in the other. */
  env: string;
  /** Counts up with each publication. */
  seq: number;
  /** Expiry: from then on the directory is refused. */
  exp: number;
  librarians: Record<string, DirectoryEntry>;
}

export interface DirectoryEntry {
  keys: { kid: string; x: string; nbf?: number; exp?: number }[];
  /** Kinds of subject that it may speak for. Every librarian may speak for itself (`svc:`) and for anonymous callers (`anon:`). */
  origin?: ('user' | 'anon' | 'svc')[];
  /** Workspaces in which it may start contexts; `*` for all. None when absent. */
  ws?: string[];
  /** The most capabilities that it ever holds: in contexts that it starts, is given or hands down. Absent: none for a partner, any for a function of ours. */
  cap?: string[];
  /** The most audiences whose articles it ever gets. Absent: none for a partner, any for a function of ours. */
  see?: string[];
  /** Workspaces in which it holds `cap` and `see`; in contexts of others it holds nothing. Absent, or `*`: all. */
  workspaces?: string[];
  /** Public host, called over HTTPS: `librarians.example.org`. */
  host?: string;
  /** Links issued before are refused. */
  revokedBefore?: number;
}

/** Owners of keys, and the contexts that each librarian may start. */
export interface KeyDirectory {
  /** Changes with the content; caches of one version are not used with another. */
  version: string;
  env: string;
  /** Counts up with each publication. */
  sequence: number;
  expiresAtMs: number;
  librarian(id: string): DirectoryEntry | undefined;
  ids(): string[];
  key(kid: string): DirectoryKey | undefined;
}

interface DirectoryKey {
  kid: string;
  /** Its only owner. */
  librarian: string;
  x: string;
  /** Seconds; a link counts when its `iat` lies within. */
  nbf: number;
  exp: number;
  /** Whether `signature` is valid for `bytes` under this key. Never throws. */
  verify(signature: Bytes, bytes: Bytes): Promise<boolean>;
}

/** The most capabilities that a librarian of the directory holds in a workspace. */
export function capabilitiesOf(
  directory: KeyDirectory,
  id: string,
  workspace?: string,
): readonly string[] {
  const entry = directory.librarian(id);
  if (!holdsRightsIn(entry, workspace)) return [];
  return entry?.cap ?? (id.startsWith('partner.') ? [] : ['*']);
}

/** The most audiences whose articles a librarian of the directory gets in a workspace. */
export function audiencesOf(
  directory: KeyDirectory,
  id: string,
  workspace?: string,
): readonly string[] {
  const entry = directory.librarian(id);
  if (!holdsRightsIn(entry, workspace)) return [];
  return entry?.see ?? (isExternal(directory, id) ? [] : ['*']);
}

const holdsRightsIn = (entry: DirectoryEntry | undefined, workspace: string | undefined): boolean =>
  entry?.workspaces?.some((allowed) => allowed === '*' || allowed === workspace) ?? true;

/** Whether a librarian is run by others, and called over the network. */
export function isExternal(directory: KeyDirectory, id: string): boolean {
  return id.startsWith('partner.') || directory.librarian(id)?.host !== undefined;
}

/** A directory that cannot be used; the message says why. */
export class DirectoryRefused extends Error {
  override readonly name = 'DirectoryRefused';
}

/**
 * Checks a directory and makes its keys usable; each is imported on first use.
 *
 * @throws {DirectoryRefused} For a malformed directory, an invalid id or kid, a duplicate kid, a key that is not 32 bytes or of low
 * order.
 */
export function openDirectory(claims: unknown, { version }: { version: string }): KeyDirectory {
  const { env, seq, exp, librarians } = checkDirectory(claims);
  const entries = new Map(Object.entries(librarians));
  const keys = new Map<string, DirectoryKey>();
  for (const [id, entry] of entries) {
    for (const key of entry.keys) {
      assertDirectory(!keys.has(key.kid), `kid ${key.kid} occurs twice`);
      keys.set(key.kid, directoryKey(id, key));
    }
  }
  return {
    version,
    env,
    sequence: seq,
    expiresAtMs: exp * 1000,
    librarian: (id) => entries.get(id),
    ids: () => [...entries.keys()],
    key: (kid) => keys.get(kid),
  };
}

/**
 * Whether an encoded point has a small order, so that anyone can forge signatures that verify: 14 encodings, the 7 below with either
 * sign.
 */
const isLowOrder = (point: Uint8Array): boolean => {
  let text = '';
  point.forEach((byte, index) => {
    text += (index === 31 ? byte & 0x7f : byte).toString(16).padStart(2, '0');
  });
  return LOW_ORDER.has(text);
};

const LOW_ORDER = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

const directoryKey = (
  librarian: string,
  { kid, x, nbf = 0, exp = Infinity }: DirectoryEntry['keys'][number],
) => {
  let imported: Promise<CryptoKey> | undefined;
  const point = decodeBase64url(x);
  assertDirectory(point?.length === 32, `key ${kid} is not 32 bytes`);
  assertDirectory(point !== undefined && !isLowOrder(point), `key ${kid} is of low order`);
  const verify = async (signature: Bytes, bytes: Bytes): Promise<boolean> => {
    try {
      imported ??= crypto.subtle.importKey('raw', point, 'Ed25519', false, ['verify']);
      return await crypto.subtle.verify('Ed25519', await imported, signature, bytes);
    } catch {
      return false;
    }
  };
  return { kid, librarian, x, nbf, exp, verify };
};

const checkDirectory = (claims: unknown): DirectoryClaims => {
  assertDirectory(isObject(claims) && claims.v === 1, 'v is not 1');
  assertDirectory(typeof claims.env === 'string', 'env is missing');
  assertDirectory(isCount(claims.seq) && isCount(claims.exp), 'seq or exp is missing');
  assertDirectory(isObject(claims.librarians), 'librarians are missing');
  const entries = Object.entries(claims.librarians);
  assertDirectory(entries.length <= 1000, 'there are more than 1000 librarians');
  for (const [id, entry] of entries) checkEntry(id, entry, claims.env);
  // Each member has just been checked.
  return claims as unknown as DirectoryClaims;
};

const checkEntry = (id: string, entry: unknown, env: string): void => {
  assertDirectory(LIBRARIAN_ID.test(id), `${id} is not a librarian id`);
  assertDirectory(
    isObject(entry) && Array.isArray(entry.keys) && entry.keys.length <= 8,
    `${id} has no list of keys`,
  );
  for (const key of entry.keys) {
    assertDirectory(
      isObject(key) && typeof key.kid === 'string' && typeof key.x === 'string',
      `${id} has a key without kid or x`,
    );
    assertDirectory(ownsKid(id, key.kid), `kid ${key.kid} is not one of ${id}`);
    assertDirectory(
      isCount(key.nbf ?? 0) && isCount(key.exp ?? 0),
      `key ${key.kid} has a window that is no time`,
    );
  }
  assertDirectory(
    isListOf(entry.origin, /^(?:user|anon|svc)$/),
    `origin of ${id} is not a list of kinds`,
  );
  assertDirectory(isListOf(entry.ws, WORKSPACES), `ws of ${id} is not a list of workspaces`);
  assertDirectory(
    isListOf(entry.workspaces, WORKSPACES),
    `workspaces of ${id} is not a list of workspaces`,
  );
  assertDirectory(isListOf(entry.cap, CAPABILITY), `cap of ${id} is not a list of capabilities`);
  assertDirectory(
    isListOf(entry.see, AUDIENCE, MAX_AUDIENCES),
    `see of ${id} is not a list of at most 20 audiences`,
  );
  assertDirectory(isHost(entry.host, env), `host of ${id} is not a public name`);
  assertDirectory(isCount(entry.revokedBefore ?? 0), `revokedBefore of ${id} is no time`);
};

const WORKSPACES = /^(?:\*|[A-Za-z0-9][A-Za-z0-9_-]{0,63})$/;

/** `<id>.<n>`, or `dev.<id>.<n>` for derived keys. */
const ownsKid = (id: string, kid: string): boolean => {
  const own = kid.startsWith(`dev.${id}.`) ? kid.slice(4) : kid;
  return own.startsWith(`${id}.`) && /^[0-9]{1,6}$/.test(own.slice(id.length + 1));
};

const isListOf = (value: unknown, pattern: RegExp, most = Number.POSITIVE_INFINITY): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.length <= most &&
    value.every((item) => typeof item === 'string' && pattern.test(item)));

const isHost = (host: unknown, env: string): boolean =>
  host === undefined || (typeof host === 'string' && isUsableHost(host, env));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** One named check of a directory. */
function assertDirectory(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new DirectoryRefused(`Cannot use the key directory: ${problem}`);
}

/** Requirements on a directory, whatever its source. */
interface DirectoryRequirements {
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
export async function loadDirectory(
  text: string,
  expected: DirectoryRequirements,
): Promise<KeyDirectory> {
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
    assertDirectory(
      env !== 'production' || !keys.some(({ kid }) => kid.startsWith('dev.')),
      `${id} has a derived key`,
    );
  }
  return directory;
}

/** Signs a directory with the offline root key; for a deploy script. `privateKey` is PKCS8 in base64url. */
export async function signDirectory(
  claims: DirectoryClaims,
  { privateKey }: { privateKey: string },
): Promise<string> {
  const pkcs8 = decodeBase64url(privateKey);
  assertDirectory(pkcs8 !== undefined, 'the root key is not base64url');
  return signJws(claims, {
    typ: 'ctx-directory+jwt',
    signer: await importSigner(pkcs8, { id: 'root', kid: 'root' }),
  });
}

const readSigned = async (text: string, root: string): Promise<Record<string, unknown>> => {
  assertDirectory(text.length <= MAX_DIRECTORY, 'it is larger than 1 MiB');
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

/** Characters of a signed directory. Ample: `openDirectory` accepts at most 1,000 librarians. */
export const MAX_DIRECTORY = 1_048_576;
