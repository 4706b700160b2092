import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { loadDirectory } from '../../../src/platform/context/key-directory.ts';
import {
  addPartner,
  createKeyring,
  publishedDirectory,
  removePartner,
  renewDirectory,
  retireKeys,
  rotateKey,
} from '../../../tools/release/keyring.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const now = Date.UTC(2026, 10, 21);
const all = temporaryFolder();
let folder: string;
beforeEach(async () => {
  folder = join(mkdtempSync(join(all, 'one-')), 'keys');
  await createKeyring(folder, { now });
});

const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();

/** The directory as functions load it. */
const directory = (lastSeq?: number) =>
  loadDirectory(read('directory.jws'), {
    root: read('root.pub'),
    env: 'production',
    now,
    ...(lastSeq === undefined ? {} : { lastSeq }),
  });

/** The kid with which a function signs. */
const kidOf = async (id: string, key: string) => {
  const directory = {
    CONTEXT_DIRECTORY: read('directory.jws'),
    CONTEXT_DIRECTORY_ROOT: read('root.pub'),
  };
  const variables = { ENVIRONMENT: 'production', CONTEXT_SIGNING_KEY: key, ...directory };
  return (await identityFrom(variables, id)).signer.kid;
};

describe('createKeyring()', () => {
  it('creates a directory that functions accept, with a key for each of them alone', async () => {
    expect((await directory()).ids()).toEqual(
      expect.arrayContaining(['gateway', 'library', 'navigator']),
    );
    expect(await kidOf('library', read('library.key'))).toBe('library.1');
    await expect(kidOf('gateway', read('library.key'))).rejects.toThrow(/not one of gateway/);
  });
  it('makes private keys readable only by their owner', () => {
    for (const name of ['root.key', 'gateway.key'])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });
  it.each([
    ['a keyring', [], /holds one already/],
    [
      'a root key without a directory',
      ['directory.jws'],
      /no directory\.jws\. Bring back .* or move the folder/,
    ],
  ])('never overwrites %s', async (_, missing, says) => {
    for (const name of missing) rmSync(join(folder, name));
    const before = read('root.key');
    await expect(createKeyring(folder, { now })).rejects.toThrow(says);
    expect(read('root.key')).toBe(before);
  });
});

describe('createKeyring() after a kill', () => {
  const SIGNED = 'directory.jws';
  /** Creates the keyring again with these files in its folder, and these where it was being written. */
  const createAfter = async (
    inPlace: readonly string[],
    unfinished: readonly string[],
  ): Promise<void> => {
    const whole = Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));
    rmSync(folder, { recursive: true });
    writeFiles(folder, Object.fromEntries(inPlace.map((name) => [name, whole[name] ?? ''])));
    writeFiles(
      folder,
      Object.fromEntries(unfinished.map((name) => [`unfinished/${name}`, whole[name] ?? ''])),
    );
    await createKeyring(folder, { now });
    expect(readdirSync(folder).sort()).toEqual(Object.keys(whole).sort());
  };

  it.each([0, 1, 3])('creates the keys again when %d of them had been written', async (count) => {
    const before = read('root.key');
    const names = readdirSync(folder).sort();
    await createAfter([], names.filter((name) => name !== SIGNED).slice(0, count));
    expect(read('root.key')).not.toBe(before);
    expect(await kidOf('library', read('library.key'))).toBe('library.1');
  });
  it('completes the keyring, whichever file was moved last', async () => {
    const names = [...readdirSync(folder).filter((name) => name !== SIGNED), SIGNED];
    const before = read('root.key');
    for (const at of names.keys()) {
      await createAfter(names.slice(0, at), names.slice(at));
      expect(read('root.key'), `${at} files`).toBe(before);
    }
    expect(await kidOf('library', read('library.key'))).toBe('library.1');
  });
  it('moves the signed directory last, by which setup sees that the keyring is complete', async () => {
    renameSync(folder, `${folder}-whole`);
    // In the way of a file.
    mkdirSync(join(folder, 'root.pub'), { recursive: true });
    renameSync(`${folder}-whole`, join(folder, 'unfinished'));
    await expect(createKeyring(folder, { now })).rejects.toThrow(/root\.pub/);
    expect(readdirSync(folder)).not.toContain(SIGNED);
  });
});

