import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-bundle-'));
  writeFileSync(join(folder, 'entry.ts'), "import { word } from './word.ts';\nexport default word;\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As another process that finds the bundles of this one: a module with another query is evaluated anew. */
let time = 0;
const bundleAnew = async (): Promise<string> => {
  const module = `../../../src/dev/build/bundle-function.ts?${time++}`;
  const { bundle } = (await import(module)) as typeof import('../../../src/dev/build/bundle-function.ts'); // what the file exports
  return bundle(join(folder, 'entry.ts'));
};

it('reads a bundle again while its files are the same, and builds it when one below the entry has changed', async () => {
  writeFileSync(join(folder, 'word.ts'), "export const word = 'orchard';\n");
  const first = await bundleAnew();
  expect(first).toContain('orchard');
  expect(await bundleAnew()).toBe(first);
  writeFileSync(join(folder, 'word.ts'), "export const word = 'harbour';\n");
  expect(await bundleAnew()).toContain('harbour');
  rmSync(join(folder, 'word.ts'));
  await expect(bundleAnew()).rejects.toThrow('word.ts');
});
