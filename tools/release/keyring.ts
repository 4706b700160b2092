import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeSigningKey } from '../../src/platform/context/compact-jws.ts';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import {
  type DirectoryClaims,
  openDirectory,
  signDirectory,
} from '../../src/platform/context/key-directory.ts';

/** A year: how long a signed directory may be used before `npx constellation keys renew`. */
const DIRECTORY_LIFETIME_SECONDS = 365 * 24 * 3600;
/** What a variable of a function may hold on Cloudflare. */
const MAX_VARIABLE_BYTES = 5 * 1024;
/** Fewer than a directory accepts for one librarian, so that a rotation is always possible after `retire`. */
const MAX_KEYS = 7;

const SIGNED_DIRECTORY = 'directory.jws';

/** Files of a keyring: the root's private key stays offline, each `<id>.key` becomes that function's secret. */
export interface Keyring {
  folder: string;
  claims: DirectoryClaims;
}

/** Subfolder of a keyring that is being made. Complete once it has the signed directory, which is written last. */
const UNFINISHED = 'unfinished';

/**
 * Makes a root key, a key for every librarian, and the directory that the root signs. After an interruption at any point the same call
 * completes the keyring, or replaces what was begun.
 *
 * @throws {Error} When there is a keyring already, or a root key whose directory is missing.
 */
export async function createKeyring(folder: string, { now }: { now: number }): Promise<Keyring> {
  const unfinished = join(folder, UNFINISHED);
  if (!existsSync(join(unfinished, SIGNED_DIRECTORY))) {
    refuseExisting(folder);
    // None of these keys has been used: they are in no directory.
    rmSync(unfinished, { recursive: true, force: true });
    await writeKeyring(unfinished, { now });
  }
  // Setup looks for the signed directory, so it comes last.
  const names = readdirSync(unfinished).filter((name) => name !== SIGNED_DIRECTORY);
  for (const name of [...names, SIGNED_DIRECTORY])
    renameSync(join(unfinished, name), join(folder, name));
  rmSync(unfinished, { recursive: true });
  return openKeyring(folder);
}

const refuseExisting = (folder: string): void => {
  if (!existsSync(join(folder, 'root.key'))) return;
  if (existsSync(join(folder, SIGNED_DIRECTORY)))
    throw new Error(`Cannot make a keyring: ${folder} holds one already`);
  throw new Error(
    `Cannot make a keyring: ${folder} holds root.key, but no ${SIGNED_DIRECTORY}. Bring back directory.json and ${SIGNED_DIRECTORY}, or move the folder away if nothing was deployed with it`,
  );
};

const writeKeyring = async (folder: string, { now }: { now: number }): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const root = await makeSigningKey();
  writeSecret(folder, 'root.key', root.privateKey);
  writeWhole(join(folder, 'root.pub'), `${root.x}\n`);
  const librarians: DirectoryClaims['librarians'] = {};
  for (const [id, rights] of Object.entries(LOCAL_LIBRARIANS)) {
    const { kid, x, privateKey } = await newKey(id, 1);
    librarians[id] = { ...rights, keys: [{ kid, x }] };
    writeSecret(folder, `${id}.key`, privateKey);
  }
  await publish(
    { folder, claims: { v: 1, env: 'production', seq: 0, exp: 0, librarians } },
    { now },
  );
};

/**
 * Adds the next key of one librarian beside the old one; both count until `retire`. A function that was added after the keyring gets its
 * first key.
 */
export async function rotateKey(
  folder: string,
  id: string,
  { now }: { now: number },
): Promise<Keyring> {
  const keyring = openKeyring(folder);
  const own = LOCAL_LIBRARIANS[id];
  if (own !== undefined) keyring.claims.librarians[id] ??= { ...own, keys: [] };
  const { keys } = entryOf(keyring, id);
  const next = nextNumber(keys);
  if (keys.length >= MAX_KEYS)
    throw new Error(`Cannot add a key for ${id}: it has ${keys.length}, run retire first`);
  const { kid, x, privateKey } = await newKey(id, next);
  keys.push({ kid, x });
  // The old private key is replaced only once a directory contains the new one.
  const published = await publish(keyring, { now });
  writeSecret(folder, `${id}.key`, privateKey);
  return published;
}

/** Leaves one librarian with its newest key; everything that older ones have signed is refused from then on. */
export async function retireKeys(
  folder: string,
  id: string,
  { now }: { now: number },
): Promise<Keyring> {
  const keyring = openKeyring(folder);
  const entry = entryOf(keyring, id);
  entry.keys = entry.keys.slice(-1);
  return publish(keyring, { now });
}

