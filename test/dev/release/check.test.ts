import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../src/dev/functions.ts';

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
  'src/dev/eval/fit-tool.ts': "console.log('a tool');\n",
  'functions/hello/index.ts':
    "import { greet } from '../../src/runtime/greet.ts';\n\nexport default { fetch: () => new Response(greet('you')) };\n",
  'test/greet.test.ts': "import { greet } from '../src/runtime/greet.ts';\n\ngreet('you');\n",
};

const GATES = {
  types: ['tsc', '-p', 'tsconfig.json'],
  // What is shown fails: less than a warning is neither.
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

/** What each gate says of a fault, by the fault's name: the line has the file and the rule. */
const FAULTS: Record<keyof typeof GATES, [name: string, files: Record<string, string>, says: RegExp][]> = {
  types: [
    [
      'a wrong type',
      { 'src/runtime/wrong-type.ts': 'export const fault: number = "text";\n' },
      /^src\/runtime\/wrong-type\.ts\S+ error TS2322/m,
    ],
    [
      'an unchecked index access',
      { 'src/runtime/index-access.ts': 'export const fault = (list: string[]): string => list[0];\n' },
      /^src\/runtime\/index-access\.ts\S+ error TS2322/m,
    ],
    [
      'syntax that does not erase',
      { 'src/runtime/enum.ts': 'export enum Fault { One }\n' },
      /^src\/runtime\/enum\.ts\S+ error TS1294/m,
    ],
  ],
  lint: [
    [
      'any',
      { 'src/runtime/any.ts': 'export const fault = (value: any): string => String(value);\n' },
      /^src\/runtime\/any\.ts\S* lint\/suspicious\/noExplicitAny/m,
    ],
    [
      'another format',
      { 'src/runtime/format.ts': 'export const fault = "text"\n' },
      /^src\/runtime\/format\.ts format/m,
    ],
    [
      'an import without its ending',
      { 'src/runtime/ending.ts': "import { greet } from './greet';\n\ngreet('you');\n" },
      /^src\/runtime\/ending\.ts\S* lint\/correctness\/useImportExtensions/m,
    ],
    [
      'a barrel file',
      { 'src/runtime/barrel.ts': "export { greet } from './greet.ts';\n" },
      /^src\/runtime\/barrel\.ts\S* lint\/performance\/noBarrelFile/m,
    ],
  ],
  'dead code': [
    [
      'a file that nobody imports',
      { 'src/runtime/unused.ts': 'export const unused = 1;\n' },
      /^src\/runtime\/unused\.ts/m,
    ],
    [
      'an export that nobody imports',
      { 'src/runtime/greet.ts': `${SOUND['src/runtime/greet.ts']}export const fault = 1;\n` },
      /^fault +src\/runtime\/greet\.ts/m,
    ],
  ],
  directions: [
    [
      'a lower room that imports a higher one',
      {
        'src/runtime/higher.ts': "import '../knowledge/search.ts';\n",
        'src/knowledge/search.ts': 'export const search = 1;\n',
      },
      /error runtime-imports: src\/runtime\/higher\.ts/,
    ],
    [
      'a type imported against the direction',
      {
        'src/storage/type.ts': "import type { T } from '../gateway/t.ts';\n\nexport type F = T;\n",
        'src/gateway/t.ts': 'export type T = string;\n',
      },
      /error storage-imports: src\/storage\/type\.ts/,
    ],
    [
      'two domains that know one another',
      {
        'src/gateway/domain.ts': "import '../navigator/answer.ts';\n",
        'src/navigator/answer.ts': 'export const answer = 1;\n',
      },
      /error gateway-imports: src\/gateway\/domain\.ts/,
    ],
    [
      'a contract that imports more than zod',
      { 'src/contract/more.ts': "import 'hono';\n" },
      /error contract-imports-zod-alone: src\/contract\/more\.ts/,
    ],
    [
      'a function that imports another',
      { 'functions/other/index.ts': "import '../hello/index.ts';\n" },
      /error functions-stand-alone: functions\/other\/index\.ts/,
    ],
    [
      'product code on node:fs',
      { 'src/runtime/node.ts': "import 'node:fs';\n" },
      /error product-needs-no-node: src\/runtime\/node\.ts/,
    ],
    [
      'product code on a development dependency',
      { 'src/runtime/development.ts': "import 'jose';\n" },
      /error product-needs-no-dev-dependency: src\/runtime\/development\.ts/,
    ],
    [
      'a cycle, even of types',
      {
        'src/runtime/one.ts': "import type { Two } from './two.ts';\n\nexport type One = { two: Two };\n",
        'src/runtime/two.ts': "import type { One } from './one.ts';\n\nexport type Two = { one: One };\n",
      },
      /error no-cycles: src\/runtime\/(?:one|two)\.ts/,
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
  for (const file of CONFIGS) cpSync(join(ROOT, file), join(tree, file));
  write(SOUND);
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe.each(Object.keys(GATES) as (keyof typeof GATES)[])('npm run check, its gate for %s', (gate) => {
  let sound: ReturnType<typeof runGate>;
  let faulty: ReturnType<typeof runGate>;

  beforeAll(() => {
    sound = runGate(gate);
    // All faults of a gate at once: starting it takes longer than finding them.
    const planted = FAULTS[gate].map(([, files]) => files);
    for (const files of planted) write(files);
    faulty = runGate(gate);
    for (const path of planted.flatMap(Object.keys)) rmSync(join(tree, path), { force: true });
    write(SOUND);
  });

  it('passes a sound tree', () => {
    expect(sound).toMatchObject({ passed: true });
  });

  it.each(FAULTS[gate])('refuses %s', (_name, _files, says) => {
    expect(faulty).toMatchObject({ passed: false, output: expect.stringMatching(says) });
  });
});
