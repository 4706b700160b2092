import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LibrarianDirectory } from '../../../src/contract/librarian-directory.ts';
import { LibrarianResponse } from '../../../src/contract/response.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { newLibrarianOptions } from '../../../src/dev/release/new-librarian-options.ts';
import { planLibrarian } from '../../../src/dev/release/plan-librarian.ts';

const FILES = ['src', 'functions', 'package.json', 'wrangler.toml', 'biome.json', 'tsconfig.json', 'vitest.config.ts'];
const CHANGED = ['wrangler.toml', 'src/signing/internal-librarians.ts'];
const KEY = 'ck_new_librarian_0123456789abcdef';

/** A copy of the checkout: the command changes files beside it. */
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'constellation-new-'));
  for (const file of FILES) cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(copy, path), 'utf8');

const runNew = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('node', ['src/dev/release/new-librarian.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

describe('npm run new', () => {
  let before: string[];

  beforeEach(() => {
    before = CHANGED.map(read);
  });

  it.each<[what: string, problem: RegExp, args: string[]]>([
    ['no id', /it needs an id/, []],
    ['two ids', /one id is expected/, ['tides', 'moons']],
    ['an id in capitals', /2 to 48 of a-z/, ['Tides']],
    ['an id that leaves the folder', /2 to 48 of a-z/, ['../tides']],
    ['an id that begins with a digit', /2 to 48 of a-z/, ['7seas']],
    ['an id of two hyphens', /2 to 48 of a-z/, ['high--tides']],
    ['an id that is too long', /2 to 48 of a-z/, ['t'.repeat(49)]],
    ['the id of a function', /belongs to a part of the house/, ['navigator']],
    ['the id of a part to come', /belongs to a part of the house/, ['memory']],
    ['the id of the concierge', /belongs to a part of the house/, ['concierge']],
    ['an id like another binding', /something else that is called API_KEYS/, ['api-keys']],
    ['an id like a variable', /something else that is called CORS_ORIGINS/, ['cors-origins']],
    ['a capability that is none', /is not a capability/, ['tides', '--capabilities', 'read everything']],
    ['an empty name', /--name: it is empty/, ['tides', '--name', ' ']],
    ['a name of two lines', /--name: it has a line break/, ['tides', '--name', 'High\nTides']],
    ['a description that is too long', /description/, ['tides', '--description', 'x'.repeat(1001)]],
    ['an option that is none', /Unknown option/, ['tides', '--force']],
  ])('refuses %s, and says why', (_, problem, args) => {
    expect(() => {
      const options = newLibrarianOptions(args);
      if (options !== undefined) planLibrarian(options, copy);
    }).toThrow(problem);
  });

  it('changes nothing where it refuses, and says why', () => {
    const { status, stderr } = runNew('api-keys');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/something else that is called API_KEYS/)]);
    expect(CHANGED.map(read)).toEqual(before);
    expect(existsSync(join(copy, 'functions/api-keys'))).toBe(false);
  });

  it('writes over nothing that is in the way', () => {
    mkdirSync(join(copy, 'test/conformance'), { recursive: true });
    writeFileSync(join(copy, 'test/conformance/tides.test.ts'), 'mine');
    expect(runNew('tides').stderr).toMatch('test/conformance/tides.test.ts exists already');
    rmSync(join(copy, 'test/conformance/tides.test.ts'));
    expect(CHANGED.map(read)).toEqual(before);
  });

  it('tells how it is used', () => {
    expect(runNew('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('npm run new -- <id>') });
  });

  it('makes a librarian that passes its test, and answers through the gateway', {
    timeout: 240_000,
  }, async () => {
    const options = [
      '--name',
      'High "tides"',
      '--description',
      "Knows when it's high tide.",
      '--capabilities',
      'kb:read',
    ];
    expect(runNew('high-tides', ...options)).toMatchObject({ status: 0, stderr: '' });
    const product = await startCopy();
    const asked = await product.ask({ query: 'What do you know about High "tides"?', librarian: 'high-tides' });
    const { librarians } = LibrarianDirectory.parse(await product.get('/v1/librarians'));
    await product.stop();
    expect(asked).toMatchObject({
      answer: expect.stringContaining('functions/high-tides/librarian.ts'),
      confidence: 0.9,
    });
    expect(librarians.find(({ id }) => id === 'high-tides')).toMatchObject({
      name: 'High "tides"',
      description: "Knows when it's high tide.",
      capabilities: ['kb:read'],
      health: 'ok',
    });
    // Its own test, its types and its layout, as npm run check sees them.
    const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: copy, encoding: 'utf8' });
    expect(run('vitest', 'run', 'test/conformance/high-tides.test.ts')).toMatchObject({ status: 0 });
    const files = ['functions/high-tides', 'test/conformance', ...CHANGED.slice(1)];
    expect(run('biome', 'ci', '--error-on-warnings', '--vcs-enabled=false', ...files)).toMatchObject({ status: 0 });
    const config = { extends: './tsconfig.json', include: ['functions/high-tides'] };
    writeFileSync(join(copy, 'tsconfig.high-tides.json'), JSON.stringify(config));
    expect(run('tsc', '-p', 'tsconfig.high-tides.json')).toMatchObject({ status: 0, stdout: '' });
    expect(runNew('high-tides').stderr).toMatch('belongs to a part of the house');
  });
});

/** `npm start` in the copy, in a process of its own. */
const startCopy = async () => {
  const args = ['src/dev/run/start.ts', '--port', '0', '--fresh', '--state', join(copy, 'state')];
  const env = { ...process.env, CONSTELLATION_API_KEY: KEY };
  const child = spawn('node', args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^ready (\S+) key/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  child.stdout.resume();
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  return {
    get: async (path: string): Promise<unknown> => (await fetch(`${url}${path}`, { headers })).json(),
    ask: async (body: object): Promise<LibrarianResponse> => {
      const response = await fetch(`${url}/v1/ask`, { method: 'POST', headers, body: JSON.stringify(body) });
      return LibrarianResponse.parse(await response.json());
    },
    stop: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
};
