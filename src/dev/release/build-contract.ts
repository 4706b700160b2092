/** `npm run contract`: makes a package of the contract. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';

const HELP = `Makes a package of the contract alone in dist/contract, as JavaScript with types, ready for npm publish dist/contract.

  npm run contract

  --help  this text
`;

readCommandLine(HELP, { options: {} });

const folder = join(ROOT, 'dist/contract');
rmSync(folder, { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', 'tsconfig.contract.json'], { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) fail('Cannot build the contract: it does not compile');
const { version, license, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
  dependencies: Record<string, string>;
};
const manifest = {
  name: '@constellation/contract',
  version,
  description: 'The shapes, types, error codes and validators that librarians and their callers share.',
  license,
  type: 'module',
  sideEffects: false,
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    // The suite of tests for librarians, apart so that no function carries it.
    './conformance': {
      types: './conformance/describe-librarian.d.ts',
      default: './conformance/describe-librarian.js',
    },
  },
  dependencies: { zod: dependencies.zod },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log('wrote dist/contract');
