import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openState } from '../../../src/dev/run/state-folder.ts';
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
    const inHome = (name: string) => openState({ state: join(keyFolder, name), keyFolder, fresh: true, source: name });
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
    expect(() => open()).toThrow(/^Cannot use \S.*\.sqlite: the database is damaged\. npm start -- --fresh /);
    open(true);
    expect(existsSync(join(state, 'data'))).toBe(false);
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
