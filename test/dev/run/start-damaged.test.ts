import {
  appendFileSync,
  chmodSync,
  cpSync,
  globSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNode, startProduct } from '../node-for-test.ts';

/** An unprivileged user; root would read and write everything. */
const USER = process.getuid?.() === 0 ? 65534 : undefined;

let folder: string;
/** A state folder of a successful start. */
let valid: string;
let port: string;
/** A home that this user may read. */
const as = () => ({ ...(USER === undefined ? {} : { uid: USER }), env: { HOME: folder } });
const inFolder = (path: string): string => join(folder, path);

const start = async (args: readonly string[]): Promise<string> => {
  const product = await startProduct([...args, '--no-helpdesk'], as());
  await product.stop();
  return product.output();
};
const refusal = async (state: string, kb = inFolder('kb')): Promise<string> => {
  const args = ['--port', '0', '--no-helpdesk', '--state', state, '--kb', kb];
  const { status, stdout, stderr } = await runNode(['src/dev/run/start.ts', ...args], as());
  expect([status === 0, stdout]).toEqual([false, '']);
  return stderr;
};
const own = (path: string): void => {
  if (USER === undefined) return;
  for (const each of [path, ...globSync(`${path}/**`)]) lchownSync(each, USER, USER);
};
const copyOfState = (name: string): string => {
  cpSync(valid, inFolder(name), { recursive: true });
  own(inFolder(name));
  return inFolder(name);
};
const allOf = (state: string, pattern: string): string[] => {
  const found = globSync(join(state, pattern));
  expect(found.length).toBeGreaterThan(0);
  return found;
};

beforeAll(async () => {
  // The user of the starts may not write into the checkout.
  await runNode(['src/dev/build/build.ts']);
  folder = mkdtempSync(join(tmpdir(), 'constellation-damaged-'));
  mkdirSync(inFolder('kb/barn'), { recursive: true });
  writeFileSync(inFolder('kb/bees.md'), '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n');
  writeFileSync(inFolder('kb/hens.md'), '# Hens\n\nHens lay fewer eggs in November.\n');
  writeFileSync(inFolder('kb/barn/goats.md'), '# Goats\n\nGoats are milked at five in the morning.\n');
  own(folder);
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  port = String((server.address() as { port: number }).port);
  await new Promise((resolve) => server.close(resolve));
  valid = inFolder('valid');
  // The same port as below: nothing of the articles differs then.
  await start(['--port', port, '--state', valid, '--kb', inFolder('kb')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm start on a state folder', () => {
  it.each([
    ['of the library', 'data/do/constellation-library-LibraryObject/*.sqlite'],
    ['of the runtime', 'data/kv/*/metadata.sqlite'],
  ])('names a damaged database %s, and --fresh repairs it', async (name, pattern) => {
    const state = copyOfState(`damaged ${name}`);
    for (const file of allOf(state, pattern)) {
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      writeFileSync(file, 'not a database, '.repeat(600));
    }
    expect(await refusal(state)).toMatch(
      /^Cannot use \S.*\.sqlite: the database is damaged\. npm start -- --fresh .*\n$/,
    );
    expect(await start(['--port', '0', '--state', state, '--kb', inFolder('kb'), '--fresh'])).toContain('3 new');
  });
  it.each(['api-key', 'signing-seed'])('names an incomplete %s', async (name) => {
    const state = copyOfState(`half ${name}`);
    writeFileSync(join(state, name), 'ck_');
    expect(await refusal(state)).toContain(`Cannot use ${join(state, name)}: it holds no key. Remove it`);
  });
  it.each<[string, string, number]>([
    ['the folder', '', 0o555],
    ['the stores', 'data', 0o555],
    ['one store', 'data/do/constellation-library-LibraryObject/metadata.sqlite', 0o444],
    ['the key', 'api-key', 0],
  ])('names %s without permission, and suggests another folder', async (name, path, mode) => {
    const state = copyOfState(`no right to ${name}`);
    chmodSync(join(state, path), mode);
    expect(await refusal(state)).toMatch(
      /^Cannot use .*: you have no permission to read and write it\. .*--state <folder>\n$/,
    );
    chmodSync(join(state, path), 0o700);
  });
  it('reports that it is a file', async () => {
    appendFileSync(inFolder('file'), '');
    expect(await refusal(inFolder('file'))).toMatch(/file: it is no folder\. /);
  });
});

describe('npm start with a folder', () => {
  it('names once what it does not read, and reads the rest', async () => {
    cpSync(inFolder('kb'), inFolder('odd'), { recursive: true });
    const links = {
      'to-file.md': 'bees.md',
      'to-folder': 'barn',
      up: '.',
      itself: 'itself',
      outside: '/etc',
      'gone.md': 'x',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, inFolder(`odd/${name}`));
    own(inFolder('odd'));
    for (const name of ['hens.md', 'barn']) chmodSync(inFolder(`odd/${name}`), 0);
    chmodSync(inFolder('odd'), 0o555);
    symlinkSync('odd', inFolder('link'));
    const output = await start(['--port', '0', '--state', inFolder('odd-state'), '--kb', inFolder('link')]);
    expect(output.split('\n').filter((line) => /not read|annot/.test(line))).toEqual([
      'not read: barn, hens.md (no permission to read)',
      'not read: gone.md, itself, outside and 3 more (symbolic links are not followed)',
    ]);
    expect(output).toContain('1 articles, 1 passages (1 new');
    for (const name of ['odd', 'odd/barn']) chmodSync(inFolder(name), 0o755);
  });
  it('reports that it is empty, and starts anyway', async () => {
    mkdirSync(inFolder('empty'));
    own(inFolder('empty'));
    const output = await start(['--port', '0', '--state', inFolder('empty-state'), '--kb', inFolder('empty')]);
    expect(output).toContain('the folder holds no article: put .md');
  });
  it.each<[string, string, (path: string) => void]>([
    ['is missing', 'there is no such folder', () => undefined],
    ['is a file', 'it is no folder', (path) => writeFileSync(path, '')],
    ['leads back to itself', 'it is a symbolic link that leads back to itself', (path) => symlinkSync(path, path)],
    ['cannot be read', 'it cannot be read (EACCES)', (path) => mkdirSync(path, 0)],
  ])('refuses one that %s', async (name, why, make) => {
    const kb = inFolder(`kb that ${name}`);
    make(kb);
    expect(await refusal(inFolder('no-state'), kb)).toBe(`Cannot use --kb ${kb}: ${why}. --help lists the options.\n`);
  });
});
