/** `npm run deploy`: deploys every function. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAssets } from '../build/build-assets.ts';
import { fail, failUsage, orFail, readCommandLine } from '../command-line.ts';
import { functionConfigs, idOfFunction, ROOT } from '../functions.ts';
import { settingsOf } from './configuration.ts';
import { type Deployed, deployOrder } from './deploy-order.ts';
import { readEnvFile, secretsNamedFor } from './env-file.ts';
import { examineDirectory } from './examine.ts';
import { publishedDirectory } from './keyring.ts';

const HELP = `Deploys every function, those that others call first, the gateway last.

  npm run deploy -- [options]

  --env <file>     variables and secrets, one NAME=value a line (docs/configuration.md)
  --keys <folder>  the keyring whose directory is published (default keys; npm run keys makes one)
  --only <name>    deploy this function alone, such as navigator
  --dry-run        bundle and check without an account
  --help           this text
`;

const { values } = readCommandLine(HELP, {
  options: {
    'dry-run': { type: 'boolean', default: false },
    keys: { type: 'string', default: 'keys' },
    env: { type: 'string' },
    only: { type: 'string' },
  },
});
const dryRun = values['dry-run'];
// Loaded late: the help does not need it.
const { unstable_readConfig } = await import('wrangler');

const functions = deployOrder(functionConfigs().map(deployedOf));
const order = functions
  .filter(({ name }) => values.only === undefined || idOfFunction(name) === values.only)
  .map(({ file }) => file);
if (order.length === 0) {
  failUsage(
    `There is no function ${values.only}: --only takes ${functions.map(({ name }) => idOfFunction(name)).join(', ')}`,
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const given: Record<string, string> = values.env === undefined ? {} : orFail(() => readEnvFile(values.env ?? ''));

const unready = dryRun ? [] : order.flatMap(placeholdersOf);
if (unready.length > 0) {
  console.error(
    `Cannot deploy: these settings are still placeholders (docs/production.md):\n  ${unready.join('\n  ')}`,
  );
  process.exit(1);
}

if (!dryRun) await checkDirectory();

buildAssets();

// Ctrl-C ends wrangler, and then this: what was written for it has to be removed first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for (const file of order) {
  console.log(`\n${dryRun ? 'checking' : 'deploying'} ${file}`);
  const args = dryRun
    ? ['--dry-run', '--outdir', join('dist', unstable_readConfig({ config: join(ROOT, file) }).name ?? 'function')]
    : [...directoryVars(), ...plainVars(file)];
  const { status } = withSecrets(file, (secrets) =>
    spawnSync('wrangler', ['deploy', '--config', file, ...args, ...secrets], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    }),
  );
  if (status !== 0) {
    console.error(
      `Cannot deploy ${file}: wrangler ended with status ${status}. What stands before it in this list is deployed.`,
    );
    process.exit(1);
  }
}

function deployedOf(file: string): Deployed & { file: string } {
  const { name = '', services = [], durable_objects: objects } = unstable_readConfig({ config: join(ROOT, file) });
  const called = services.map(({ service }: { service: string }) => service);
  // An object of another function has to exist, too.
  const owners = objects.bindings.flatMap(({ script_name: owner }: { script_name?: string }) => owner ?? []);
  return { file, name, calls: [...called, ...owners] };
}

/**
 * Finds placeholders: existing KV namespaces have ids of 32 hexadecimal digits, databases a UUID, and localhost is unreachable from
 * Cloudflare.
 */
function placeholdersOf(file: string): string[] {
  const config = unstable_readConfig({ config: join(ROOT, file) });
  const namespaces: { binding: string; id?: string }[] = config.kv_namespaces;
  const needsUrl = settingsOf(idOfFunction(config.name ?? '')).some(({ name }) => name === 'PUBLIC_URL');
  const publicUrl = String(given.PUBLIC_URL ?? config.vars?.PUBLIC_URL ?? '');
  const local = needsUrl && !isPublic(publicUrl) ? [`${file}: PUBLIC_URL = ${publicUrl || 'not set'}`] : [];
  const unnamed = namespaces.filter(({ id }) => !/^[0-9a-f]{32}$/.test(id ?? ''));
  const databases: { binding: string; database_id?: string }[] = config.d1_databases;
  const unmade = databases.filter(({ database_id }) => !UUID.test(database_id ?? ''));
  return [
    ...unnamed.map(({ binding, id }) => `${file}: ${binding} = ${id}`),
    ...unmade.map(({ binding, database_id }) => `${file}: ${binding} = ${database_id}`),
    ...local,
  ];
}

/** Articles without an address of their own get this one in replies to customers. */
function isPublic(url: string): boolean {
  return /^https:\/\/(?!localhost\b|127\.|\[::1\])/.test(url);
}

/** Warns 30 days before the directory expires; an expired one, or one older than that in use, is not deployed. */
async function checkDirectory(): Promise<void> {
  const claims = orFail(() => publishedDirectory(join(ROOT, values.keys)));
  const publicUrl = given.PUBLIC_URL ?? '';
  const finding = examineDirectory(claims, { now: Date.now(), inUse: await sequenceInUse(publicUrl) });
  if (finding.state === 'wrong') fail(`Cannot deploy: ${finding.reported}`);
  if (finding.state === 'worth knowing') console.warn(finding.reported);
}

/** The sequence number of the deployed directory; undefined when nothing is deployed or it does not tell. */
async function sequenceInUse(publicUrl: string): Promise<number | undefined> {
  if (!isPublic(publicUrl)) return undefined;
  try {
    const response = await fetch(new URL('/healthz', publicUrl), { signal: AbortSignal.timeout(5000) });
    const { directory } = (await response.json()) as { directory?: { sequence?: number } }; // checked where it is compared
    return directory?.sequence;
  } catch {
    return undefined;
  }
}

/** The signed directory and the key to check it with. */
function directoryVars(): string[] {
  const [directory, root] = ['directory.jws', 'root.pub'].map((name) => join(ROOT, values.keys, name));
  if (directory === undefined || root === undefined || !existsSync(directory) || !existsSync(root)) {
    console.error(`Cannot deploy: there is no key directory in ${values.keys}/. Make one with npm run keys.`);
    process.exit(1);
  }
  const read = (file: string): string => readFileSync(file, 'utf8').trim();
  return ['--var', `CONTEXT_DIRECTORY:${read(directory)}`, '--var', `CONTEXT_DIRECTORY_ROOT:${read(root)}`];
}

/** The given variables that a function reads, added to its own configuration. */
function givenTo(file: string, wants: 'plain' | 'secret'): [string, string][] {
  const id = idOfFunction(unstable_readConfig({ config: join(ROOT, file) }).name ?? '');
  const read = [...settingsOf(id), ...secretsNamedFor(id, given).map((name) => ({ name, secret: true }))];
  return read.flatMap(({ name, secret = false }) => {
    const value = given[name];
    return value === undefined || secret !== (wants === 'secret') ? [] : [[name, value] as [string, string]];
  });
}

function plainVars(file: string): string[] {
  return givenTo(file, 'plain').flatMap(([name, value]) => ['--var', `${name}:${value}`]);
}

/** Other users of the machine can read a command line, but not our own file. */
function withSecrets<T>(file: string, deploy: (args: string[]) => T): T {
  const secrets = Object.fromEntries(givenTo(file, 'secret'));
  if (dryRun || Object.keys(secrets).length === 0) return deploy([]);
  const folder = mkdtempSync(join(tmpdir(), 'constellation-secrets-'));
  try {
    const path = join(folder, 'secrets.json');
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
    return deploy(['--secrets-file', path]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
