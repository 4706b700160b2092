/** `npm run build`: makes the static files that are deployed with the gateway, or the API reference. */
import { join } from 'node:path';
import { fail, failUsage, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { buildAssets } from './build-assets.ts';

const HELP = `Makes the console, the description of the API and the page that shows it, in dist/assets. npm start and npm run deploy do it
themselves.

  npm run build -- [options]

  --reference  make the API reference of @constellation/contract and @constellation/client instead, in dist/reference
  --check      with --reference: write nothing, and fail for types that it uses and does not have
  --help       this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    reference: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
if (values.check && !values.reference) failUsage('--check goes with --reference');

if (values.reference) await reference();
else console.log(`wrote ${await buildAssets()}`);

async function reference(): Promise<void> {
  const { buildReference } = await import('./reference.ts');
  const folder = join(ROOT, 'dist/reference');
  const warnings = await buildReference(values.check ? undefined : folder);
  if (warnings.length > 0) fail(warnings.join('\n'));
  console.log(values.check ? 'the API reference is complete' : `wrote ${folder}`);
}
