/** `npm test`: runs the tests. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../command-line.ts';
import { ensureChromium, ensureInstalled } from '../stand-ins/ensure-installed.ts';

const HELP = `Runs every test, or those whose path contains one of the given words, and ends with a line "N passed, N failed". A
file that cannot be collected counts as one failure, so that a broken import never looks like a pass.

  npm test -- [word ...] [options]

  -t <pattern>  only tests whose name matches this pattern
  --update      update the snapshots
  --coverage    report the line coverage of src and functions, by folder, into coverage/; fails below 85 % of the lines,
                90 % of retrieval and drafts. What runs in workerd alone is not counted
  --help        this text
`;

const { values, positionals } = readCommandLine(HELP, {
  options: {
    title: { type: 'string', short: 't' },
    update: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
  },
  maxPositionals: 100,
});

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
}

try {
  ensureInstalled('redis-server');
  ensureChromium();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'constellation-test-'));
const reportFile = join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...positionals,
    ...(values.title === undefined ? [] : ['-t', values.title]),
    ...(values.update ? ['--update'] : []),
    ...(values.coverage ? ['--coverage'] : []),
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);

const { passed, failed } = countResults(reportFile);
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = status === 0 && failed === 0 ? 0 : 1;

function countResults(file: string): { passed: number; failed: number } {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const uncollected = report.testResults.filter(
      (result) => result.status === 'failed' && result.assertionResults.length === 0,
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + uncollected.length };
  } catch {
    console.error('Cannot read the test report: the test runner did not finish.');
    return { passed: 0, failed: 1 };
  }
}
