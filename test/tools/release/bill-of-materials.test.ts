import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readBillOfMaterials,
  writeBillOfMaterials,
} from '../../../tools/release/bill-of-materials.ts';
import { type LockFile, lockProblems } from '../../../tools/release/lock-entries.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('the bill of materials lists every package with its hash', { timeout: 60_000 }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sbom-')), 'sbom.cdx.json');
  const count = await writeBillOfMaterials(file);
  const bill = readBillOfMaterials(readFileSync(file, 'utf8'));
  expect([bill.components.length, bill.metadata.component.name]).toEqual([count, 'constellation']);
  const names = new Set(bill.components.map(({ purl }) => purl));
  const { dependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(dependencies))
    expect([...names], name).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
  // One that lacks a hash, or what something depends on, is refused.
  const [first] = bill.components;
  const without = { ...bill, components: bill.components.slice(1) };
  expect(() => readBillOfMaterials(JSON.stringify(without))).toThrow('which it does not list');
  const unhashed = { ...bill, components: [{ ...first, hashes: [] }, ...bill.components.slice(1)] };
  expect(() => readBillOfMaterials(JSON.stringify(unhashed))).toThrow('hashes');
});

describe('the lock file', () => {
  const lock = JSON.parse(read('package-lock.json')) as LockFile;
  it('has the integrity of every package, of other platforms too', () =>
    expect(lockProblems(lock)).toEqual([]));
  it.each([
    [{ version: '1.0.0' }, 'has no integrity'],
    [{ version: '1.0.0', integrity: 'sha1-abc' }, 'has no integrity'],
    [
      {
        version: '1.0.0',
        integrity: `sha512-${'A'.repeat(86)}==`,
        resolved: 'http://r.example/a.tgz',
      },
      'without HTTPS',
    ],
    [{}, 'has no version'],
  ])('is refused with the entry %j', (entry, problem) => {
    const packages = { ...lock.packages, 'node_modules/@a/b/node_modules/c': entry };
    expect(lockProblems({ packages })).toEqual([expect.stringContaining(problem)]);
  });
});
