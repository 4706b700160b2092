/** `npm run doctor`: checks the services of a configuration. */
import { existsSync } from 'node:fs';
import { isOwnAddress } from '../../src/platform/http/public-address.ts';
import { readCommandLine } from '../command-line.ts';
import { examine } from './checks.ts';
import { RECORD_FILE, readRecord } from './deployment-record.ts';
import { readEnvFile } from './env-file.ts';
import { type CloudflareAI, examineDirectory, type Finding } from './examine.ts';
import { publishedDirectory } from './keyring.ts';

const HELP = `Checks that the services of a configuration can be reached, fit together and allow what is needed. Ends with 1 when
something is wrong, and says what to do about it.

  npm run doctor -- [options]

  --env <file>         the variables of a file, one NAME=value a line; without it those of the environment
  --keys <folder>      the keyring whose directory is checked (default keys, when there is one)
  --deployment <file>  the ids of the account (default deployment.json, when npm run setup has written it)
  --development        services on this machine are all right, as they are where no other is named
  --help               this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    env: { type: 'string' },
    keys: { type: 'string' },
    deployment: { type: 'string' },
    development: { type: 'boolean', default: false },
  },
});

function directoryFindings(): Finding[] {
  const folder = values.keys ?? 'keys';
  if (values.keys === undefined && !existsSync(folder)) return [];
  return [examineDirectory(publishedDirectory(folder), { now: Date.now() })];
}

/** Whether the ids that `npm run deploy` needs are there; the account itself is not asked. */
async function accountFindings(
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const file = values.deployment ?? RECORD_FILE;
  if (values.deployment === undefined && !existsSync(file)) return [];
  const record = readRecord(file);
  // Loaded late: without the file wrangler is not needed.
  const { deployedConfig, functionsInOrder, placeholdersOf } = await import('./function-config.ts');
  const { PUBLIC_URL = record.url } = variables;
  const given = PUBLIC_URL === undefined ? {} : { PUBLIC_URL };
  const missing = functionsInOrder().flatMap((each) =>
    placeholdersOf(each, deployedConfig(each, { record, variables: given })),
  );
  if (missing.length === 0)
    return [{ what: 'account', state: 'well', reported: `${file} has the ids of all bindings` }];
  const reported = `${file} lacks ${missing.join('; ')}: run npm run setup`;
  return [{ what: 'account', state: 'wrong', reported }];
}

/** The account whose models can be asked, where its id and a token are here. */
function cloudflareAI(): CloudflareAI | undefined {
  const file = values.deployment ?? RECORD_FILE;
  const {
    CLOUDFLARE_ACCOUNT_ID,
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_API_BASE_URL,
  } = process.env;
  const account =
    CLOUDFLARE_ACCOUNT_ID || (existsSync(file) ? readRecord(file).account_id : undefined);
  if (!token || account === undefined) return undefined;
  const base = CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4';
  return { url: `${base}/accounts/${account}/ai/v1`, token };
}

/** Services of `npx constellation services` alone make a configuration for development: no deployment reaches them. */
function developmentFindings(variables: Readonly<Record<string, string | undefined>>): Finding[] {
  const named = SERVICE_ADDRESSES.filter((name) => variables[name]);
  if (named.length === 0 || !named.every((name) => isOwnAddress(variables[name] ?? ''))) return [];
  const reported = `${named.join(', ')} ${named.length === 1 ? 'is' : 'are'} on this machine: right for npm start, not for npm run deploy`;
  return [{ what: 'for development', state: 'worth knowing', reported }];
}

const SERVICE_ADDRESSES = [
  'UPSTASH_VECTOR_REST_URL',
  'UPSTASH_REDIS_REST_URL',
  'OPENAI_BASE_URL',
  'RERANK_BASE_URL',
];

const MARKS: Record<Finding['state'], string> = {
  well: 'ok    ',
  'not configured': '-     ',
  'worth knowing': 'note  ',
  wrong: 'WRONG ',
};

try {
  const variables = values.env === undefined ? process.env : readEnvFile(values.env);
  const local = developmentFindings(variables);
  const isDevelopment = values.development || local.length > 0;
  const ENVIRONMENT = isDevelopment ? 'development' : (variables.ENVIRONMENT ?? 'production');
  const configured = { ...variables, ENVIRONMENT };
  const findings = [
    ...local,
    ...(await examine(configured, { cloudflare: cloudflareAI() })),
    ...directoryFindings(),
    ...(await accountFindings(variables)),
  ];
  for (const { what, state, reported } of findings)
    console.log(`${MARKS[state]}${what.padEnd(20)} ${reported}`);
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  console.log(wrong === 0 ? '\nNothing is wrong.' : `\n${wrong} wrong.`);
  process.exit(wrong === 0 ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
