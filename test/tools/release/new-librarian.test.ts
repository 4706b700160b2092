import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LibrarianDirectory } from '../../../src/contract/core/librarian.ts';
import { ROOT } from '../../../tools/functions.ts';
import { newLibrarianOptions } from '../../../tools/release/new-librarian-options.ts';
import { planLibrarian } from '../../../tools/release/plan-librarian.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';
import { runCommand, runNode, startProduct } from '../node-for-test.ts';

const FILES =
  'src tools client functions test/conformance/served-librarian.ts test/fixed-seed.ts package.json wrangler.toml biome.json tsconfig.json vitest.config.ts'.split(
    ' ',
  );
const CHANGED = ['wrangler.toml', 'src/platform/context/internal-librarians.ts'];
const KEY = 'ck_new_librarian_0123456789abcdef';

/** A copy of the checkout: the command changes files beside it. */
const copy = temporaryFolder();
beforeAll(() => {
  for (const file of FILES) cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
});

const read = (path: string): string => readFileSync(join(copy, path), 'utf8');
const plan = (...args: string[]) => {
  const options = newLibrarianOptions(args);
  if (options !== undefined) planLibrarian(options, copy);
};
const runNew = (...args: string[]) =>
  runNode(['tools/release/new-librarian.ts', ...args], { cwd: copy });

describe('npx constellation new', () => {
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
    [
      'an invalid capability',
      /is not a capability/,
      ['tides', '--capabilities', 'read everything'],
    ],
    ['an empty name', /--name: it is empty/, ['tides', '--name', ' ']],
    ['a name of two lines', /--name: it has a line break/, ['tides', '--name', 'High\nTides']],
    ['a description that is too long', /description/, ['tides', '--description', 'x'.repeat(1001)]],
    ['an unknown option', /Unknown option/, ['tides', '--force']],
  ])('refuses %s with the reason', (_, problem, args) => {
    expect(() => plan(...args)).toThrow(problem);
  });
  it('changes nothing when it refuses, and overwrites no file', async () => {
    const before = CHANGED.map(read);
    writeFiles(copy, { 'test/conformance/tides.test.ts': 'mine' });
    const stderr = expect.stringMatching('test/conformance/tides.test.ts exists already');
    expect(await runNew('tides')).toMatchObject({ status: 1, stderr });
    rmSync(join(copy, 'test/conformance/tides.test.ts'));
    expect(existsSync(join(copy, 'functions/tides'))).toBe(false);
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
    writeFiles(copy, { 'tsconfig.high-tides.json': JSON.stringify(config) });
    const files = ['functions/high-tides', 'test/conformance', ...CHANGED.slice(1)];
    // Its own test, its layout and its types, as npm run check sees them, while the product runs.
    const checks = [
      ['vitest', 'run', 'test/conformance/high-tides.test.ts'],
      ['biome', 'ci', '--error-on-warnings', '--vcs-enabled=false', ...files],
      ['tsc', '-p', 'tsconfig.high-tides.json'],
    ].map(([command = '', ...args]) => runCommand(command, args, { cwd: copy }));
    // Another one, which also says who helps it.
    await runNew('opening-hours', '--capabilities', 'kb:read');
    const file = 'functions/opening-hours/librarian.ts';
    const helping = `async (query, context) => {
  if (query === 'Who helps?')
    return { answer: JSON.stringify([context?.ai?.model, context?.availableDelegates?.map(({ examples, ...one }) => one)]) };`;
    writeFiles(copy, { [file]: read(file).replace('async (query) => {', () => helping) });
    const model = await startOpenAIServer();
    const adapters = {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.apiKey,
      EMBEDDING_MODEL: 'none',
    };
    const args = ['--port', '0', '--fresh', '--state', join(copy, 'state'), '--no-helpdesk'];
    const product = await startProduct(args, {
      cwd: copy,
      env: { CONSTELLATION_API_KEY: KEY, ...adapters },
    });
    const query = 'What do you know about High "tides"?';
    const answer = expect.stringContaining('functions/high-tides/librarian.ts');
    expect(await product.ask({ query, librarian: 'high-tides' })).toMatchObject({
      answer,
      confidence: 0.9,
    });
    const { librarians } = LibrarianDirectory.parse(await product.get('/v1/librarians'));
    const listed = { ...described, capabilities: ['kb:read'], health: 'ok' };
    expect(librarians.find(({ id }) => id === 'high-tides')).toMatchObject(listed);
    const askOther = (asked: string) =>
      product.ask({ query: asked, librarian: 'opening-hours', include: ['navigator'] });
    expect(await askOther('What are your opening hours?')).toMatchObject({
      answer: expect.stringContaining(file),
    });
    const delegated = await askOther('How do I update the firmware?');
    expect(delegated).toMatchObject({
      answer: expect.stringContaining('firmware'),
      metadata: { navigator: {} },
    });
    const navigator = {
      id: 'navigator',
      name: 'Navigator',
      description: expect.stringMatching(/knowledge/),
    };
    const helpers = ['gpt-4.1-mini', [expect.objectContaining(navigator)]];
    expect(JSON.parse((await askOther('Who helps?')).answer ?? '')).toEqual(helpers);
    await product.stop('SIGTERM');
    await model.stop();
    expect(await Promise.all(checks)).toMatchObject([
      { status: 0 },
      { status: 0 },
      { status: 0, stdout: '' },
    ]);
    expect(() => plan('high-tides')).toThrow('Cannot use the id high-tides');
  });
});
