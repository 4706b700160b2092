/** `npm run deploy`: deploys every function. */
import { resolve } from 'node:path';
import { buildAssets } from '../build/build-assets.ts';
import { fail, failUsage, orFail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { writeBillOfMaterials } from './bill-of-materials.ts';
import { RECORD_FILE, readRecord } from './deployment-record.ts';
import { readEnvFile } from './env-file.ts';
import { examineDirectory } from './examine.ts';
import { directoryVariables, publishedDirectory } from './keyring.ts';

const HELP = `Deploys every function, those that others call first, the gateway last. npm run setup creates what they need, and deploys only
what differs.

  npm run deploy -- [options]

  --env <file>         variables and secrets, one NAME=value a line (docs/configuration.md)
  --keys <folder>      the keyring whose directory is published (default keys; npx constellation keys makes one)
  --deployment <file>  the ids of the account, as npm run setup wrote them (default deployment.json)
  --only <name>        deploy this function alone, such as navigator
  --dry-run            bundle and check without an account
  --help               this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    'dry-run': { type: 'boolean', default: false },
    keys: { type: 'string', default: 'keys' },
    deployment: { type: 'string', default: RECORD_FILE },
    env: { type: 'string' },
    only: { type: 'string' },
  },
});
const dryRun = values['dry-run'];
// Loaded late: the help does not need wrangler.
const { deployedConfig, functionsInOrder, isPublic, placeholdersOf, secretsOf } = await import(
  './function-config.ts'
);
const { deployFunction } = await import('./wrangler.ts');

const functions = functionsInOrder();
const order = functions.filter(({ id }) => values.only === undefined || id === values.only);
if (order.length === 0) {
  failUsage(
    `There is no function ${values.only}: --only takes ${functions.map(({ id }) => id).join(', ')}`,
  );
}

const record = orFail(() => readRecord(resolve(values.deployment)));
const given: Record<string, string> = {
  ...(record.url === undefined ? {} : { PUBLIC_URL: record.url }),
  ...(values.env === undefined ? {} : orFail(() => readEnvFile(values.env ?? ''))),
};

const unready = dryRun
  ? []
  : order.flatMap((each) =>
      placeholdersOf(each, deployedConfig(each, { record, variables: given })),
    );
if (unready.length > 0) {
  fail(
    `Cannot deploy: these settings are still placeholders (docs/production.md):\n  ${unready.join('\n  ')}`,
  );
}

if (!dryRun) await checkDirectory();
const variables = dryRun
  ? given
  : { ...given, ...orFail(() => directoryVariables(resolve(ROOT, values.keys))) };

await buildAssets();
await writeBillOfMaterials();

// Ctrl-C ends wrangler, and then this: what was written for it has to be removed first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for (const target of order) {
  console.log(`\n${dryRun ? 'checking' : 'deploying'} ${target.file}`);
  const secrets = secretsOf(target, given);
  const { status } = await deployFunction(target, {
    record,
    variables,
    secrets,
    dryRun,
    isShown: true,
  });
  if (status !== 0)
    fail(
      `Cannot deploy ${target.file}: wrangler ended with status ${status}. What stands before it in this list is deployed.`,
    );
}

/** Warns 30 days before the directory expires; an expired one, or one older than that in use, is not deployed. */
async function checkDirectory(): Promise<void> {
  const claims = orFail(() => publishedDirectory(resolve(ROOT, values.keys)));
  const publicUrl = given.PUBLIC_URL ?? '';
  const finding = examineDirectory(claims, {
    now: Date.now(),
    inUse: await sequenceInUse(publicUrl),
  });
  if (finding.state === 'wrong') fail(`Cannot deploy: ${finding.reported}`);
  if (finding.state === 'worth knowing') console.warn(finding.reported);
}

/** The sequence number of the deployed directory; undefined when nothing is deployed or it does not tell. */
async function sequenceInUse(publicUrl: string): Promise<number | undefined> {
  if (!isPublic(publicUrl)) return undefined;
  try {
    const response = await fetch(new URL('/healthz', publicUrl), {
      signal: AbortSignal.timeout(5000),
    });
    const { directory } = (await response.json()) as { directory?: { sequence?: number } }; // checked where it is compared
    return directory?.sequence;
  } catch {
    return undefined;
  }
}
