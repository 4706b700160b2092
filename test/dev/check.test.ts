import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';

const CONFIGS = [
  'tsconfig.json',
  'tsconfig.node.json',
  'biome.json',
  'knip.json',
  '.dependency-cruiser.mjs',
  'package.json',
  '.gitignore',
];

/** A small sound tree: each gate passes on it, so that a failure is the planted fault's. */
const SOUND: Record<string, string> = {
  'src/contract/index.ts': "export { Name } from './name.ts';\n",
  'src/contract/name.ts': "import * as z from 'zod';\n\nexport const Name = z.string().min(1);\n",
  'src/runtime/greet.ts':
    "import { Name } from '../contract/name.ts';\n\nexport const greet = (name: string): string => Name.parse(name);\n",
  'src/dev/tool.ts': "console.log('a tool');\n",
  'functions/hello/index.ts':
    "import { greet } from '../../src/runtime/greet.ts';\n\nexport default { fetch: () => new Response(greet('you')) };\n",
  'test/greet.test.ts': "import { greet } from '../src/runtime/greet.ts';\n\ngreet('you');\n",
};

const GATES = {
  types: ['tsc', '-p', 'tsconfig.json'],
  lint: ['biome', 'ci', '--error-on-warnings', '--vcs-enabled=false', '.'],
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

const runGate = (gate: keyof typeof GATES): { passed: boolean; output: string } => {
  const [command, ...args] = GATES[gate];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: tree, encoding: 'utf8' });
  return { passed: status === 0, output: `${stdout}${stderr}` };
};

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'constellation-check-'));
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const file of CONFIGS) cpSync(join(ROOT, file), join(tree, file));
  write(SOUND);
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe('npm run check', () => {
  it.each(Object.keys(GATES) as (keyof typeof GATES)[])('passes a sound tree through its gate for %s', (gate) => {
    expect(runGate(gate)).toMatchObject({ passed: true });
  });

  const faults: [name: string, gate: keyof typeof GATES, path: string, text: string, says: RegExp][] = [
    ['a wrong type', 'types', 'src/runtime/fault.ts', 'export const fault: number = "text";\n', /TS2322/],
    [
      'an unchecked index access',
      'types',
      'src/runtime/fault.ts',
      'export const fault = (list: string[]): string => list[0];\n',
      /TS2322/,
    ],
    ['syntax that does not erase', 'types', 'src/runtime/fault.ts', 'export enum Fault { One }\n', /TS1294/],
    [
      'any',
      'lint',
      'src/runtime/fault.ts',
      'export const fault = (value: any): string => String(value);\n',
      /noExplicitAny/,
    ],
    ['another format', 'lint', 'src/runtime/fault.ts', 'export const fault = "text"\n', /format/],
    [
      'an import without its ending',
      'lint',
      'src/runtime/fault.ts',
      "import { greet } from './greet';\n\ngreet('you');\n",
      /useImportExtensions/,
    ],
    ['a barrel file', 'lint', 'src/runtime/fault.ts', "export { greet } from './greet.ts';\n", /noBarrelFile/],
    [
      'a file that nobody imports',
      'dead code',
      'src/runtime/fault.ts',
      'export const fault = 1;\n',
      /src\/runtime\/fault\.ts/,
    ],
    [
      'an export that nobody imports',
      'dead code',
      'src/runtime/greet.ts',
      `${SOUND['src/runtime/greet.ts']}export const fault = 1;\n`,
      /fault/,
    ],
    [
      'a lower room that imports a higher one',
      'directions',
      'src/runtime/fault.ts',
      "import '../knowledge/search.ts';\n",
      /runtime-imports/,
    ],
    [
      'a type imported against the direction',
      'directions',
      'src/storage/fault.ts',
      "import type { T } from '../gateway/t.ts';\n\nexport type F = T;\n",
      /storage-imports/,
    ],
    [
      'two domains that know one another',
      'directions',
      'src/gateway/fault.ts',
      "import '../navigator/answer.ts';\n",
      /gateway-imports/,
    ],
    [
      'a contract that imports more than zod',
      'directions',
      'src/contract/fault.ts',
      "import 'hono';\n",
      /contract-imports-zod-alone/,
    ],
    [
      'a function that imports another',
      'directions',
      'functions/other/index.ts',
      "import '../hello/index.ts';\n",
      /functions-stand-alone/,
    ],
    ['product code on node:fs', 'directions', 'src/runtime/fault.ts', "import 'node:fs';\n", /product-needs-no-node/],
    [
      'product code on a development dependency',
      'directions',
      'src/runtime/fault.ts',
      "import 'jose';\n",
      /product-needs-no-dev-dependency/,
    ],
  ];

  it.each(faults)('refuses %s', (_name, gate, path, text, says) => {
    const targets = {
      'src/knowledge/search.ts': 'export const search = 1;\n',
      'src/navigator/answer.ts': 'export const answer = 1;\n',
      'src/gateway/t.ts': 'export type T = string;\n',
    };
    write(gate === 'directions' ? { ...targets, [path]: text } : { [path]: text });
    const { passed, output } = runGate(gate);
    for (const file of [path, ...Object.keys(targets)]) rmSync(join(tree, file), { force: true });
    write(SOUND);
    expect(passed).toBe(false);
    expect(output).toMatch(says);
  });

  it('refuses a cycle, even of types', () => {
    write({
      'src/runtime/one.ts': "import type { Two } from './two.ts';\n\nexport type One = { two: Two };\n",
      'src/runtime/two.ts': "import type { One } from './one.ts';\n\nexport type Two = { one: One };\n",
    });
    const { passed, output } = runGate('directions');
    rmSync(join(tree, 'src/runtime/one.ts'));
    rmSync(join(tree, 'src/runtime/two.ts'));
    expect(passed).toBe(false);
    expect(output).toMatch(/no-cycles/);
  });
});
