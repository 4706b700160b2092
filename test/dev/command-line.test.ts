import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';
import { runNode } from './node-for-test.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const OWN = Object.values(scripts).flatMap((command) => /^node (\S+\.ts.*)$/.exec(command)?.[1] ?? []);
const OTHERS = ['release/build-background-words', 'eval/fit-support', 'eval/fit-answers', 'eval/fit-tickets'];
/** Scripts of third-party tools, with help and errors of their own. */
const OF_TOOLS = ['format'];

describe.concurrent('command lines', () => {
  it('cover every script', () => {
    expect(OWN).toHaveLength(Object.keys(scripts).length - OF_TOOLS.length);
    for (const name of OF_TOOLS) expect(scripts[name]).toMatch(/^biome /);
  });
  it.each([...OWN, ...OTHERS.map((name) => `src/dev/${name}.ts`)])(
    '%s prints its help without running, and refuses an unknown option with one line',
    async (script) => {
      const command = script.split(' ');
      const help = await runNode([...command, '--help']);
      expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('--help') });
      expect(help.stdout).toMatch(/\n {2}(?:npm (?:run )?\S+|constellation \S+|node src\/dev\/\S+)/);
      const stderr = "Unknown option '--no-such-option'. --help lists the options.\n";
      expect(await runNode([...command, '--no-such-option'])).toEqual({ status: 2, stdout: '', stderr });
    },
  );
});
