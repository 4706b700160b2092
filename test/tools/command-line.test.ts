import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/functions.ts';
import { runNode } from './node-for-test.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const OWN = Object.values(scripts).flatMap((command) => /^node (\S+\.ts.*)$/.exec(command)?.[1] ?? []);
const OTHERS = [
  'tools/release/build-background-words',
  'research/eval/fit-support',
  'research/eval/fit-answers',
  'research/eval/fit-tickets',
];
/** Scripts of third-party tools, with help and errors of their own. */
const OF_TOOLS = ['format'];

describe.concurrent('command lines', () => {
  it('cover every script', () => {
    expect(OWN).toHaveLength(Object.keys(scripts).length - OF_TOOLS.length);
    for (const name of OF_TOOLS) expect(scripts[name]).toMatch(/^biome /);
  });
  const ALL = [...OWN, ...OTHERS.map((name) => `${name}.ts`)];
  it.each(ALL)('%s prints its help without running', async (script) => {
    const help = await runNode([...script.split(' '), '--help']);
    expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('--help') });
    expect(help.stdout).toMatch(/\n {2}(?:npm (?:run )?\S+|constellation \S+|node (?:tools|research)\/\S+)/);
  });
  // The others share one reader of command lines, which is tried once.
  const readsAlone = (script: string) => !readFileSync(join(ROOT, script), 'utf8').includes('readCommandLine(HELP');
  const OWN_READERS = ALL.filter((script) => readsAlone(script.split(' ')[0] ?? ''));
  it.each(['tools/build/build.ts', ...OWN_READERS])('%s refuses an unknown option with one line', async (script) => {
    const stderr = "Unknown option '--no-such-option'. --help lists the options.\n";
    const refused = await runNode([...script.split(' '), '--no-such-option']);
    expect(refused).toEqual({ status: 2, stdout: '', stderr });
  });
});
