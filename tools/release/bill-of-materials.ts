import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { ROOT } from '../functions.ts';

/** What is checked of a bill of materials (CycloneDX 1.5). */
const Component = z.looseObject({
  'bom-ref': z.string().min(1),
  name: z.string().min(1),
  version: z.string().min(1),
  purl: z.string().startsWith('pkg:npm/'),
  hashes: z
    .array(z.object({ alg: z.string(), content: z.string().regex(/^[0-9a-f]{64,128}$/) }))
    .min(1),
});

const BillOfMaterials = z
  .looseObject({
    bomFormat: z.literal('CycloneDX'),
    specVersion: z.string().regex(/^1\.\d$/),
    serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
    metadata: z.looseObject({
      component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }),
    }),
    components: z.array(Component).min(1),
    dependencies: z.array(
      z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() }),
    ),
  })
  .superRefine(({ metadata, components, dependencies }, check) => {
    const refs = [metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])];
    const known = new Set(refs);
    if (known.size < refs.length)
      check.addIssue({ code: 'custom', message: 'names a component twice' });
    for (const { ref, dependsOn = [] } of dependencies)
      for (const each of [ref, ...dependsOn])
        if (!known.has(each))
          check.addIssue({ code: 'custom', message: `depends on ${each}, which it does not list` });
  });
type BillOfMaterials = z.infer<typeof BillOfMaterials>;

/** @throws {Error} Why a text is no complete bill of materials. */
export function readBillOfMaterials(text: string): BillOfMaterials {
  const read = BillOfMaterials.safeParse(JSON.parse(text));
  if (!read.success)
    throw new Error(`Cannot use the bill of materials: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** Beside the other results of a build. */
export const BILL_OF_MATERIALS = join(ROOT, 'dist/sbom.cdx.json');

/**
 * Writes what a deployment is made of, from package-lock.json: every package with version, licence and hash. Those
 * that only build and test have the property `cdx:npm:package:development`.
 *
 * @returns How many packages it lists.
 */
export async function writeBillOfMaterials(file = BILL_OF_MATERIALS): Promise<number> {
  const args = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--package-lock-only',
  ];
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const bill = readBillOfMaterials(stdout);
  // npm names the folder, not the package.
  const { name } = z
    .object({ name: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  bill.metadata.component.name = name;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  return bill.components.length;
}
