import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../src/dev/functions.ts';

const folder = mkdtempSync(join(tmpdir(), 'constellation-contract-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run contract', () => {
  it('makes a package that works in another project, with zod beside it and its types', () => {
    expect(spawnSync('node', ['src/dev/release/build-contract.ts'], { cwd: ROOT, encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    mkdirSync(join(folder, 'node_modules/@constellation'), { recursive: true });
    cpSync(join(ROOT, 'dist/contract'), join(folder, 'node_modules/@constellation/contract'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(
      join(folder, 'use.ts'),
      `import { validateResponse, type Librarian, type Response } from '@constellation/contract';
const greeter: Librarian = async (query) => ({ answer: query, sources: [{ name: 'me' }] });
const response: Response = await greeter('hello');
console.log(validateResponse(response).ok, validateResponse({ confidence: 2 }).ok);
`,
    );
    const run = spawnSync('node', ['use.ts'], { cwd: folder, encoding: 'utf8' });
    expect([run.stdout.trim(), run.stderr]).toEqual(['true false', '']);
    // The suite for librarians, with the test runner that every Node has.
    writeFileSync(
      join(folder, 'greeter.test.ts'),
      `import { describe, it } from 'node:test';
import { describeLibrarian, type LibrarianCases } from '@constellation/contract/conformance';
const cases: LibrarianCases = { answers: { query: 'Hello?' }, fails: 'never', declines: 'never', delegates: 'never', waits: 'never' };
const answer = { answer: 'Hello.', sources: [{ name: 'me' }], confidence: 0.9 };
describeLibrarian('the greeter', async () => answer, cases, { describe, it });
`,
    );
    const suite = spawnSync('node', ['--test', 'greeter.test.ts'], { cwd: folder, encoding: 'utf8' });
    expect([suite.status, /tests \d{2}/.test(suite.stdout)]).toEqual([0, true]);
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ];
    const types = spawnSync('tsc', [...options, 'use.ts'], { cwd: folder, encoding: 'utf8' });
    expect(types.stdout.replace(/.*Cannot find name 'console'.*\n?/g, '')).toBe('');
  });
});
