/**
 * `npm run doctor`: asks the services of a configuration whether they are there, fit, and let us do what we need. Ends with 1
 * when something is wrong, and says what to do about it.
 *
 *   npm run doctor                            the variables of the environment
 *   npm run doctor -- --env production.env    those of a file, one NAME=value a line
 *   npm run doctor -- --development           services of this machine are all right
 */
import { parseArgs } from 'node:util';
import { examine, type Finding } from './doctor/examine.ts';
import { readEnvFile } from './env-file.ts';

const { values } = parseArgs({
  options: { env: { type: 'string' }, development: { type: 'boolean', default: false } },
});

const MARKS: Record<Finding['state'], string> = {
  well: 'ok    ',
  'not configured': '-     ',
  'worth knowing': 'note  ',
  wrong: 'WRONG ',
};

try {
  const variables = values.env === undefined ? process.env : readEnvFile(values.env);
  const ENVIRONMENT = values.development ? 'development' : (variables.ENVIRONMENT ?? 'production');
  const findings = await examine({ ...variables, ENVIRONMENT });
  for (const { what, state, told } of findings) console.log(`${MARKS[state]}${what.padEnd(20)} ${told}`);
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  console.log(wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} wrong.`);
  process.exit(wrong === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
