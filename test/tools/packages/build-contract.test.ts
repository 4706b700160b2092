import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf, installPacked } from '../../client/packed-packages.ts';
import { writeFiles } from '../folder-for-test.ts';
import { runCommand, runNode } from '../node-for-test.ts';

let folder: string;
let remove: () => void;

beforeAll(async () => {
  ({ folder, remove } = await installPacked('@constellation/contract'));
  const [librarian = '', suite = ''] = codeOf('src/contract/README.md', 'ts');
  writeFiles(folder, { 'librarian.ts': librarian, 'greeter.test.ts': suite });
}, 300_000);
afterAll(() => remove?.());

const TSC = '--noEmit --strict --skipLibCheck --module nodenext --target es2024 --types'.split(' ');

it('runs the librarian of its page in another project', async () => {
  const { status, stdout, stderr } = await runNode(['librarian.ts'], { cwd: folder });
  expect([status, stdout, stderr]).toEqual([0, 'true Open from 9 to 5.\n', '']);
});

it('has types, which refuse a librarian that answers in another shape', async () => {
  const wrong = `import type { Librarian } from '@constellation/contract';
export const greeter: Librarian = async () => ({ answer: 7 });
`;
  writeFiles(folder, {
    'console.d.ts': 'declare const console: { log(...values: unknown[]): void };',
    'wrong.ts': wrong,
  });
  const [right, refused] = await Promise.all([
    runCommand('tsc', [...TSC, '', 'console.d.ts', 'librarian.ts'], { cwd: folder }),
    runCommand('tsc', [...TSC, '', 'wrong.ts'], { cwd: folder }),
  ]);
  expect(right).toMatchObject({ status: 0, stdout: '' });
  expect(refused.stdout).toMatch(/^wrong\.ts\(2,\d+\): error TS2322/);
});

it('runs the suite for librarians with the test runner that every Node has', async () => {
  const suite = await runNode(['--test', 'greeter.test.ts'], { cwd: folder });
  expect(suite).toMatchObject({ status: 0, stdout: expect.stringMatching(/tests \d{2}/) });
});
