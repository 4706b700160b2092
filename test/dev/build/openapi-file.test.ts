import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeSchemas } from '../../../src/dev/build/describe-schemas.ts';
import { openApiDocument } from '../../../src/dev/build/openapi.ts';
import { ROOT } from '../../../src/dev/functions.ts';
import { runNode } from '../node-for-test.ts';

it('is the same by Node and by a loader that keeps the exports of a module in another order', async () => {
  expect(await runNode(['src/dev/build/build.ts'])).toMatchObject({ status: 0 });
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const here = JSON.stringify(openApiDocument({ version, describe: describeSchemas() }));
  // A difference of texts this long says nothing.
  expect(read('dist/assets/openapi.json') === here).toBe(true);
});
