import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LibrarianDirectory } from '../../../src/contract/librarian.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { newLibrarianOptions } from '../../../src/dev/release/new-librarian-options.ts';
import { planLibrarian } from '../../../src/dev/release/plan-librarian.ts';
import { startOpenAIServer } from '../../../src/dev/stand-ins/openai/openai-server.ts';
import { runCommand, runNode, startProduct } from '../node-for-test.ts';

const FILES = [
  'src',
  'client',
  'functions',
  'package.json',
  'wrangler.toml',
  'biome.json',
  'tsconfig.json',
  'vitest.config.ts',
];
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
/** The function in the README, without its name. */
const README_FUNCTION = /^export const \w+: Librarian = (.*?);\n```/ms.exec(
  readFileSync(join(ROOT, 'README.md'), 'utf8'),
)?.[1];
const runNew = (...args: string[]) => runNode(['src/dev/release/new-librarian.ts', ...args], { cwd: copy });

describe('npm run new', () => {
  let before: string[];

  beforeEach(() => {
    before = CHANGED.map(read);
  });
  it.each<[what: string, problem: RegExp, args: string[]]>([
    ['no id', /it needs an id/, []],
    ['two ids', /one id is expected/, ['tides', 'moons']],
    ['an id in capitals', /2 to 48 of a-z/, ['Tides']],
    ['an id with a path', /2 to 48 of a-z/, ['../tides']],
    ['an id that begins with a digit', /2 to 48 of a-z/, ['7seas']],
    ['an id of two hyphens', /2 to 48 of a-z/, ['high--tides']],
    ['an id that is too long', /2 to 48 of a-z/, ['t'.repeat(49)]],
    ['the id of a function', /the product has a function of that name/, ['navigator']],
    ['the id of an internal librarian', /the product has a function of that name/, ['memory']],
    ['the id of the concierge', /the product has a function of that name/, ['concierge']],
    ['an id like another binding', /something else that is called API_KEYS/, ['api-keys']],
    ['an id like a variable', /something else that is called CORS_ORIGINS/, ['cors-origins']],
    ['an invalid capability', /is not a capability/, ['tides', '--capabilities', 'read everything']],
    ['an empty name', /--name: it is empty/, ['tides', '--name', ' ']],
    ['a name of two lines', /--name: it has a line break/, ['tides', '--name', 'High\nTides']],
    ['a description that is too long', /description/, ['tides', '--description', 'x'.repeat(1001)]],
    ['an unknown option', /Unknown option/, ['tides', '--force']],
  ])('refuses %s with the reason', (_, problem, args) => {
    expect(() => {
      const options = newLibrarianOptions(args);
      if (options !== undefined) planLibrarian(options, copy);
    }).toThrow(problem);
  });
  it('changes nothing when it refuses, and overwrites no file', async () => {
    const refused = { status: 1, stderr: expect.stringMatching(/something else that is called API_KEYS/) };
    expect(await runNew('api-keys')).toMatchObject(refused);
    expect(existsSync(join(copy, 'functions/api-keys'))).toBe(false);
    mkdirSync(join(copy, 'test/conformance'), { recursive: true });
    writeFileSync(join(copy, 'test/conformance/tides.test.ts'), 'mine');
    expect((await runNew('tides')).stderr).toMatch('test/conformance/tides.test.ts exists already');
    rmSync(join(copy, 'test/conformance/tides.test.ts'));
    expect(CHANGED.map(read)).toEqual(before);
  });
  it('creates a librarian that passes its test and answers through the gateway, with a model and the navigator as a delegate', {
    timeout: 240_000,
  }, async () => {
    const described = { name: 'High "tides"', description: "Knows when it's high tide." };
    const options = Object.entries(described).flatMap(([name, value]) => [`--${name}`, value]);
    const made = await runNew('high-tides', ...options, '--capabilities', 'kb:read');
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const config = { extends: './tsconfig.json', include: ['functions/high-tides'] };
    writeFileSync(join(copy, 'tsconfig.high-tides.json'), JSON.stringify(config));
    const files = ['functions/high-tides', 'test/conformance', ...CHANGED.slice(1)];
    // Its own test, its layout and its types, as npm run check sees them, while the product runs.
    const checks = [
      ['vitest', 'run', 'test/conformance/high-tides.test.ts'],
      ['biome', 'ci', '--error-on-warnings', '--vcs-enabled=false', ...files],
      ['tsc', '-p', 'tsconfig.high-tides.json'],
    ].map(([command = '', ...args]) => runCommand(command, args, { cwd: copy }));
    // Another one, into which the lines of the README are pasted.
    await runNew('opening-hours', '--capabilities', 'kb:read');
    const file = join(copy, 'functions/opening-hours/librarian.ts');
    const pasted = `async (query, context) => query === 'Who helps?'
      ? { answer: JSON.stringify([context?.ai?.model, context?.availableDelegates?.map(({ examples, ...one }) => one)]) }
      : (${README_FUNCTION})(query);`;
    writeFileSync(
      file,
      read('functions/opening-hours/librarian.ts').replace(/async \(query\) => .*/s, () => pasted),
    );
    const model = await startOpenAIServer();
    const adapters = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: model.apiKey, EMBEDDING_MODEL: 'none' };
    const args = ['--port', '0', '--fresh', '--state', join(copy, 'state'), '--no-helpdesk'];
    const product = await startProduct(args, { cwd: copy, env: { CONSTELLATION_API_KEY: KEY, ...adapters } });
    const query = 'What do you know about High "tides"?';
    const answer = expect.stringContaining('functions/high-tides/librarian.ts');
    expect(await product.ask({ query, librarian: 'high-tides' })).toMatchObject({ answer, confidence: 0.9 });
    const { librarians } = LibrarianDirectory.parse(await product.get('/v1/librarians'));
    const listed = { ...described, capabilities: ['kb:read'], health: 'ok' };
    expect(librarians.find(({ id }) => id === 'high-tides')).toMatchObject(listed);
    const askPasted = (asked: string) => product.ask({ query: asked, librarian: 'opening-hours' });
    expect(await askPasted('When do you open?')).toMatchObject({ answer: expect.stringContaining('Monday to Friday') });
    const delegated = await askPasted('How do I update the firmware?');
    expect(delegated).toMatchObject({ answer: expect.stringContaining('firmware'), metadata: { navigator: {} } });
    expect(JSON.parse((await askPasted('Who helps?')).answer ?? '')).toEqual([
      'gpt-4.1-mini',
      [
        expect.objectContaining({
          id: 'navigator',
          name: 'Navigator',
          description: expect.stringMatching(/knowledge/),
        }),
      ],
    ]);
    await product.stop('SIGTERM');
    await model.stop();
    expect(await Promise.all(checks)).toMatchObject([{ status: 0 }, { status: 0 }, { status: 0, stdout: '' }]);
    expect((await runNew('high-tides')).stderr).toMatch('the product has a function of that name');
  });
});
