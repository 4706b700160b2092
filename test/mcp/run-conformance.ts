import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../../src/dev/functions.ts';
import { runNode } from '../dev/node-for-test.ts';

const SUITE = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
/** No expected failure waits for it. */
const SCENARIO_MS = '10000';

/**
 * Runs the conformance suite of MCP against a server.
 *
 * @param expectedFailures Name of a file in `expected-failures/`. A failure that is not in it fails the run, and so does one in it that passes.
 * @returns What was wrong, undefined when nothing was; all that it said.
 */
export const runConformance = async (url: URL, what: readonly string[], expectedFailures?: string) => {
  const baseline = fileURLToPath(new URL(`expected-failures/${expectedFailures}.yml`, import.meta.url));
  const { status, stdout, stderr } = await runNode([
    ...[SUITE, 'server', '--url', url.href, '--timeout', SCENARIO_MS, ...what],
    ...(expectedFailures === undefined ? [] : ['--expected-failures', baseline]),
  ]);
  const output = stripVTControlCharacters(stdout + stderr);
  return { wrong: status === 0 ? undefined : output, output };
};
