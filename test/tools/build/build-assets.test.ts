import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildAssets } from '../../../tools/build/build-assets.ts';
import { describeSchemas } from '../../../tools/build/describe-schemas.ts';
import { openApiDocument } from '../../../tools/build/openapi.ts';
import { ROOT } from '../../../tools/functions.ts';
import { temporaryFolder } from '../folder-for-test.ts';

const folder = temporaryFolder();

it('makes the static files again when one of them is missing or differs, and removes those of an earlier build', async () => {
  const [widget, earlier] = [join(folder, 'widget.js'), join(folder, 'console/app-EARLIER0.js')];
  mkdirSync(join(folder, 'console'));
  writeFileSync(earlier, '');
  await buildAssets(folder);
  expect(existsSync(earlier)).toBe(false);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const described = JSON.stringify(openApiDocument({ version, describe: describeSchemas() }));
  // A difference of texts this long says nothing.
  expect(readFileSync(join(folder, 'openapi.json'), 'utf8') === described).toBe(true);
  const { size, ino } = statSync(widget);
  await buildAssets(folder);
  expect(statSync(widget).ino).toBe(ino);
  for (const spoil of [() => rmSync(widget), () => writeFileSync(widget, 'cut')]) {
    spoil();
    await buildAssets(folder);
    expect(statSync(widget).size).toBe(size);
  }
});
