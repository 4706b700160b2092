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

/** Like another process that finds the bundles of this one: a module with another query is evaluated again. */
let time = 0;
const bundleAgain = async (): Promise<string> => {
  const module = `../../../src/dev/build/bundle-function.ts?${time++}`;
  const { bundle } = (await import(module)) as typeof import('../../../src/dev/build/bundle-function.ts'); // what the file exports
  return bundle(join(folder, 'entry.ts'));
};

it('reuses a bundle while its files are the same, and rebuilds it when an imported file has changed', async () => {
  writeFileSync(join(folder, 'word.ts'), "export const word = 'orchard';\n");
  const first = await bundleAgain();
  expect(first).toContain('orchard');
  expect(await bundleAgain()).toBe(first);
  writeFileSync(join(folder, 'word.ts'), "export const word = 'harbour';\n");
  expect(await bundleAgain()).toContain('harbour');
  rmSync(join(folder, 'word.ts'));
  await expect(bundleAgain()).rejects.toThrow('word.ts');
});
