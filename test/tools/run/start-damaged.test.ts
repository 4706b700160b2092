import {
  chmodSync,
  cpSync,
  globSync,
  lchownSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode, startProduct } from '../node-for-test.ts';

/** An unprivileged user; root would read and write everything. */
const USER = process.getuid?.() === 0 ? 65534 : undefined;

const folder = temporaryFolder();
const inFolder = (path: string): string => join(folder, path);
/** A home that this user may read. */
const as = () => ({ ...(USER === undefined ? {} : { uid: USER }), env: { HOME: folder } });
const own = (path: string): void => {
  if (USER === undefined) return;
  for (const each of [path, ...globSync(`${path}/**`)]) lchownSync(each, USER, USER);
};
const argsFor = (state: string, kb: string) => [
  '--port',
  '0',
  '--no-helpdesk',
  '--state',
  inFolder(state),
  '--kb',
  kb,
];

const start = async (state: string, kb: string, ...more: string[]): Promise<string> => {
  const product = await startProduct([...argsFor(state, inFolder(kb)), ...more], as());
  await product.stop();
  return product.output();
};
const refusal = async (state: string, kb = inFolder('kb')): Promise<string> => {
  const { status, stdout, stderr } = await runNode(
    ['tools/run/start.ts', ...argsFor(state, kb)],
    as(),
  );
  expect([status === 0, stdout]).toEqual([false, '']);
  return stderr;
};

beforeAll(async () => {
  // The user of the starts may not write into the checkout.
  await runNode(['tools/build/build.ts']);
  writeFiles(folder, {
    'kb/bees.md': '# Bees\n\nThe hive of the queen stands behind the orchard wall.\n',
    'kb/hens.md': '# Hens\n\nHens lay fewer eggs in November.\n',
    'kb/barn/goats.md': '# Goats\n\nGoats are milked at five in the morning.\n',
  });
  for (const state of ['damaged', 'folder', 'stores', 'store', 'key'])
    writeFiles(inFolder(state), {
      'constellation-state': '',
      'api-key': 'ck_0123456789abcdef',
      'signing-seed': 'ck_0123456789abcdef',
      ...(state === 'key'
        ? {}
        : {
            'data/do/constellation-library-LibraryObject/a.sqlite':
              state === 'damaged' ? 'not a database' : '',
          }),
    });
  own(folder);
});

describe('npm start on a state folder', () => {
  it('refuses a damaged one; --fresh repairs it, and an empty knowledge base is reported', async () => {
    expect(await refusal('damaged')).toMatch(
      /^Cannot use \S.*\.sqlite: the database is damaged\. npm start -- --fresh .*\n$/,
    );
    mkdirSync(inFolder('empty'));
    own(inFolder('empty'));
    expect(await start('damaged', 'empty', '--fresh')).toContain(
      'the folder holds no article: put .md',
    );
  });
  it('names what it has no permission for, and suggests another folder', async () => {
    const modes = { folder: ['.', 0o555], stores: ['data', 0o555], key: ['api-key', 0] } as const;
    for (const [state, [path, mode]] of Object.entries(modes))
      chmodSync(join(folder, state, path), mode);
    chmodSync(inFolder('store/data/do/constellation-library-LibraryObject/a.sqlite'), 0o444);
    const script = `import { openState } from './tools/run/state-folder.ts';
      for (const state of process.argv.slice(1))
        try { openState({ state, source: '' }); console.log('opened'); } catch ({ message }) { console.log(message); }`;
    const states = ['folder', 'stores', 'store', 'key'].map(inFolder);
    const { stdout } = await runNode(['--input-type=module', '--eval', script, ...states], as());
    const problem =
      /^Cannot use .*: you have no permission to read and write it\. .*--state <folder>$/;
    expect(stdout.trim().split('\n')).toEqual(states.map(() => expect.stringMatching(problem)));
    for (const path of ['folder', 'stores/data']) chmodSync(inFolder(path), 0o755);
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
    };
    for (const [name, target] of Object.entries({ ...links, 'gone.md': 'x' }))
      symlinkSync(target, inFolder(`odd/${name}`));
    own(inFolder('odd'));
    for (const name of ['hens.md', 'barn']) chmodSync(inFolder(`odd/${name}`), 0);
    chmodSync(inFolder('odd'), 0o555);
    symlinkSync('odd', inFolder('link'));
    const output = await start('odd-state', 'link');
    expect(output.split('\n').filter((line) => /not read|annot/.test(line))).toEqual([
      'not read: barn/, hens.md (no permission to read)',
      'not read: gone.md, itself, outside and 3 more (symbolic links are not followed)',
    ]);
    expect(output).toContain('1 articles, 1 passages (1 new');
    for (const name of ['odd', 'odd/barn']) chmodSync(inFolder(name), 0o755);
  });
  it.each<[string, string, (path: string) => void]>([
    ['is missing', 'there is no such folder', () => undefined],
    ['is a file', 'it is no folder', (path) => writeFileSync(path, '')],
    [
      'leads back to itself',
      'it is a symbolic link that leads back to itself',
      (path) => symlinkSync(path, path),
    ],
    ['cannot be read', 'it cannot be read (EACCES)', (path) => mkdirSync(path, 0)],
  ])('refuses one that %s', async (name, why, make) => {
    const kb = inFolder(`kb that ${name}`);
    make(kb);
    expect(await refusal('no-state', kb)).toBe(
      `Cannot use --kb ${kb}: ${why}. --help lists the options.\n`,
    );
  });
});
