import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';

const folder = mkdtempSync(join(tmpdir(), 'constellation-contract-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run contract', () => {
  it('makes a package that works in another project, with zod beside it and its types', () => {
    expect(spawnSync('node', ['src/dev/build-contract.ts'], { cwd: ROOT, encoding: 'utf8' })).toMatchObject({
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
