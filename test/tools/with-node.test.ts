import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../tools/functions.ts';
import { sourcesProblem } from '../../tools/node-version.js';
import { SYSTEM_NODE, SYSTEM_NODE_VERSION } from '../client/packed-packages.ts';
import { temporaryFolder } from './folder-for-test.ts';
import { runCommand, runNode } from './node-for-test.ts';

const folder = temporaryFolder();
const SCRIPT = ['tools/with-node.js', 'tools/run/start.ts'];

it('runs a script with its options', async () => {
  const { status, stdout } = await runNode([...SCRIPT, '--help']);
  expect([status, stdout]).toEqual([0, expect.stringContaining('npm start -- [options]')]);
});

it('runs each script of the checkout that is TypeScript', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const unguarded = Object.values(scripts).filter(
    (script) => script.includes('.ts') && !script.startsWith('node tools/with-node.js '),
  );
  expect(unguarded).toEqual([]);
});

const problem = sourcesProblem(SYSTEM_NODE_VERSION, SYSTEM_NODE);
it.runIf(problem !== undefined)('ends with what is wrong on a Node that is too old', async () => {
  const { status, stdout, stderr } = await runCommand(SYSTEM_NODE, [...SCRIPT, '--help']);
  const line = /^This is Node \d+\.\d+\.\d+ \(.*\), and the sources need 22\.18 .*npm ci\n$/;
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(line)]);
});

it('says that the packages are missing', async () => {
  mkdirSync(join(folder, 'tools'));
  for (const file of ['tools/with-node.js', 'tools/node-version.js', 'package.json'])
    copyFileSync(join(ROOT, file), join(folder, file));
  const result = await runNode(SCRIPT, { cwd: folder });
  expect(result).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The packages are missing. Run: npm ci\n',
  });
});
