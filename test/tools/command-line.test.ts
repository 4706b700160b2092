import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKOUT_COMMANDS } from '../../tools/checkout-commands.ts';
import { ROOT } from '../../tools/functions.ts';
import { runNode } from './node-for-test.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const OF_NPM = Object.values(scripts).flatMap(
  (command) => /^node (?:tools\/with-node\.js )?(\S+\.ts.*)$/.exec(command)?.[1] ?? [],
);
const OWN = [...OF_NPM, ...Object.values(CHECKOUT_COMMANDS).map(({ file }) => file)];
const OTHERS = [
  'tools/release/build-background-words',
  'research/eval/fit-support',
  'research/eval/fit-answers',
  'research/eval/fit-tickets',
];
/** Scripts of third-party tools, with help and errors of their own. */
const OF_TOOLS = ['format', 'test:watch'];

describe.concurrent('command lines', () => {
  it('cover every script', () => {
    expect(OF_NPM).toHaveLength(Object.keys(scripts).length - OF_TOOLS.length);
    for (const name of OF_TOOLS) expect(scripts[name]).toMatch(/^(?:biome |vitest$)/);
  });
  it('are few in package.json, the others commands of constellation', () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(12);
  });
  it('of a checkout are run by constellation with their options', async () => {
    const byItself = await runNode(['tools/release/keys.ts', '--help']);
    expect(await runNode(['client/command-line/constellation.ts', 'keys', '--help'])).toEqual(
      byItself,
    );
    const refused = await runNode([
      'client/command-line/constellation.ts',
      'api-key',
      '--no-such-option',
    ]);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--no-such-option'),
    });
    const help = await runNode(['client/command-line/constellation.ts', '--help']);
    for (const name of Object.keys(CHECKOUT_COMMANDS))
      expect(help.stdout).toContain(`\n  ${name} `);
  });
  const ALL = [...OWN, ...OTHERS.map((name) => `${name}.ts`)];
  it.each(ALL)('%s prints its help without running', async (script) => {
    const help = await runNode([...script.split(' '), '--help']);
    expect(help).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('--help'),
    });
    expect(help.stdout).toMatch(
      /\n {2}(?:npm (?:run )?\S+|(?:npx )?constellation \S+|node (?:tools|research)\/\S+)/,
    );
  });
  // The others share one reader of command lines, which is tried once.
  const readsAlone = (script: string) =>
    !readFileSync(join(ROOT, script), 'utf8').includes('readCommandLine(HELP');
  const OWN_READERS = ALL.filter((script) => readsAlone(script.split(' ')[0] ?? ''));
  it.each(['tools/build/build.ts', ...OWN_READERS])(
    '%s refuses an unknown option with one line',
    async (script) => {
      const stderr = "Unknown option '--no-such-option'. --help lists the options.\n";
      const refused = await runNode([...script.split(' '), '--no-such-option']);
      expect(refused).toEqual({ status: 2, stdout: '', stderr });
    },
  );
});
