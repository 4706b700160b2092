import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../src/dev/functions.ts';

const CONFIGS = 'tsconfig.json tsconfig.node.json biome.json knip.json .dependency-cruiser.mjs package.json .gitignore';

/** A small valid tree: each gate passes on it, so a failure comes from the inserted fault. */
const VALID: Record<string, string> = {
  'src/contract/index.ts': "export { Name } from './name.ts';\n",
  'src/contract/name.ts': "import * as z from 'zod';\n\nexport const Name = z.string().min(1);\n",
  'src/runtime/greet.ts':
    "import { Name } from '../contract/name.ts';\n\nexport const greet = (name: string): string => Name.parse(name);\n",
  'src/dev/eval/fit-tool.ts': "console.log('a tool');\n",
  'functions/hello/index.ts':
    "import { greet } from '../../src/runtime/greet.ts';\n\nexport default { fetch: () => new Response(greet('you')) };\n",
  'test/greet.test.ts': "import { greet } from '../src/runtime/greet.ts';\n\ngreet('you');\n",
};

const GATES = {
  types: ['tsc', '-p', 'tsconfig.json'],
  // Whatever is printed fails; less than a warning is not printed.
  lint: ['biome', 'ci', '--error-on-warnings', '--diagnostic-level=warn', '--colors=off', '--vcs-enabled=false', '.'],
  'dead code': ['knip', '--no-progress', '--include', 'files,exports,types'],
  directions: ['depcruise', '--config', '.dependency-cruiser.mjs', 'src', 'functions', 'test'],
} as const;

let tree: string;

const write = (files: Record<string, string>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
};

const faultIn = (file: string, code: string) => new RegExp(`^src/runtime/${file}\\.ts\\S* ${code}`, 'm');
const error = (rule: string, file: string) => new RegExp(`error ${rule}: ${file}\\.ts`);

/** The output of each gate for a fault, by the name of the fault: the line has the file and the rule. Paths are below src. */
const FAULTS: Record<keyof typeof GATES, [name: string, files: Record<string, string>, says: RegExp][]> = {
  types: [
    ['a wrong type', { 'runtime/wrong': 'export const fault: number = "text";' }, faultIn('wrong', 'error TS2322')],
    [
      'an unchecked index access',
      { 'runtime/index-access': 'export const fault = (list: string[]): string => list[0];' },
      faultIn('index-access', 'error TS2322'),
    ],
    ['syntax that does not erase', { 'runtime/enum': 'export enum Fault { One }' }, faultIn('enum', 'error TS1294')],
  ],
  lint: [
    [
      'any',
      { 'runtime/any': 'export const fault = (value: any): string => String(value);' },
      faultIn('any', 'lint/suspicious/noExplicitAny'),
    ],
    ['another format', { 'runtime/format': 'export const fault = "text"' }, faultIn('format', 'format')],
    [
      'an import without its ending',
      { 'runtime/ending': "import { greet } from './greet';\n\ngreet('you');" },
      faultIn('ending', 'lint/correctness/useImportExtensions'),
    ],
    [
      'a barrel file',
      { 'runtime/barrel': "export { greet } from './greet.ts';" },
      faultIn('barrel', 'lint/performance/noBarrelFile'),
    ],
  ],
  'dead code': [
    ['a file without an importer', { 'runtime/unused': 'export const unused = 1;' }, /^src\/runtime\/unused\.ts/m],
    [
      'an export without an importer',
      { 'runtime/greet': `${VALID['src/runtime/greet.ts']}export const fault = 1;` },
      /^fault +src\/runtime\/greet\.ts/m,
    ],
  ],
  directions: [
    [
      'a lower folder that imports a higher one',
      { 'runtime/higher': "import '../knowledge/search.ts';", 'knowledge/search': 'export const search = 1;' },
      error('runtime-imports', 'src/runtime/higher'),
    ],
    [
      'a type imported against the direction',
      {
        'storage/type': "import type { T } from '../gateway/t.ts';\n\nexport type F = T;",
        'gateway/t': 'export type T = string;',
      },
      error('storage-imports', 'src/storage/type'),
    ],
    [
      'two domains that import each other',
      { 'gateway/domain': "import '../navigator/answer.ts';", 'navigator/answer': 'export const answer = 1;' },
      error('gateway-imports', 'src/gateway/domain'),
    ],
    [
      'a contract that imports more than zod',
      { 'contract/more': "import 'hono';" },
      error('contract-imports-zod-alone', 'src/contract/more'),
    ],
    [
      'a function that imports another',
      { '../functions/other/index': "import '../hello/index.ts';" },
      error('functions-stand-alone', 'functions/other/index'),
    ],
    [
      'product code on node:fs',
      { 'runtime/node': "import 'node:fs';" },
      error('product-needs-no-node', 'src/runtime/node'),
    ],
    [
      'product code on a development dependency',
      { 'runtime/development': "import 'fast-check';" },
      error('product-needs-no-dev-dependency', 'src/runtime/development'),
    ],
    [
      'a cycle, even of types',
      {
        'runtime/one': "import type { Two } from './two.ts';\n\nexport type One = { two: Two };",
        'runtime/two': "import type { One } from './one.ts';\n\nexport type Two = { one: One };",
      },
      error('no-cycles', 'src/runtime/(?:one|two)'),
    ],
  ],
};

const runGate = (gate: keyof typeof GATES): { passed: boolean; output: string } => {
  const [command, ...args] = GATES[gate];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: tree, encoding: 'utf8' });
  return { passed: status === 0, output: `${stdout}${stderr}` };
};
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'constellation-check-'));
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const file of CONFIGS.split(' ')) cpSync(join(ROOT, file), join(tree, file));
  write(VALID);
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe.each(Object.keys(GATES) as (keyof typeof GATES)[])('npm run check, its gate for %s', (gate) => {
  let valid: ReturnType<typeof runGate>;
  let faulty: ReturnType<typeof runGate>;

  beforeAll(() => {
    valid = runGate(gate);
    // All faults of a gate at once: starting it takes longer than finding them.
    const inserted = Object.fromEntries(
      FAULTS[gate].flatMap(([, files]) => Object.entries(files).map(([path, text]) => [`src/${path}.ts`, `${text}\n`])),
    );
    write(inserted);
    faulty = runGate(gate);
    for (const path of Object.keys(inserted)) rmSync(join(tree, path), { force: true });
    write(VALID);
  });
  it('passes a valid tree', () => {
    expect(valid).toMatchObject({ passed: true });
  });
  it.each(FAULTS[gate])('refuses %s', (_name, _files, says) => {
    expect(faulty).toMatchObject({ passed: false, output: expect.stringMatching(says) });
  });
});
