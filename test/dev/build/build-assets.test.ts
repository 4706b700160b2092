import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildAssets } from '../../../src/dev/build/build-assets.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const folder = temporaryFolder();

it('makes the static files again when one of them is missing or differs, and removes those of an earlier build', async () => {
  const [widget, earlier] = [join(folder, 'widget.js'), join(folder, 'console/app-EARLIER0.js')];
  mkdirSync(join(folder, 'console'));
  writeFileSync(earlier, '');
  await buildAssets(folder);
  expect(existsSync(earlier)).toBe(false);
  const { size, ino } = statSync(widget);
  await buildAssets(folder);
  expect(statSync(widget).ino).toBe(ino);
  for (const spoil of [() => rmSync(widget), () => writeFileSync(widget, 'cut')]) {
    spoil();
    await buildAssets(folder);
    expect(statSync(widget).size).toBe(size);
  }
});