/** Adds a partner librarian by its public key; `host` is where it is called, `entry` the contexts that it may start. */
export async function addPartner(
  folder: string,
  id: string,
  {
    now,
    x,
    ...entry
  }: { now: number; x: string } & Omit<DirectoryClaims['librarians'][string], 'keys'>,
): Promise<Keyring> {
  const keyring = openKeyring(folder);
  if (Object.hasOwn(LOCAL_LIBRARIANS, id))
    throw new Error(`Cannot add ${id}: it is one of the product's own functions`);
  const { keys = [] } = keyring.claims.librarians[id] ?? {};
  keyring.claims.librarians[id] = {
    ...entry,
    keys: [...keys, { kid: `${id}.${nextNumber(keys)}`, x }],
  };
  return publish(keyring, { now });
}

/** Removes a partner librarian: whatever it has signed is refused from then on. */
export async function removePartner(
  folder: string,
  id: string,
  { now }: { now: number },
): Promise<Keyring> {
  const keyring = openKeyring(folder);
  if (Object.hasOwn(LOCAL_LIBRARIANS, id))
    throw new Error(`Cannot remove ${id}: it is one of the product's own functions`);
  entryOf(keyring, id);
  delete keyring.claims.librarians[id];
  return publish(keyring, { now });
}

/** Signs the directory again, for another year. */
export function renewDirectory(folder: string, { now }: { now: number }): Promise<Keyring> {
  return publish(openKeyring(folder), { now });
}

/**
 * The published directory of a folder, which a machine that only deploys has without the keyring. Not verified: the functions do that.
 *
 * @throws {Error} When the folder has none.
 */
export function publishedDirectory(folder: string): DirectoryClaims {
  const file = join(folder, SIGNED_DIRECTORY);
  if (!existsSync(file))
    throw new Error(
      `There is no key directory in ${folder}/. Make one with npx constellation keys`,
    );
  const [, claims = ''] = readFileSync(file, 'utf8').split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as DirectoryClaims; // as `publish` wrote it
}

/** Variables of every function: the signed directory, and the key to check it with. Throws when the folder has none. */
export function directoryVariables(folder: string): {
  CONTEXT_DIRECTORY: string;
  CONTEXT_DIRECTORY_ROOT: string;
} {
  const [directory, root] = [join(folder, SIGNED_DIRECTORY), join(folder, 'root.pub')];
  if (!existsSync(directory) || !existsSync(root))
    throw new Error(
      `There is no key directory in ${folder}/. Make one with npx constellation keys`,
    );
  const read = (file: string): string => readFileSync(file, 'utf8').trim();
  return { CONTEXT_DIRECTORY: read(directory), CONTEXT_DIRECTORY_ROOT: read(root) };
}

const openKeyring = (folder: string): Keyring => {
  const file = join(folder, 'directory.json');
  if (!existsSync(file)) throw new Error(`Cannot open the keyring: ${file} does not exist`);
  return { folder, claims: JSON.parse(readFileSync(file, 'utf8')) as DirectoryClaims };
};

const entryOf = ({ claims }: Keyring, id: string) => {
  const entry = claims.librarians[id];
  if (entry === undefined)
    throw new Error(`Cannot change the keys of ${id}: the directory holds no such librarian`);
  return entry;
};

const publish = async (
  { folder, claims: old }: Keyring,
  { now }: { now: number },
): Promise<Keyring> => {
  const claims = {
    ...old,
    librarians: withOwnRights(old.librarians),
    seq: old.seq + 1,
    exp: Math.floor(now / 1000) + DIRECTORY_LIFETIME_SECONDS,
  };
  const privateKey = readFileSync(join(folder, 'root.key'), 'utf8').trim();
  // Refuses here what a function would refuse when it starts.
  openDirectory(claims, { version: 'to be published' });
  const signed = await signDirectory(claims, { privateKey });
  if (signed.length > MAX_VARIABLE_BYTES)
    throw new Error(
      `Cannot publish the directory: it has ${signed.length} bytes, a variable holds ${MAX_VARIABLE_BYTES}`,
    );
  writeWhole(join(folder, 'directory.json'), `${JSON.stringify(claims, null, 2)}\n`);
  writeWhole(join(folder, SIGNED_DIRECTORY), `${signed}\n`);
  return { folder, claims };
};

/** Our functions have the rights that this version of the code gives them, whatever an earlier one published. */
const withOwnRights = (librarians: DirectoryClaims['librarians']): DirectoryClaims['librarians'] =>
  Object.fromEntries(
    Object.entries(librarians).map(([id, { keys, ...rights }]) => [
      id,
      { ...(LOCAL_LIBRARIANS[id] ?? rights), keys },
    ]),
  );

const nextNumber = (keys: readonly { kid: string }[]): number =>
  1 + Math.max(0, ...keys.map(({ kid }) => Number(kid.slice(kid.lastIndexOf('.') + 1))));

const newKey = async (id: string, number: number) => ({
  kid: `${id}.${number}`,
  ...(await makeSigningKey()),
});

const writeSecret = (folder: string, name: string, text: string): void =>
  writeWhole(join(folder, name), text, { mode: 0o600 });

/** Replaces a file whole: after an interruption it has its old content or the new one. */
const writeWhole = (file: string, text: string, { mode }: { mode?: number } = {}): void => {
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
};
