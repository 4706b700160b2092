/** `npx constellation contract`: makes a package of the contract. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { compilePackage, readManifest } from './compile-package.ts';

const HELP = `Makes a package of the contract alone in dist/contract, as JavaScript with types. npm run release
publishes it.

  npx constellation contract

  --help  this text
`;

readCommandLine(HELP, { options: {} });

const folder = compilePackage('contract');
const { version, license, dependencies } = readManifest();
const manifest = {
  name: '@constellation/contract',
  version,
  description:
    'The shapes, types, error codes and validators that librarians and their callers share.',
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
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(ROOT, 'src/contract/README.md'), join(folder, 'README.md'));
console.log('wrote dist/contract');
