/** `npm test`: runs the tests. */
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { failUsage, readCommandLine } from '../command-line.ts';
import { ensureInstalled, missingPrograms } from '../stand-ins/ensure-installed.ts';
import { kindsOfTests, programsOfTests, TEST_KINDS } from './programs-of-tests.ts';

const HELP = `Runs every test, or those whose path contains one of the given words, and ends with a line "N passed, N failed". A
file that fails outside its tests, while it is read or prepared, counts as one failure.

The functions run in real workerd, against a real Redis and in a real Chromium. What of these two the chosen tests need and
the machine lacks is installed with apt-get, where this runs as root on Debian; a line says so before.

  npm test -- [word ...] [options]

  -t <pattern>  only tests whose name matches this pattern
  --only <kind> only test files of a kind: unit (neither workerd nor another process), workerd, services (Redis and other
                processes) or browser
  --no-install  install nothing: name what is missing instead
  --update      update the snapshots
  --coverage    report the line coverage of src and functions, by folder, into coverage/; fails below 85 % of the lines,
                90 % of retrieval and drafts. What runs in workerd alone is not counted
  --help        this text
`;

const { values, positionals } = readCommandLine(HELP, {
  options: {
    title: { type: 'string', short: 't' },
    'no-install': { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    only: { type: 'string' },
    coverage: { type: 'boolean', default: false },
  },
  maxPositionals: 100,
});

const only = TEST_KINDS.find((kind) => kind === values.only);
if (values.only !== undefined && only === undefined)
  failUsage(`--only is one of ${TEST_KINDS.join(', ')}`);

const vitest = await createVitest('test', {
  watch: false,
  update: values.update,
  ...(values.title === undefined ? {} : { testNamePattern: values.title }),
  ...(values.coverage ? { coverage: { enabled: true } } : {}),
});
const specifications = await chosenSpecifications();
try {
  if (specifications.length === 0) throw new Error(nothingChosen());
  await installPrograms(specifications.map(({ moduleId }) => moduleId));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end({ passed: 0, failed: 1 });
}
process.exitCode = 0;
const { testModules } = await vitest.start(
  only === undefined ? positionals : specifications.map(({ moduleId }) => moduleId),
);
await end(countResults(testModules));

function nothingChosen(): string {
  const kind = only === undefined ? '' : ` of the kind ${only}`;
  return `No test file${kind}${positionals.length === 0 ? '' : ` has ${positionals.join(' or ')} in its path`}`;
}

async function chosenSpecifications(): Promise<TestSpecification[]> {
  const all = await vitest.globTestSpecifications(positionals);
  if (only === undefined) return all;
  const kinds = await kindsOfTests(
    all.map(({ moduleId }) => moduleId),
    process.cwd(),
  );
  return all.filter(({ moduleId }) => kinds.get(moduleId) === only);
}

/** What the chosen files start and the machine lacks. */
async function installPrograms(files: readonly string[]): Promise<void> {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const counts = await programsOfTests(files, process.cwd());
  const needed = missing.filter((program) => counts.has(program));
  const most = Math.max(...needed.map((program) => counts.get(program) ?? 0));
  ensureInstalled(needed, {
    reason: most === 1 ? '1 test file needs it' : `up to ${most} test files need it`,
    advice: 'npm test -- --no-install installs nothing',
    mayInstall: !values['no-install'],
  });
}

/** Failures are tests, and what failed outside of tests: a file that cannot be read, a preparation or a clean-up. */
function countResults(testModules: readonly TestModule[]): { passed: number; failed: number } {
  const tests = testModules.flatMap((module) => [...module.children.allTests()]);
  const suites = testModules.flatMap((module) => [module, ...module.children.allSuites()]);
  const count = (state: string): number =>
    tests.filter((test) => test.result().state === state).length;
  const failed = count('failed') + suites.filter((suite) => suite.errors().length > 0).length;
  // Errors that no test waited for, and coverage below its bounds.
  return { passed: count('passed'), failed: failed === 0 && process.exitCode !== 0 ? 1 : failed };
}

async function end({ passed, failed }: { passed: number; failed: number }): Promise<never> {
  await vitest.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