describe('rotateKey() and retireKeys()', () => {
  it('accept the old and the new key side by side, and then only the newest', async () => {
    const old = read('library.key');
    await rotateKey(folder, 'library', { now });
    expect(await kidOf('library', old)).toBe('library.1');
    expect(await kidOf('library', read('library.key'))).toBe('library.2');
    await retireKeys(folder, 'library', { now });
    await expect(kidOf('library', old)).rejects.toThrow(/not one of library/);
    expect((await directory()).librarian('library')?.keys).toMatchObject([{ kid: 'library.2' }]);
  });
  it('keep the old key when there are too many, and explain what to do', async () => {
    for (let number = 2; number <= 7; number++) await rotateKey(folder, 'library', { now });
    const last = read('library.key');
    await expect(rotateKey(folder, 'library', { now })).rejects.toThrow(/run retire first/);
    expect(await kidOf('library', read('library.key'))).toBe('library.7');
    expect(read('library.key')).toBe(last);
  });
  it('refuse an unknown librarian', async () => {
    await expect(rotateKey(folder, 'oracle', { now })).rejects.toThrow(/no such librarian/);
  });
});

describe('renewDirectory()', () => {
  it('gives our functions the rights of this version, and partners keep theirs', async () => {
    const claims = JSON.parse(read('directory.json'));
    claims.librarians.support.cap = ['kb:read'];
    delete claims.librarians.analytics.cap;
    claims.librarians['partner.weather'] = { keys: [], cap: ['kb:read'] };
    writeFiles(folder, { 'directory.json': JSON.stringify(claims) });
    await renewDirectory(folder, { now });
    const { librarians } = publishedDirectory(folder);
    expect(librarians.support?.cap).toContain('support:analyze');
    expect([librarians.analytics?.cap, librarians['partner.weather']?.cap]).toEqual([
      ['sql:read'],
      ['kb:read'],
    ]);
  });
  it('increases `seq`, so that the previous directory can be recognised', async () => {
    await renewDirectory(folder, { now });
    await expect(directory(2)).resolves.toBeDefined();
    await expect(directory(3)).rejects.toThrow(/older/);
  });
});

describe('addPartner()', () => {
  const x = 'nWNuKbgwbTsq2HdWrn2xRzHwFWdlqIBRcUWbPXmTAVc';

  it('adds a partner librarian with its host and rights, and a second key beside the first', async () => {
    await addPartner(folder, 'partner.weather', {
      now,
      x,
      host: 'librarians.partner.org',
      ws: ['default'],
    });
    const added = { host: 'librarians.partner.org', ws: ['default'] };
    const keys = [{ kid: 'partner.weather.1', x }];
    expect((await directory()).librarian('partner.weather')).toEqual({ keys, ...added });
    await addPartner(folder, 'partner.weather', { now, x });
    const both = [...keys, { kid: 'partner.weather.2', x }];
    expect((await directory()).librarian('partner.weather')).toMatchObject({ keys: both });
  });
  it.each([
    ['the id of an internal function', 'library', { x }, /one of the product's own functions/],
    [
      'a host without a public name',
      'partner.weather',
      { x, host: '127.0.0.1:80' },
      /not a public name/,
    ],
    ['an invalid key', 'partner.weather', { x: 'short' }, /not 32 bytes/],
  ])('refuses %s and changes nothing', async (_, id, entry, says) => {
    const before = read('directory.jws');
    await expect(addPartner(folder, id, { now, ...entry })).rejects.toThrow(says);
    expect(read('directory.jws')).toBe(before);
  });
  it('is undone by removePartner()', async () => {
    await addPartner(folder, 'partner.weather', { now, x });
    await removePartner(folder, 'partner.weather', { now });
    expect((await directory()).ids()).not.toContain('partner.weather');
    await expect(removePartner(folder, 'navigator', { now })).rejects.toThrow(
      /one of the product's own functions/,
    );
  });
});
