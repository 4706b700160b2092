/**
 * `npm run deploy`: deploys every function, those that others call first, the front door last.
 *
 *   npm run deploy                  with the key directory of keys/ (npm run keys)
 *   npm run deploy -- --env production.env    and with the variables and secrets of a file (docs/configuration.md)
 *   npm run deploy -- --dry-run     bundles and checks every function without an account
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { CONFIGURATION } from './configuration.ts';
import { readEnvFile } from './env-file.ts';
import { functionConfigs, ROOT } from './functions.ts';

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    keys: { type: 'string', default: 'keys' },
    env: { type: 'string' },
  },
});
const dryRun = values['dry-run'];

const [frontDoor = '', ...others] = functionConfigs();
const order = [...others, frontDoor];

const SECRETS: ReadonlySet<string> = new Set(CONFIGURATION.flatMap(({ name, secret }) => (secret ? [name] : [])));

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const unready = dryRun ? [] : order.flatMap(placeholdersOf);
if (unready.length > 0) {
  console.error(
    `Cannot deploy: these settings are still placeholders (README, "Production"):\n  ${unready.join('\n  ')}`,
  );
  process.exit(1);
}

const given = values.env === undefined ? {} : orFail(() => readEnvFile(values.env ?? ''));

for (const file of order) {
  console.log(`\n${dryRun ? 'checking' : 'deploying'} ${file}`);
  const args = dryRun
    ? ['--dry-run', '--outdir', join('dist', unstable_readConfig({ config: join(ROOT, file) }).name ?? 'function')]
    : [...directoryVars(), ...plainVars(given)];
  const { status } = withSecrets(given, (secrets) =>
    spawnSync('wrangler', ['deploy', '--config', file, ...args, ...(dryRun ? [] : secrets)], {
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

/** KV namespaces are named by 32 hexadecimal digits once they exist, databases by a UUID; nobody reaches this machine from outside. */
function placeholdersOf(file: string): string[] {
  const config = unstable_readConfig({ config: join(ROOT, file) });
  const namespaces: { binding: string; id?: string }[] = config.kv_namespaces;
  const local = /^https?:\/\/(localhost|127\.)/.test(String(config.vars?.PUBLIC_URL ?? ''))
    ? [`${file}: PUBLIC_URL = ${config.vars?.PUBLIC_URL}`]
    : [];
  const unnamed = namespaces.filter(({ id }) => !/^[0-9a-f]{32}$/.test(id ?? ''));
  const databases: { binding: string; database_id?: string }[] = config.d1_databases;
  const unmade = databases.filter(({ database_id }) => !UUID.test(database_id ?? ''));
  return [
    ...unnamed.map(({ binding, id }) => `${file}: ${binding} = ${id}`),
    ...unmade.map(({ binding, database_id }) => `${file}: ${binding} = ${database_id}`),
    ...local,
  ];
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

/** What every function gets beside its own configuration: those that it does not read change nothing for it. */
function plainVars(variables: Record<string, string>): string[] {
  return plainOnes(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
}

function plainOnes(variables: Record<string, string>): [string, string][] {
  return Object.entries(variables).filter(([name]) => !SECRETS.has(name));
}

/** A command line can be read by others on the machine; a file of our own cannot. */
function withSecrets<T>(variables: Record<string, string>, deploy: (args: string[]) => T): T {
  const secrets = Object.fromEntries(Object.entries(variables).filter(([name]) => SECRETS.has(name)));
  if (Object.keys(secrets).length === 0) return deploy([]);
  const folder = mkdtempSync(join(tmpdir(), 'constellation-secrets-'));
  try {
    const file = join(folder, 'secrets.json');
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    return deploy(['--secrets-file', file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function orFail<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}
