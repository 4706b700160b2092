/** `npm run setup`: brings a deployment into an account, and brings it up to date. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildAssets } from '../build/build-assets.ts';
import { fail, failUsage, orFail, readCommandLine } from '../command-line.ts';
import { ROOT } from '../functions.ts';
import { refusedVariables } from '../release/checks.ts';
import { RECORD_FILE, readRecord } from '../release/deployment-record.ts';
import { readEnvFile } from '../release/env-file.ts';
import { examineDirectory, examineHelpdesks, examineSources } from '../release/examine.ts';
import {
  createKeyring,
  directoryVariables,
  publishedDirectory,
  renewDirectory,
  rotateKey,
} from '../release/keyring.ts';
import { progressLine } from '../transfer/deployment.ts';
import type { Outcome, SetupRun } from './account.ts';
import { makeDecisions } from './team-decisions.ts';

const HELP = `Sets up a deployment on Cloudflare: creates the namespaces and the database that are missing, makes the signing keys
and the directory, deploys every function that differs, makes the first API key, starts the first sync and asks a question.
Run it again after each change and each upgrade: it changes only what differs, and continues where it was interrupted.

  npm run setup -- --env <file> [options]

  --env <file>         variables and secrets, one NAME=value a line (docs/configuration.md)
  --keys <folder>      the keyring (default keys)
  --deployment <file>  where the ids of the account are kept (default deployment.json)
  --question <text>    the question to ask at the end (default the title of an article)
  --url <address>      where the gateway is reached from here, when that is not PUBLIC_URL
  --dry-run            print every step, and change nothing
  --help               this text

Sign in with npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.
`;

const { values } = readCommandLine(HELP, {
  options: {
    env: { type: 'string' },
    keys: { type: 'string', default: 'keys' },
    deployment: { type: 'string', default: RECORD_FILE },
    question: { type: 'string' },
    url: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
});
if (values.env === undefined) failUsage('Cannot set up: --env is missing');
if (values.url !== undefined && !URL.canParse(values.url))
  failUsage(`Cannot use --url ${values.url}: it is no address`);
const given = orFail(() => readEnvFile(values.env ?? ''));
orFail(() => refuseInvalid(given));

// Loaded late: neither the help nor a wrong value needs wrangler.
const { functionsInOrder, isPublic, neededResources } = await import(
  '../release/function-config.ts'
);
const { runWrangler: wrangler } = await import('../release/wrangler.ts');
const { chooseAccount, createResources, save, SetupFailed } = await import('./account.ts');
const { deployChanged } = await import('./deploy-changed.ts');
const { askFirstQuestion, makeFirstKey } = await import('./first-question.ts');

if (given.PUBLIC_URL && !isPublic(given.PUBLIC_URL))
  fail(
    `Cannot use ${values.env}: PUBLIC_URL is ${given.PUBLIC_URL}, not a public https address. Leave it out for that on workers.dev`,
  );

const keysFolder = resolve(ROOT, values.keys);
const interrupted = new AbortController();
/** Ctrl-C ends the bundler, too, whose failure may be seen before the signal. */
const HEARD_MS = 100;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupted.abort());

const counts = new Map<Outcome, number>();
const { show, say } = progressLine();
const run: SetupRun = {
  record: orFail(() => readRecord(resolve(values.deployment))),
  file: resolve(values.deployment),
  dryRun: values['dry-run'],
  signal: interrupted.signal,
  progress: show,
  wrangler,
  report: (outcome, step) => {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    console.log(`${outcome.padEnd(9)} ${step}`);
  },
};

try {
  await setUp();
} catch (error) {
  await sleep(HEARD_MS);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  if (interrupted.signal.aborted)
    fail('Interrupted. Run the same command again: it continues where it stopped.');
  if (error instanceof Error) fail(error.message);
  fail(String(error));
}
say([...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', '));

