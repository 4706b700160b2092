import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_LIBRARIANS } from '../../signing/internal-librarians.ts';
import { type DirectoryClaims, openDirectory } from '../../signing/key-directory.ts';
import { signDirectory } from '../../signing/signed-directory.ts';
import { makeSigningKey } from '../../signing/signer.ts';

/** A year: how long a signed directory may be used before `npm run keys -- renew`. */
const DIRECTORY_LIFETIME_SECONDS = 365 * 24 * 3600;
/** What a variable of a function may hold on Cloudflare. */
const MAX_VARIABLE_BYTES = 5 * 1024;
/** Fewer than a directory accepts for one librarian, so that a rotation is always possible after `retire`. */
const MAX_KEYS = 7;

/** Files of a keyring: the root's private key stays offline, each `<id>.key` becomes that function's secret. */
export interface Keyring {
  folder: string;
  claims: DirectoryClaims;
}

/** Makes a root key, a key for every librarian, and the directory that the root signs. Throws when there is one already. */
export const createKeyring = async (folder: string, { now }: { now: number }): Promise<Keyring> => {
  if (existsSync(join(folder, 'root.key'))) throw new Error(`Cannot make a keyring: ${folder} holds one already`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const root = await makeSigningKey();
  writeSecret(folder, 'root.key', root.privateKey);
  writeFileSync(join(folder, 'root.pub'), `${root.x}\n`);
  const librarians: DirectoryClaims['librarians'] = {};
  for (const [id, rights] of Object.entries(LOCAL_LIBRARIANS)) {
    const { kid, x, privateKey } = await newKey(id, 1);
    librarians[id] = { ...rights, keys: [{ kid, x }] };
    writeSecret(folder, `${id}.key`, privateKey);
  }
  return publish({ folder, claims: { v: 1, env: 'production', seq: 0, exp: 0, librarians } }, { now });
};

/**
 * Adds the next key of one librarian beside the old one; both count until `retire`. A function that was added after the keyring gets its
 * first key.
 */
export const rotateKey = async (folder: string, id: string, { now }: { now: number }): Promise<Keyring> => {
  const keyring = openKeyring(folder);
  const own = LOCAL_LIBRARIANS[id];
  if (own !== undefined) keyring.claims.librarians[id] ??= { ...own, keys: [] };
  const { keys } = entryOf(keyring, id);
  const next = nextNumber(keys);
  if (keys.length >= MAX_KEYS) throw new Error(`Cannot add a key for ${id}: it has ${keys.length}, run retire first`);
  const { kid, x, privateKey } = await newKey(id, next);
  keys.push({ kid, x });
  // The old private key is replaced only once a directory contains the new one.
  const published = await publish(keyring, { now });
  writeSecret(folder, `${id}.key`, privateKey);
  return published;
};

/** Leaves one librarian with its newest key; everything that older ones have signed is refused from then on. */
export const retireKeys = async (folder: string, id: string, { now }: { now: number }): Promise<Keyring> => {
  const keyring = openKeyring(folder);
  const entry = entryOf(keyring, id);
  entry.keys = entry.keys.slice(-1);
  return publish(keyring, { now });
};

/** Adds a partner librarian by its public key; `host` is where it is called, `entry` the contexts that it may start. */
export const addPartner = async (
  folder: string,
  id: string,
  { now, x, ...entry }: { now: number; x: string } & Omit<DirectoryClaims['librarians'][string], 'keys'>,
): Promise<Keyring> => {
  const keyring = openKeyring(folder);
  if (Object.hasOwn(LOCAL_LIBRARIANS, id)) throw new Error(`Cannot add ${id}: it is a function of this house`);
  const { keys = [] } = keyring.claims.librarians[id] ?? {};
  keyring.claims.librarians[id] = { ...entry, keys: [...keys, { kid: `${id}.${nextNumber(keys)}`, x }] };
  return publish(keyring, { now });
};

/** Removes a partner librarian: whatever it has signed is refused from then on. */
export const removePartner = async (folder: string, id: string, { now }: { now: number }): Promise<Keyring> => {
  const keyring = openKeyring(folder);
  if (Object.hasOwn(LOCAL_LIBRARIANS, id)) throw new Error(`Cannot remove ${id}: it is a function of this house`);
  entryOf(keyring, id);
  delete keyring.claims.librarians[id];
  return publish(keyring, { now });
};

/** Signs the directory again, for another year. */
export const renewDirectory = (folder: string, { now }: { now: number }): Promise<Keyring> =>
  publish(openKeyring(folder), { now });

/**
 * The published directory of a folder, which a machine that only deploys has without the keyring. Not verified: the functions do that.
 *
 * @throws {Error} When the folder has none.
 */
export const publishedDirectory = (folder: string): DirectoryClaims => {
  const file = join(folder, 'directory.jws');
  if (!existsSync(file)) throw new Error(`There is no key directory in ${folder}/. Make one with npm run keys`);
  const [, claims = ''] = readFileSync(file, 'utf8').split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as DirectoryClaims; // as `publish` wrote it
};

/** Variables of every function: the signed directory, and the key to check it with. Throws when the folder has none. */
export const directoryVariables = (folder: string): { CONTEXT_DIRECTORY: string; CONTEXT_DIRECTORY_ROOT: string } => {
  const [directory, root] = [join(folder, 'directory.jws'), join(folder, 'root.pub')];
  if (!existsSync(directory) || !existsSync(root))
    throw new Error(`There is no key directory in ${folder}/. Make one with npm run keys`);
  const read = (file: string): string => readFileSync(file, 'utf8').trim();
  return { CONTEXT_DIRECTORY: read(directory), CONTEXT_DIRECTORY_ROOT: read(root) };
};

const openKeyring = (folder: string): Keyring => {
  const file = join(folder, 'directory.json');
  if (!existsSync(file)) throw new Error(`Cannot open the keyring: ${file} does not exist`);
  return { folder, claims: JSON.parse(readFileSync(file, 'utf8')) as DirectoryClaims };
};

const entryOf = ({ claims }: Keyring, id: string) => {
  const entry = claims.librarians[id];
  if (entry === undefined) throw new Error(`Cannot change the keys of ${id}: the directory holds no such librarian`);
  return entry;
};

const publish = async ({ folder, claims: old }: Keyring, { now }: { now: number }): Promise<Keyring> => {
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
  writeFileSync(join(folder, 'directory.json'), `${JSON.stringify(claims, null, 2)}\n`);
  writeFileSync(join(folder, 'directory.jws'), `${signed}\n`);
  return { folder, claims };
};

/** Our functions have the rights that this version of the code gives them, whatever an earlier one published. */
const withOwnRights = (librarians: DirectoryClaims['librarians']): DirectoryClaims['librarians'] =>
  Object.fromEntries(
    Object.entries(librarians).map(([id, { keys, ...rights }]) => [id, { ...(LOCAL_LIBRARIANS[id] ?? rights), keys }]),
  );

const nextNumber = (keys: readonly { kid: string }[]): number =>
  1 + Math.max(0, ...keys.map(({ kid }) => Number(kid.slice(kid.lastIndexOf('.') + 1))));

const newKey = async (id: string, number: number) => ({ kid: `${id}.${number}`, ...(await makeSigningKey()) });

const writeSecret = (folder: string, name: string, text: string): void => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
};
