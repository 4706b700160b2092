import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../src/dev/functions.ts';
import { newLibrarianOptions } from '../src/dev/release/new-librarian-options.ts';
import { planLibrarian } from '../src/dev/release/plan-librarian.ts';

const SECTION =
  /^## A librarian of your own$(.*?)^## /ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
const COMMAND = /^npm run new -- (.*)$/m.exec(SECTION)?.[1] ?? '';
const CODE = /```ts\n(.*?)```/s.exec(SECTION)?.[1] ?? '';

it('shows in at most ten lines the librarian that its command creates', () => {
  const args = [...COMMAND.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const options = newLibrarianOptions(args);
  if (options === undefined) throw new Error(`the README has no command: ${COMMAND}`);
  const created = planLibrarian(options, ROOT).find(({ path }) => path.endsWith('/librarian.ts'));
  expect(CODE).toBe(created?.text);
  expect(CODE.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
});
