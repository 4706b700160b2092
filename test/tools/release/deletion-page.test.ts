import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functionConfigs, ROOT } from '../../../tools/functions.ts';

/** Bindings of stores in the configuration of a function. */
const STORE =
  /^class_name = "([^"]+)"|^\[\[(?:kv_namespaces|d1_databases)\]\]\s+binding = "([^"]+)"/gm;

it('the page on deletion lists every store that a function is bound to, with how it is erased', () => {
  const [, table = ''] = readFileSync(join(ROOT, 'docs/deletion.md'), 'utf8').split(
    '## Every store',
  );
  const rows = table.split('\n').filter((line) => /^\| `/.test(line));
  const stores = functionConfigs().flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(STORE)].map(
      ([, name, binding]) => name ?? binding ?? '',
    ),
  );
  const names = [...new Set(stores)].toSorted();
  expect(names).toContain('MemoryObject');
  expect(names).toContain('TAXONOMIES');
  expect(names.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
  expect(
    rows.filter((row) => row.split('|').filter((cell) => cell.trim() !== '').length !== 3),
  ).toEqual([]);
});
