import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../tools/functions.ts';
import { temporaryFolder, writeFiles } from '../folder-for-test.ts';

const CONFIGS =
  'tsconfig.json tsconfig.node.json biome.json knip.json .dependency-cruiser.mjs package.json .gitignore tools/release/exported-functions.grit';
const GREET =
  "import { Name } from '../contract/name.ts';\n\nexport function greet(name: string): string {\n  return Name.parse(name);\n}\n";

/** A small tree without a fault. */
const VALID = {
  'src/contract/index.ts': "export { Name } from './name.ts';\n",
  'src/contract/name.ts': "import * as z from 'zod';\n\nexport const Name = z.string().min(1);\n",
  'src/platform/greet.ts': GREET,
  'research/eval/fit-tool.ts': "console.log('a tool');\n",
  'functions/hello/index.ts':
    "import { greet } from '../../src/platform/greet.ts';\n\nexport default { fetch: () => new Response(greet('you')) };\n",
  'test/greet.test.ts': "import { greet } from '../src/platform/greet.ts';\n\ngreet('you');\n",
};
/** Imported by faults. */
const TARGETS = {
  'src/knowledge/search.ts': 'export const search = 1;\n',
  'src/gateway/t.ts': 'export type T = string;\n',
  'src/support/draft.ts': 'export const draft = 1;\n',
  'src/platform/two.ts':
    "import type { One } from './cycle-of-types.ts';\n\nexport type Two = { one: One };\n",
};

/** Faulty files, named for the fault, and what the gate says of them. */
type Faults = [path: string, code: string, says: string][];
const TYPES: Faults = [
  ['src/platform/wrong-type.ts', 'export const fault: number = "text";', 'TS2322'],
  [
    'src/platform/unchecked-index.ts',
    'export function fault(list: string[]): string {\n  return list[0];\n}',
    'TS2322',
  ],
  ['src/platform/enum-that-does-not-erase.ts', 'export enum Fault { One }', 'TS1294'],
];
const LINT: Faults = [
  [
    'src/platform/any.ts',
    'export function fault(value: any): string {\n  return String(value);\n}',
    'lint/.*noExplicitAny',
  ],
  [
    'src/platform/arrow.ts',
    'export const fault = <T>(value: T): string => String(value);',
    'plugin',
  ],
  ['src/platform/format.ts', 'export const fault = "text"', 'format'],
  [
    'src/platform/no-ending.ts',
    "import { greet } from './greet';\n\ngreet('you');",
    'lint/.*useImportExtensions',
  ],
  ['src/platform/barrel.ts', "export { greet } from './greet.ts';", 'lint/.*noBarrelFile'],
];
const DEAD_CODE: Faults = [
  ['src/platform/unused-file.ts', 'export const unused = 1;', ''],
  ['src/platform/greet.ts', `${GREET}export const unusedExport = 1;`, 'unusedExport +'],
];
const AGAINST = "import type { T } from '../gateway/t.ts';\n\nexport type F = T;";
const CYCLE = "import type { Two } from './two.ts';\n\nexport type One = { two: Two };";
const DIRECTIONS: Faults = [
  ['src/platform/imports-higher-folder.ts', "import '../knowledge/search.ts';", 'platform-imports'],
  ['src/platform/type-against-direction.ts', AGAINST, 'platform-imports'],
  ['src/memory/imports-room-beside-it.ts', "import '../support/draft.ts';", 'memory-imports'],
  ['src/contract/more-than-zod.ts', "import 'hono';", 'contract-imports-zod-alone'],
  ['functions/other/index.ts', "import '../hello/index.ts';", 'functions-stand-alone'],
  ['src/platform/on-node.ts', "import 'node:fs';", 'product-needs-no-node'],
  ['src/platform/on-dev-dependency.ts', "import 'fast-check';", 'product-needs-no-dev-dependency'],
  ['src/platform/cycle-of-types.ts', CYCLE, 'no-cycles'],
];

/** What each gate runs, and the line that it prints for a fault. Whatever biome prints fails; less than a warning is not printed. */
const GATES: [
  command: string,
  line: (path: string, says: string) => string,
  faults: Faults,
  also?: object,
][] = [
  ['tsc -p tsconfig.json', (path, says) => `^${path}\\S* error ${says}`, TYPES],
  [
    'biome ci --error-on-warnings --diagnostic-level=warn --colors=off --vcs-enabled=false .',
    (path, says) => `^${path}\\S* ${says}`,
    LINT,
  ],
  [
    'knip --no-progress --include files,exports,types',
    (path, says) => `^${says}${path}`,
    DEAD_CODE,
  ],
  [
    'depcruise --config .dependency-cruiser.mjs src functions test',
    (path, says) => `error ${says}: ${path}`,
    DIRECTIONS,
    TARGETS,
  ],
];

const tree = temporaryFolder();
beforeAll(() => {
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const file of CONFIGS.split(' ')) cpSync(join(ROOT, file), join(tree, file));
  writeFiles(tree, VALID);
});

describe.each(GATES)('npm run check: %s', (command, line, faults, also = {}) => {
  let output: string;
  let status: number | null;
  // All faults of a gate at once: starting it takes longer than finding them.
  beforeAll(() => {
    const inserted = {
      ...also,
      ...Object.fromEntries(faults.map(([path, code]) => [path, `${code}\n`])),
    };
    writeFiles(tree, inserted);
    const [program = '', ...args] = command.split(' ');
    const result = spawnSync(program, args, { cwd: tree, encoding: 'utf8' });
    [status, output] = [result.status, `${result.stdout}${result.stderr}`];
    for (const path of Object.keys(inserted)) rmSync(join(tree, path), { force: true });
    writeFiles(tree, VALID);
  });
  it.each(faults)('refuses %s, and no valid file', (path, _code, says) => {
    expect(status).not.toBe(0);
    expect(output).toMatch(new RegExp(line(path, says), 'm'));
    for (const valid of Object.keys(VALID).filter((file) => file !== 'src/platform/greet.ts'))
      expect(output).not.toMatch(new RegExp(line(valid, '.*'), 'm'));
  });
});
