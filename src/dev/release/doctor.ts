/** `npm run doctor`: checks the services of a configuration. */
import { existsSync } from 'node:fs';
import { readCommandLine } from '../command-line.ts';
import { readEnvFile } from './env-file.ts';
import { examine, examineDirectory, examineHelpdesks, type Finding } from './examine.ts';
import { publishedDirectory } from './keyring.ts';

const HELP = `Checks that the services of a configuration can be reached, fit together and allow what is needed. Ends with 1 when
something is wrong, and says what to do about it.

  npm run doctor -- [options]

  --env <file>   the variables of a file, one NAME=value a line; without it those of the environment
  --keys <folder>  the keyring whose directory is checked (default keys, when there is one)
  --development  services on this machine are all right
  --help         this text
`;

const { values } = readCommandLine(HELP, {
  options: { env: { type: 'string' }, keys: { type: 'string' }, development: { type: 'boolean', default: false } },
});

function directoryFindings(): Finding[] {
  const folder = values.keys ?? 'keys';
  if (values.keys === undefined && !existsSync(folder)) return [];
  return [examineDirectory(publishedDirectory(folder), { now: Date.now() })];
}

const MARKS: Record<Finding['state'], string> = {
  well: 'ok    ',
  'not configured': '-     ',
  'worth knowing': 'note  ',
  wrong: 'WRONG ',
};

try {
  const variables = values.env === undefined ? process.env : readEnvFile(values.env);
  const ENVIRONMENT = values.development ? 'development' : (variables.ENVIRONMENT ?? 'production');
  const configured = { ...variables, ENVIRONMENT };
  const findings = [...(await examine(configured)), ...examineHelpdesks(configured), ...directoryFindings()];
  for (const { what, state, reported } of findings) console.log(`${MARKS[state]}${what.padEnd(20)} ${reported}`);
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  console.log(wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} wrong.`);
  process.exit(wrong === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
