import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../command-line.ts';
import { ROOT } from '../functions.ts';

/**
 * Compiles a package that is published by itself: `contract` by `tsconfig.contract.json` into `dist/contract`, which is emptied first. Ends
 * the process where it does not compile.
 *
 * @returns The folder.
 */
export function compilePackage(name: 'contract' | 'client'): string {
  const folder = join(ROOT, 'dist', name);
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status } = spawnSync(tsc, ['-p', `tsconfig.${name}.json`], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) fail(`Cannot build the ${name}: it does not compile`);
  return folder;
}

/** What packages share with the whole. */
export function readManifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
}
