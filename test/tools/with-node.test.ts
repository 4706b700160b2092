import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../tools/functions.ts';
import { OLD_NODE } from '../client/packed-packages.ts';
import { temporaryFolder } from './folder-for-test.ts';
import { runCommand, runNode } from './node-for-test.ts';

const folder = temporaryFolder();
const SCRIPT = ['tools/with-node.js', 'tools/run/start.ts'];

it('runs a script with its options', async () => {
  const { status, stdout } = await runNode([...SCRIPT, '--help']);
  expect([status, stdout]).toEqual([0, expect.stringContaining('npm start -- [options]')]);
});

it('says which Node this is, and which one the sources need', async () => {
  const { status, stdout, stderr } = await runCommand(OLD_NODE, [...SCRIPT, '--help']);
  const problem =
    /^This is Node \d+\.\d+\.\d+ \(.*\), and the sources need 22\.18 or later\..*npm ci\n$/;
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(problem)]);
});

it('says that the packages are missing', async () => {
  mkdirSync(join(folder, 'tools'));
  copyFileSync(join(ROOT, 'tools/with-node.js'), join(folder, 'tools/with-node.js'));
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const result = await runNode(SCRIPT, { cwd: folder });
  expect(result).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The packages are missing. Run: npm ci\n',
  });
});
