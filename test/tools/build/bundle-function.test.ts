import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const folder = temporaryFolder();
/** Like another process that finds the bundles of this one: a module with another query is evaluated again. */
let time = 0;
const bundleAgain = async (): Promise<string> => {
  const module = `../../../tools/build/bundle-function.ts?${time++}`;
  const { bundle } = (await import(
    module
  )) as typeof import('../../../tools/build/bundle-function.ts'); // what the file exports
  return bundle(join(folder, 'entry.ts'));
};

it('reuses a bundle while its files are the same, and rebuilds it when an imported file has changed', async () => {
  const entry = "import { word } from './word.ts';\nexport default word;\n";
  writeFiles(folder, { 'entry.ts': entry, 'word.ts': "export const word = 'orchard';\n" });
  const first = await bundleAgain();
  expect(first).toContain('orchard');
  expect(await bundleAgain()).toBe(first);
  writeFiles(folder, { 'word.ts': "export const word = 'harbour';\n" });
  expect(await bundleAgain()).toContain('harbour');
  rmSync(join(folder, 'word.ts'));
  await expect(bundleAgain()).rejects.toThrow('word.ts');
});
