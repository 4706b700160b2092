import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addPartner,
  createKeyring,
  publishedDirectory,
  removePartner,
  renewDirectory,
  retireKeys,
  rotateKey,
} from '../../../src/dev/release/keyring.ts';
import { identityFrom } from '../../../src/signing/identity.ts';
import { loadDirectory } from '../../../src/signing/key-directory.ts';

const now = Date.UTC(2026, 10, 21);
let folder: string;

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'constellation-keys-')), 'keys');
  await createKeyring(folder, { now });
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();

const directory = () => loadDirectory(read('directory.jws'), { root: read('root.pub'), env: 'production', now });

const identity = (id: string, key: string) =>
  identityFrom(
    {
      ENVIRONMENT: 'production',
      CONTEXT_SIGNING_KEY: key,
      CONTEXT_DIRECTORY: read('directory.jws'),
      CONTEXT_DIRECTORY_ROOT: read('root.pub'),
    },
    id,
  );

describe('createKeyring()', () => {
  it('creates a directory that functions accept, with a key for each of them', async () => {
    expect((await directory()).ids()).toEqual(expect.arrayContaining(['gateway', 'library', 'navigator']));
    const own = { self: 'library', signer: { kid: 'library.1' } };
    expect(await identity('library', read('library.key'))).toMatchObject(own);
  });
  it('creates keys that belong to one librarian only', async () => {
    await expect(identity('gateway', read('library.key'))).rejects.toThrow(/not one of gateway/);
  });
  it('makes private keys readable only by their owner', () => {
    for (const name of ['root.key', 'gateway.key']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });
  it('never overwrites a keyring', async () => {
    const before = read('root.key');
    await expect(createKeyring(folder, { now })).rejects.toThrow(/holds one already/);
    expect(read('root.key')).toBe(before);
  });
});

describe('createKeyring() after a kill', () => {
  const SIGNED = 'directory.jws';
  /** Leaves these files in the folder of the keyring, and these in the folder where it was being written. */
  const leave = (inPlace: readonly string[], unfinished: readonly string[]): void => {
    const whole = Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, 'unfinished'), { recursive: true });
    for (const name of inPlace) writeFileSync(join(folder, name), whole[name] ?? '');
    for (const name of unfinished) writeFileSync(join(folder, 'unfinished', name), whole[name] ?? '');
  };

  it.each([0, 1, 3])('creates the keys again when %d of them had been written', async (count) => {
    const files = readdirSync(folder).sort();
    const before = read('root.key');
    leave([], files.filter((name) => name !== SIGNED).slice(0, count));
    await createKeyring(folder, { now });
    expect(readdirSync(folder).sort()).toEqual(files);
    expect(read('root.key')).not.toBe(before);
    expect(await identity('library', read('library.key'))).toMatchObject({ signer: { kid: 'library.1' } });
  });

  it('completes the keyring, whichever file was moved last', async () => {
    const files = readdirSync(folder).sort();
    const names = [...files.filter((name) => name !== SIGNED), SIGNED];
    const before = read('root.key');
    for (const at of names.keys()) {
      leave(names.slice(0, at), names.slice(at));
      await createKeyring(folder, { now });
      expect(readdirSync(folder).sort(), `${at} files`).toEqual(files);
      expect(read('root.key')).toBe(before);
    }
    expect(await identity('library', read('library.key'))).toMatchObject({ signer: { kid: 'library.1' } });
  });

  it('explains what to do about a root key without a directory', async () => {
    rmSync(join(folder, 'directory.jws'));
    const before = read('root.key');
    await expect(createKeyring(folder, { now })).rejects.toThrow(
      /no directory\.jws\. Bring back .* or move the folder/,
    );
    expect(read('root.key')).toBe(before);
  });
});

describe('rotateKey()', () => {
  it('accepts the old and the new key side by side', async () => {
    const old = read('library.key');
    await rotateKey(folder, 'library', { now });
    expect(await identity('library', old)).toMatchObject({ signer: { kid: 'library.1' } });
    expect(await identity('library', read('library.key'))).toMatchObject({ signer: { kid: 'library.2' } });
  });
  it('keeps the old key when there are too many, and explains what to do', async () => {
    for (let number = 2; number <= 7; number++) await rotateKey(folder, 'library', { now });
    const last = read('library.key');
    await expect(rotateKey(folder, 'library', { now })).rejects.toThrow(/run retire first/);
    expect(read('library.key')).toBe(last);
    expect(await identity('library', last)).toMatchObject({ signer: { kid: 'library.7' } });
  });
  it('refuses an unknown librarian', async () => {
    await expect(rotateKey(folder, 'oracle', { now })).rejects.toThrow(/no such librarian/);
  });
});

describe('retireKeys()', () => {
  it('keeps only the newest key', async () => {
    const old = read('library.key');
    await rotateKey(folder, 'library', { now });
    await retireKeys(folder, 'library', { now });
    await expect(identity('library', old)).rejects.toThrow(/not one of library/);
    expect((await directory()).librarian('library')?.keys).toMatchObject([{ kid: 'library.2' }]);
  });
});

describe('renewDirectory()', () => {
  it('gives our functions the rights of this version, and partners keep theirs', async () => {
    const claims = JSON.parse(read('directory.json'));
    claims.librarians.support.cap = ['kb:read'];
    delete claims.librarians.analytics.cap;
    claims.librarians['partner.weather'] = { keys: [], cap: ['kb:read'] };
    writeFileSync(join(folder, 'directory.json'), JSON.stringify(claims));
    await renewDirectory(folder, { now });
    const { librarians } = publishedDirectory(folder);
    expect(librarians.support?.cap).toContain('support:analyze');
    expect([librarians.analytics?.cap, librarians['partner.weather']?.cap]).toEqual([['sql:read'], ['kb:read']]);
  });

  it('increases `seq`, so that the previous directory can be recognised', async () => {
    await renewDirectory(folder, { now });
    const { root, env } = { root: read('root.pub'), env: 'production' as const };
    await expect(loadDirectory(read('directory.jws'), { root, env, now, lastSeq: 2 })).resolves.toBeDefined();
    await expect(loadDirectory(read('directory.jws'), { root, env, now, lastSeq: 3 })).rejects.toThrow(/older/);
  });
});

describe('addPartner()', () => {
  const x = 'nWNuKbgwbTsq2HdWrn2xRzHwFWdlqIBRcUWbPXmTAVc';

  it('adds a partner librarian with its host and rights, and a second key beside the first', async () => {
    await addPartner(folder, 'partner.weather', { now, x, host: 'librarians.partner.org', ws: ['default'] });
    const added = { host: 'librarians.partner.org', ws: ['default'] };
    const keys = [{ kid: 'partner.weather.1', x }];
    expect((await directory()).librarian('partner.weather')).toEqual({ keys, ...added });
    await addPartner(folder, 'partner.weather', { now, x });
    const both = [...keys, { kid: 'partner.weather.2', x }];
    expect((await directory()).librarian('partner.weather')).toMatchObject({ keys: both });
  });
  it.each([
    ['the id of an internal function', 'library', { x }, /one of the product's own functions/],
    ['a host without a public name', 'partner.weather', { x, host: '127.0.0.1:80' }, /not a public name/],
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
    await expect(removePartner(folder, 'navigator', { now })).rejects.toThrow(/one of the product's own functions/);
  });
});
