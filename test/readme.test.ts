import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeLibrarian } from '../src/contract/conformance/describe-librarian.ts';
import type { Librarian } from '../src/contract/core/librarian.ts';
import { ROOT } from '../tools/functions.ts';
import { newLibrarianOptions } from '../tools/release/new-librarian-options.ts';
import { planLibrarian } from '../tools/release/plan-librarian.ts';
import { servedBesideNavigator } from './conformance/served-librarian.ts';
import { temporaryFolder, writeFiles } from './tools/folder-for-test.ts';

const SECTION =
  /^## A librarian of your own$(.*?)^## /ms.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  )?.[1] ?? '';
const COMMAND = /^npx constellation new (.*)$/m.exec(SECTION)?.[1] ?? '';
const CODE = /```ts\n(.*?)```/s.exec(SECTION)?.[1] ?? '';

it('shows in at most ten lines the librarian that its command creates', () => {
  const args = [...COMMAND.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const options = newLibrarianOptions(args);
  if (options === undefined) throw new Error(`the README has no command: ${COMMAND}`);
  const created = planLibrarian(options, ROOT).find(({ path }) => path.endsWith('/librarian.ts'));
  expect(CODE).toBe(created?.text);
  expect(CODE.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
});

const folder = temporaryFolder();
symlinkSync(join(ROOT, 'src'), join(folder, 'src'));
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
writeFiles(folder, {
  'package.json': '{"type": "module"}',
  'functions/opening-hours/librarian.ts': CODE,
});
const { openingHours } = (await import(join(folder, 'functions/opening-hours/librarian.ts'))) as {
  openingHours: Librarian;
};
const INFO = { id: 'opening-hours', name: 'Opening hours' };

describeLibrarian(
  'the librarian of the README, served,',
  await servedBesideNavigator(openingHours, INFO),
  {
    info: INFO,
    answers: { query: 'What are your opening hours on Friday?' },
    fails: { query: ' ', code: 'INVALID_QUERY' },
    declines: 'never',
    delegates: { query: 'How often must the boiler be descaled?', to: 'navigator' },
    waits: 'never',
  },
  { describe, it },
);
