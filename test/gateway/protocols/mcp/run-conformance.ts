import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '../../../../tools/functions.ts';
import { runNode } from '../../../tools/node-for-test.ts';

const SUITE = `${ROOT}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
/** No expected failure takes this long. */
const SCENARIO_MS = '10000';

/**
 * Runs the MCP conformance suite against a server.
 *
 * @param expectedFailures Name of a file in `expected-failures/`. The run fails for each failure that is not in it, and each entry that passes.
 * @returns The failure, if any, and the complete output.
 */
export async function runConformance(url: URL, what: readonly string[], expectedFailures?: string) {
  const baseline = fileURLToPath(
    new URL(`expected-failures/${expectedFailures}.yml`, import.meta.url),
  );
  const { status, stdout, stderr } = await runNode([
    ...[SUITE, 'server', '--url', url.href, '--timeout', SCENARIO_MS, ...what],
    ...(expectedFailures === undefined ? [] : ['--expected-failures', baseline]),
  ]);
  const output = stripVTControlCharacters(stdout + stderr);
  return { wrong: status === 0 ? undefined : output, output };
}
