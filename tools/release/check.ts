/** `npm run check`: everything that is checked without running the product. */
import { spawnSync } from 'node:child_process';
import { readCommandLine } from '../command-line.ts';

const HELP = `Checks types, lint and format, dead code and the directions of imports. Runs all checks, names those that failed, and
ends with 1 if any did.

  npm run check

  --help  this text
`;

readCommandLine(HELP, { options: {} });

const GATES = [
  ['types of the product', 'tsc', '-p', 'tsconfig.json'],
  ['types of the console and the widget', 'tsc', '-p', 'tsconfig.console.json'],
  ['types of tests and tools', 'tsc', '-p', 'tsconfig.node.json'],
  ['lint and format', 'biome', 'ci', '--error-on-warnings', '.'],
  ['API reference', 'node', 'tools/build/build.ts', '--reference', '--check'],
  ['dead code', 'knip', '--no-progress'],
  ['words that the project does not use', 'node', 'tools/release/check-words.ts'],
  ['integrity of the lock file', 'node', 'tools/release/check-lock.ts'],
  ['folders that import each other', 'node', 'tools/release/check-folders.ts'],
  [
    'directions of imports',
    'depcruise',
    '--config',
    '.dependency-cruiser.mjs',
    'src',
    'functions',
    'client',
    'tools',
    'research',
    'test',
  ],
] as const;

const failed = GATES.filter(([name, command, ...args]) => {
  const startedAt = performance.now();
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  return status !== 0;
}).map(([name]) => name);

if (failed.length > 0) console.error(`check failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
