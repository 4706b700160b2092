/** `npx constellation client`: builds the typed client. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { describeSchemas } from '../build/describe-schemas.ts';
import { schemaRef, schemasOf } from '../build/openapi.ts';
import { typescriptOfSchemas } from '../build/typescript-of-schemas.ts';
import { fail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { compilePackage, readManifest } from './compile-package.ts';
import { packageOfFile, thirdPartyNotices } from './third-party.ts';

const HELP = `Builds the package @constellation/client in client/dist: the client as one module without a dependency, and its
types. npm pack ./client does it itself. Fails when the client is larger than 6 KiB gzip.

  npx constellation client

  --help  this text
`;

readCommandLine(HELP, { options: {} });

/** Limit of the client after gzip. */
const MAX_BYTES = 6 * 1024;

const SOURCE = join(ROOT, 'client');
const folder = join(SOURCE, 'dist');
// What npm prints on standard output names the package, so nothing else stands there.
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const { version } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as {
  version: string;
};
if (version !== readManifest().version)
  fail('Cannot build the client: its package.json has another version than the product');

writeTypes();
const bytes = bundleClient();
if (bytes > MAX_BYTES)
  fail(`Cannot build the client: it has ${bytes} bytes gzip, more than ${MAX_BYTES}`);
cpSync(join(ROOT, 'LICENSE'), join(SOURCE, 'dist/LICENSE'));
console.error(`wrote client/dist: the client has ${bytes} bytes gzip`);

/** Types as tsc declares them; those of the contract are written from its schemas, so that they need no Zod. */
function writeTypes(): void {
  const declared = join(compilePackage('client'), 'client');
  for (const file of readdirSync(declared)) {
    const text = readFileSync(join(declared, file), 'utf8');
    // Every setting of module resolution finds the declarations of a script.
    writeFileSync(join(folder, file), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  const [, listed = ''] =
    /export type \{([^}]*)\}/.exec(readFileSync(join(SOURCE, 'contract.ts'), 'utf8')) ?? [];
  const names = listed.match(/\w+/g) ?? [];
  const types = typescriptOfSchemas(
    schemasOf(names.map(schemaRef), { describe: describeSchemas() }),
  );
  writeFileSync(join(folder, 'contract.d.ts'), types);
}

/** Writes the licences of what is bundled beside it. Returns the size after gzip. */
function bundleClient(): number {
  const file = join(folder, 'index.js');
  const { metafile, warnings } = buildSync({
    entryPoints: ['client/index.ts'],
    absWorkingDir: ROOT,
    outfile: file,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    logLevel: 'warning',
  });
  if (warnings.length > 0) fail('Cannot build the client: see the warnings above');
  const bundled = Object.keys(metafile.inputs).flatMap((path) => packageOfFile(path) ?? []);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), thirdPartyNotices(bundled));
  return gzipSync(readFileSync(file), { level: 9 }).length;
}
