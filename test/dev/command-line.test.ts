import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const OWN = Object.values(scripts).flatMap((command) => /^node (\S+\.ts)$/.exec(command)?.[1] ?? []);
const OTHERS = ['release/build-background-words', 'eval/fit-support', 'eval/fit-answers', 'eval/fit-tickets'];
const ALL = [...OWN, ...OTHERS.map((name) => `src/dev/${name}.ts`)];

const run = (script: string, option: string) =>
  new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [script, option], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => {
      said.stdout += text;
    });
    child.stderr.on('data', (text) => {
      said.stderr += text;
    });
    child.on('close', (status) => resolve({ status, ...said }));
  });

describe.concurrent('command lines', () => {
  it.each(ALL)('%s prints its help and runs nothing', async (script) => {
    const { status, stdout, stderr } = await run(script, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/\n {2}(?:npm (?:run )?\S+|node src\/dev\/\S+)/);
    expect(stdout).toContain('--help');
  });

  it.each(ALL)('%s refuses an unknown option with one line', async (script) => {
    const { status, stdout, stderr } = await run(script, '--no-such-option');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe("Unknown option '--no-such-option'. --help lists the options.\n");
  });
});
