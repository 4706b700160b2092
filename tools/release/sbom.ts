/** `npx constellation sbom`: what a deployment is made of. */
import { resolve } from 'node:path';
import { fail, readCommandLine } from '../command-line.ts';
import { BILL_OF_MATERIALS, writeBillOfMaterials } from './bill-of-materials.ts';

const HELP = `Writes the software bill of materials (CycloneDX, JSON): every package with its version, licence and hash; those that only build and
test are marked as development. npm run deploy writes it too.

  npx constellation sbom [options]

  --out <file>  where to write it (default dist/sbom.cdx.json)
  --help        this text
`;

const { values } = readCommandLine(HELP, {
  options: { out: { type: 'string', default: BILL_OF_MATERIALS } },
});
const file = resolve(values.out);

try {
  console.log(`${file}: ${await writeBillOfMaterials(file)} packages`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