async function setUp(): Promise<void> {
  await makeDecisions(run, { given, file: values.env ?? '', ask: person() });
  const functions = functionsInOrder();
  const hasAccount = await chooseAccount(run);
  if (given.PUBLIC_URL) run.record.url = given.PUBLIC_URL;
  await createResources(run, neededResources(functions), hasAccount);
  await prepareKeys(functions.map(({ id }) => id));
  const directory = existsSync(join(keysFolder, 'directory.jws'))
    ? directoryVariables(keysFolder)
    : {};
  const { url } = run.record;
  const variables = { ...(url === undefined ? {} : { PUBLIC_URL: url }), ...given, ...directory };
  run.progress('building the pages of the gateway');
  await buildAssets();
  const signingKeyOf = (id: string): string | undefined => {
    const file = join(keysFolder, `${id}.key`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  await deployChanged(run, functions, { variables, signingKeyOf, hasAccount });
  const gateway = functions.find(({ id }) => id === 'gateway');
  const name = gateway?.raw.kv_namespaces?.find(({ binding }) => binding === 'API_KEYS')?.id ?? '';
  const key = await makeFirstKey(run, {
    keyFile: join(keysFolder, 'first-api-key'),
    namespaceId: run.record.kv[name] ?? name,
  });
  await ask(key ?? process.env.CONSTELLATION_API_KEY);
}

/** A question to whoever runs this; undefined without a terminal. */
function person(): ((question: string) => Promise<string>) | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question, { signal: run.signal });
    } finally {
      terminal.close();
    }
  };
}

/** A key for each function that signs, and a directory that this version of the code can work with for a month at least. */
async function prepareKeys(ids: readonly string[]): Promise<void> {
  const now = Date.now();
  const folder = values.keys;
  run.progress('preparing the signing keys');
  if (!existsSync(join(keysFolder, 'directory.jws'))) {
    if (run.dryRun)
      return run.report('would do', `make signing keys and the directory in ${folder}/`);
    await createKeyring(keysFolder, { now });
    return run.report('created', `signing keys and directory in ${folder}/; keep root.key offline`);
  }
  const claims = publishedDirectory(keysFolder);
  const { LOCAL_LIBRARIANS } = await import('../../src/platform/context/internal-librarians.ts');
  const missing = ids.filter((id) => id in LOCAL_LIBRARIANS && claims.librarians[id] === undefined);
  const { state, reported } = examineDirectory(claims, { now });
  if (missing.length === 0 && state === 'well')
    return run.report('exists', `directory in ${folder}/, ${reported}`);
  const why = missing.length > 0 ? `no key for ${missing.join(', ')}` : reported;
  if (run.dryRun) return run.report('would do', `sign the directory in ${folder}/ again: ${why}`);
  if (!existsSync(join(keysFolder, 'root.key')))
    throw new SetupFailed(
      'sign the directory again',
      `${why}, and root.key is not in ${folder}/`,
      'Bring root.key here for this run, or sign where it is kept with npx constellation keys.',
    );
  for (const id of missing) await rotateKey(keysFolder, id, { now });
  if (missing.length === 0) await renewDirectory(keysFolder, { now });
  run.report('changed', `directory in ${folder}/: ${why}`);
}

async function ask(key: string | undefined): Promise<void> {
  const url = values.url ?? run.record.url;
  if (run.dryRun)
    return run.report(
      'would do',
      'start the first sync where KB_URL is set, and ask the first question',
    );
  if (url === undefined)
    return run.report(
      'skipped',
      'first question: the gateway has no address yet. Give it a route, and set PUBLIC_URL',
    );
  if (key === undefined)
    return run.report(
      'skipped',
      'first question: no key here. Set CONSTELLATION_API_KEY to ask it',
    );
  const hasHost = Boolean(given.KB_URL || given.KB_SOURCES);
  await askFirstQuestion(run, { url, key, question: values.question, hasHost });
  save(run);
}

/** What `npm run doctor` finds without a call: values that no function could read. */
function refuseInvalid(variables: Record<string, string>): void {
  const refused = refusedVariables({
    ...variables,
    ENVIRONMENT: variables.ENVIRONMENT ?? 'production',
  });
  if (refused.length > 0) throw new Error(refused.join('; '));
  const deployed = { ...variables, ENVIRONMENT: 'production' };
  const findings = [...examineHelpdesks(deployed), ...examineSources(deployed)];
  const wrong = findings.filter(({ state }) => state === 'wrong');
  if (wrong.length > 0)
    throw new Error(
      `Cannot use ${values.env}: ${wrong.map(({ what, reported }) => `${what}: ${reported}`).join('; ')}`,
    );
}
