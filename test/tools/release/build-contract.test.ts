import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runCommand, runNode } from '../node-for-test.ts';

const folder = temporaryFolder();

const FILES = {
  'package.json': '{"type": "module"}',
  'use.ts': `import { validateResponse, type Librarian, type Response } from '@constellation/contract';
const greeter: Librarian = async (query) => ({ answer: query, sources: [{ name: 'me' }] });
const response: Response = await greeter('hello');
console.log(validateResponse(response).ok, validateResponse({ confidence: 2 }).ok);
`,
  // The suite for librarians, with the test runner that every Node has.
  'greeter.test.ts': `import { describe, it } from 'node:test';
import { describeLibrarian, type LibrarianCases } from '@constellation/contract/conformance';
const cases: LibrarianCases = { answers: { query: 'Hello?' }, fails: 'never', declines: 'never', delegates: 'never', waits: 'never' };
const answer = { answer: 'Hello.', sources: [{ name: 'me' }], confidence: 0.9 };
describeLibrarian('the greeter', async () => answer, cases, { describe, it });
`,
};
const TSC = '--noEmit --strict --skipLibCheck --module nodenext --target es2024 use.ts'.split(' ');

it('npx constellation contract builds a package that works in another project, with its types', async () => {
  expect(await runNode(['tools/release/build-contract.ts'])).toMatchObject({ status: 0 });
  writeFiles(folder, FILES);
  cpSync(join(ROOT, 'dist/contract'), join(folder, 'node_modules/@constellation/contract'), {
    recursive: true,
  });
  symlinkSync(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  const [use, suite, types] = await Promise.all([
    runNode(['use.ts'], { cwd: folder }),
    runNode(['--test', 'greeter.test.ts'], { cwd: folder }),
    runCommand('tsc', [...TSC, '--types', ''], { cwd: folder }),
  ]);
  expect(use).toEqual({ status: 0, stdout: 'true false\n', stderr: '' });
  expect(suite).toMatchObject({ status: 0, stdout: expect.stringMatching(/tests \d{2}/) });
  expect(types.stdout.replace(/.*Cannot find name 'console'.*\n?/g, '')).toBe('');
});
