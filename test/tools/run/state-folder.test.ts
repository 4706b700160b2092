import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { startOf } from '../../../tools/is-running.ts';
import { openState } from '../../../tools/run/state-folder.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const folder = temporaryFolder();
const state = join(folder, 'state');
const SOURCE = '/docs/one';
const open = (fresh = false) => openState({ state, fresh, source: SOURCE });

describe('openState()', () => {
  beforeEach(() => rmSync(state, { recursive: true, force: true }));

  it('keeps its key and its signing seed until it is emptied', () => {
    const { key, signingSeed } = open();
    expect(open()).toMatchObject({ key, signingSeed });
    expect(open(true).key).not.toBe(key);
  });
  it('is of one knowledge base, which may move and be forgotten', () => {
    const { signingSeed } = open();
    const other = { state, source: '/docs/two' };
    const problem =
      /holds the state of the knowledge base \/docs\/one, not of \/docs\/two\..* --moved\. .*--state <folder>/;
    expect(() => openState({ ...other, fresh: false })).toThrow(problem);
    expect(open().signingSeed).toBe(signingSeed);
    expect(openState({ ...other, fresh: false, isMoved: true }).signingSeed).toBe(signingSeed);
    expect(() => open()).toThrow(/knowledge base \/docs\/two, not of/);
    expect(open(true).signingSeed).not.toBe(signingSeed);
  });
  it('may share its key with other states', () => {
    const keyFolder = join(folder, 'home');
    const inHome = (name: string) =>
      openState({ state: join(keyFolder, name), keyFolder, fresh: true, source: name });
    mkdirSync(keyFolder, { recursive: true });
    const [one, two] = [inHome('one'), inHome('two')];
    expect(two.key).toBe(one.key);
    expect(two.signingSeed).not.toBe(one.signingSeed);
  });
  it.each(['api-key', 'signing-seed'])('names an incomplete %s', (name) => {
    open();
    writeFiles(state, { [name]: 'ck_' });
    expect(() => open()).toThrow(`Cannot use ${join(state, name)}: it holds no key. Remove it`);
  });
  it('names a damaged database, and is emptied on request', () => {
    open();
    writeFiles(state, { 'data/kv/x/metadata.sqlite': 'not a database, '.repeat(600) });
    expect(() => open()).toThrow(
      /^Cannot use \S.*\.sqlite: the database is damaged\. npm start -- --fresh /,
    );
    open(true);
    expect(existsSync(join(state, 'data/kv'))).toBe(false);
  });
  const LIBRARY = 'data/do/constellation-library-LibraryObject';
  const database = (path: string) => {
    mkdirSync(dirname(join(state, path)), { recursive: true });
    const made = new DatabaseSync(join(state, path));
    made.exec('CREATE TABLE articles (id TEXT)');
    made.close();
  };
  it.each([
    `${LIBRARY}/a.sqlite`,
    'data/kv/miniflare-KVNamespaceObject/b.sqlite',
    'data/d1/c.sqlite',
  ])('names an empty or missing database instead of starting with a new one: %s', (path) => {
    open();
    database(path);
    open();
    writeFiles(state, { [path]: '' });
    expect(() => open()).toThrow(
      `${join(state, path)}: the database is damaged (it is empty). npm start -- --fresh`,
    );
    // What a killed process leaves beside it does not fill it.
    writeFiles(state, { [`${path}-wal`]: 'x' });
    expect(() => open()).toThrow('it is empty');
    rmSync(join(state, path));
    expect(() => open()).toThrow(`${join(state, path)}: the database is missing.`);
    open(true);
  });
  it('starts with the empty database that a killed process has left of a new one', () => {
    open();
    const path = 'data/do/constellation-library-CountersObject/a.sqlite';
    writeFiles(state, { [path]: '', [`${LIBRARY}/a.sqlite`]: '' });
    open();
    database(path);
    open();
    writeFiles(state, { [path]: '' });
    expect(() => open()).toThrow('it is empty');
  });
  it('names an empty or missing database of articles whose editions are there', () => {
    open();
    writeFiles(state, {
      'data/kv/constellation-editions/blobs/an-edition': 'x',
      [`${LIBRARY}/a.sqlite`]: '',
    });
    expect(() => open()).toThrow('it is empty');
    rmSync(join(state, LIBRARY), { recursive: true });
    expect(() => open()).toThrow(
      'the database of the articles is missing, though editions of them are there',
    );
  });
  it('starts with an empty new database of articles beside one that is sound', () => {
    open();
    database(`${LIBRARY}/a.sqlite`);
    writeFiles(state, {
      'data/kv/constellation-editions/blobs/an-edition': 'x',
      [`${LIBRARY}/b.sqlite`]: '',
    });
    open();
    writeFiles(state, { [`${LIBRARY}/a.sqlite`]: '' });
    expect(() => open()).toThrow(`${LIBRARY}/a.sqlite: the database is damaged (it is empty)`);
  });
  it('lists its databases while the product runs, so that a killed one has listed them', () => {
    vi.useFakeTimers();
    try {
      open();
      database('data/d1/c.sqlite');
      vi.advanceTimersByTime(60_000);
    } finally {
      vi.useRealTimers();
    }
    writeFiles(state, { 'data/d1/c.sqlite': '' });
    expect(() => open()).toThrow('c.sqlite: the database is damaged (it is empty)');
  });
  it('closes itself and its databases to other users, also when the folder was there before', () => {
    const mode = (path: string) => (statSync(join(state, path)).mode & 0o777).toString(8);
    mkdirSync(state, { mode: 0o755 });
    chmodSync(state, 0o755);
    expect(open().exposure).toBeUndefined();
    expect([mode('.'), mode('data')]).toEqual(['700', '700']);
    database(`${LIBRARY}/a.sqlite`);
    chmodSync(join(state, 'data'), 0o755);
    open();
    expect([mode('data'), mode(`${LIBRARY}/a.sqlite`)]).toEqual(['700', '600']);
  });
  describe('in a folder with files of others', () => {
    const ignored = () => readFileSync(join(state, '.gitignore'), 'utf8');
    const mode = (path: string) => (statSync(join(state, path)).mode & 0o777).toString(8);
    const OWN_NAMES =
      '/constellation-state\n/running\n/data\n/databases\n/databases.new\n/api-key\n/signing-seed\n/source\n/helpdesks.json\n';

    it('hides its own files from git, and leaves the mode, at each start', () => {
      writeFiles(state, { 'photo.txt': '' });
      chmodSync(state, 0o755);
      for (const _ of ['first', 'second']) {
        open();
        expect([ignored(), mode('.'), mode('data')]).toEqual([OWN_NAMES, '755', '700']);
      }
      rmSync(join(state, 'photo.txt'));
      open();
      expect([ignored(), mode('.')]).toEqual([OWN_NAMES, '755']);
    });
    it('adds to the .gitignore that is there', () => {
      writeFiles(state, { '.gitignore': 'dist\n/data' });
      open();
      expect(ignored()).toBe(`dist\n/data\n${OWN_NAMES.replace('/data\n', '')}`);
    });
    it('takes the marker of an earlier version as it is there', () => {
      const EARLIER = 'State of a local Constellation. Delete this folder to start afresh.\n';
      writeFiles(state, { 'constellation-state': EARLIER, 'photo.txt': '' });
      open();
      expect(ignored()).toBe(OWN_NAMES);
      rmSync(state, { recursive: true });
      writeFiles(state, { 'constellation-state': EARLIER, 'api-key': 'ck_0123456789abcdef' });
      open();
      expect(ignored()).toBe('*\n');
    });
    it('stays its own when files are added later', () => {
      open();
      writeFiles(state, { 'photo.txt': '' });
      open();
      expect([ignored(), mode('.')]).toEqual(['*\n', '700']);
    });
    it('refuses to take what has the name of a file of its own', () => {
      writeFiles(state, { 'data/figures.csv': '1' });
      expect(() => open()).toThrow(`Cannot use ${state}: it has files of others named data.`);
      expect(existsSync(join(state, 'data/figures.csv'))).toBe(true);
    });
  });
  describe('its lock', () => {
    const place = () => `${statSync(state).dev}:${statSync(state).ino}`;
    const held = (lock: unknown) =>
      writeFiles(state, { running: typeof lock === 'string' ? lock : JSON.stringify(lock) });
    const other = process.ppid;
    const RUNNING = `another Constellation (process ${other}) is running on it`;

    it('is held by the process that took it, and by no later one of the same id', () => {
      open();
      held({ process: other, startedAt: startOf(other), folder: place() });
      expect(() => open()).toThrow(RUNNING);
      held({ process: other, startedAt: 'an earlier start', folder: place() });
      open();
      held({ process: 1, startedAt: 'before the machine was started again', folder: place() });
      open();
    });
    it('does not hold a copy of the folder', () => {
      open();
      held({ process: other, startedAt: startOf(other), folder: '1:2' });
      open();
    });
    it.each(['1', '', '{', '{"process": 1}', 'x'])('is left behind when it says %j', (lock) => {
      open();
      held(lock);
      open();
    });
  });
  it('reports that it is a file', () => {
    writeFiles(folder, { state: '' });
    expect(() => open()).toThrow(/state: it is no folder\. /);
  });
  it('never empties a folder that it did not create, and removes only its own files', () => {
    writeFiles(state, { 'photo.txt': 'do not delete' });
    expect(() => open(true)).toThrow('it is no state folder');
    writeFiles(state, { 'constellation-state': '', source: 'an earlier start' });
    open(true);
    expect(existsSync(join(state, 'photo.txt'))).toBe(true);
    expect(readFileSync(join(state, 'source'), 'utf8')).toBe(SOURCE);
  });
});
