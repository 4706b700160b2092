import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeSchemas } from '../../../tools/build/describe-schemas.ts';
import { openApiDocument } from '../../../tools/build/openapi.ts';
import { runNode } from '../node-for-test.ts';

it('is the same by Node and by a loader that keeps the exports of a module in another order', async () => {
  const code = `
    import { describeSchemas } from './tools/build/describe-schemas.ts';
    import { openApiDocument } from './tools/build/openapi.ts';
    process.stdout.write(JSON.stringify(openApiDocument({ version: '1', describe: describeSchemas() })));`;
  const { status, stdout } = await runNode(['--input-type=module', '--eval', code]);
  const here = JSON.stringify(openApiDocument({ version: '1', describe: describeSchemas() }));
  // A difference of texts this long says nothing.
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
  expect([status, hashOf(stdout)]).toEqual([0, hashOf(here)]);
});
