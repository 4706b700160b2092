import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { programsOfTests } from '../../../tools/release/programs-of-tests.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runNode } from '../node-for-test.ts';

const COMMAND = join(ROOT, 'tools/release/test.ts');
const FILES = {
  'good.test.ts': "it('holds', () => {});\nit('holds too', () => {});",
  'wrong.test.ts': "it('holds', () => {});\nit('does not hold', () => { throw new Error('no'); });",
  'broken.test.ts': "import './missing.ts';\nit('is not reached', () => {});",
  'unprepared.test.ts':
    "beforeAll(() => { throw new Error('down'); });\nit('is not reached', () => {});\nit('nor this', () => {});",
  'uncleaned.test.ts': "afterAll(() => { throw new Error('down'); });\nit('holds', () => {});",
  'late.test.ts': "it('holds', () => { void Promise.reject(new Error('late')); });",
  'needs-redis.test.ts': "import '../src/between.ts';\nit('holds', () => {});",
};
let folder = '';

beforeAll(() => {
  folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const head = "import { afterAll, beforeAll, it } from 'vitest';\nvoid [afterAll, beforeAll];\n";
  writeFiles(
    folder,
    Object.fromEntries(
      Object.entries(FILES).map(([name, code]) => [`test/${name}`, `${head}${code}\n`]),
    ),
  );
  writeFiles(folder, {
    'src/between.ts': "export { start } from '../tools/stand-ins/redis/redis-process.ts';\n",
    'tools/stand-ins/redis/redis-process.ts': 'export const start = (): void => {};\n',
  });
});

it.each<[what: string, words: string[], last: string]>([
  ['that hold', ['good'], '2 passed, 0 failed'],
  ['that do not hold', ['good', 'wrong'], '3 passed, 1 failed'],
  ['of a file that cannot be read', ['good', 'broken'], '2 passed, 1 failed'],
  ['of a file whose preparation fails', ['good', 'unprepared'], '2 passed, 1 failed'],
  ['of a file whose clean-up fails', ['uncleaned'], '1 passed, 1 failed'],
  ['that leave an error behind', ['late'], '1 passed, 1 failed'],
  ['that no word names', ['nothing'], '0 passed, 1 failed'],
])('npm test counts tests %s', async (_, words, last) => {
  const { stdout, status } = await runNode([COMMAND, ...words], { cwd: folder });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(last);
  expect(status).toBe(last.endsWith(' 0 failed') ? 0 : 1);
});

/** A machine that has only the named commands, and neither Redis nor Chromium. */
const bareMachine = (): Record<string, string> => {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  return { PATH: [bin, join(ROOT, 'node_modules/.bin')].join(delimiter), CHROMIUM_PATH: '' };
};

it('needs no program for tests that start none', async () => {
  const { stdout, status } = await runNode([COMMAND, 'good', '--no-install'], {
    cwd: folder,
    env: bareMachine(),
  });
  expect([stdout.trimEnd().split('\n').at(-1), status]).toEqual(['2 passed, 0 failed', 0]);
});

it('names what is missing, where nothing may be installed', async () => {
  const { stdout, stderr, status } = await runNode(
    [COMMAND, 'needs-redis', 'good', '--no-install'],
    {
      cwd: folder,
      env: bareMachine(),
    },
  );
  expect(stderr).toMatch(/^Cannot find Redis: 1 test file needs it\.\n- Redis: install .*\n$/);
  expect([stdout.trimEnd(), status]).toEqual(['0 passed, 1 failed', 1]);
});

it('finds what the tests of this project start', async () => {
  const needs = async (file: string) => [
    ...(await programsOfTests([join(ROOT, file)], ROOT)).keys(),
  ];
  expect(await needs('test/language/stem.test.ts')).toEqual([]);
  expect(await needs('test/platform/storage/redis-embedding-store.test.ts')).toEqual(['redis']);
  expect(await needs('test/web/console/console.test.ts')).toContain('chromium');
});
