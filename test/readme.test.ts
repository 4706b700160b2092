import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeLibrarian } from '../src/contract/conformance/describe-librarian.ts';
import type { Librarian, LibrarianInfo } from '../src/contract/librarian.ts';
import { delegateTo } from '../src/delegation/delegates.ts';
import { ROOT } from '../src/dev/functions.ts';
import { serveLibrarian } from '../src/runtime/serve-librarian.ts';
import { identityBeside, servedLibrarian } from './conformance/served-librarian.ts';

const SECTION =
  /^## A librarian of your own$(.*?)^## /ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
const CODE = /```ts\n(.*?)```/s.exec(SECTION)?.[1] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'constellation-readme-'));
symlinkSync(join(ROOT, 'src'), join(folder, 'src'));
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
writeFileSync(join(folder, 'librarian.ts'), CODE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The only export of the README's code.
const librarian = Object.values(await import(join(folder, 'librarian.ts')))[0] as Librarian;

const log = () => {};
const INFO: LibrarianInfo = { id: 'opening-hours', name: 'Opening hours' };
const navigator = serveLibrarian(
  async () => ({ answer: 'Every 60 days.', sources: [{ name: 'care/descale.md' }], confidence: 0.9 }),
  { id: 'navigator', name: 'Navigator' },
  { ...(await identityBeside('navigator', INFO.id)), log },
);
const targets = delegateTo({ navigator: { fetch: async (request: Request) => navigator.fetch(request) } });
const app = serveLibrarian(librarian, INFO, { ...(await identityBeside(INFO.id, 'navigator')), targets, log });

describe('the librarian in the README', () => {
  it('is at most ten lines', () => {
    expect(CODE).toContain('export const');
    expect(CODE.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });

  it('compiles under the strict rules of the project', () => {
    const config = { extends: join(ROOT, 'tsconfig.json'), include: ['librarian.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(spawnSync('tsc', ['-p', '.'], { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '' });
  });
});

describeLibrarian(
  'the librarian of the README, served,',
  servedLibrarian(INFO.id, app),
  {
    info: INFO,
    answers: { query: 'When do you open on Friday?' },
    fails: { query: ' ', code: 'INVALID_QUERY' },
    declines: 'never',
    delegates: { query: 'How often must the boiler be descaled?', to: 'navigator' },
    waits: 'never',
  },
  { describe, it },
);
