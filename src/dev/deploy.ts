/**
 * `npm run deploy`: deploys every function, those that others call first, the front door last.
 *
 *   npm run deploy                  with the key directory of keys/ (npm run keys)
 *   npm run deploy -- --dry-run     bundles and checks every function without an account
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { functionConfigs, ROOT } from './functions.ts';

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, keys: { type: 'string', default: 'keys' } },
});
const dryRun = values['dry-run'];

const [frontDoor = '', ...others] = functionConfigs();
const order = [...others, frontDoor];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const unready = dryRun ? [] : order.flatMap(placeholdersOf);
if (unready.length > 0) {
  console.error(
    `Cannot deploy: these settings are still placeholders (README, "Production"):\n  ${unready.join('\n  ')}`,
  );
  process.exit(1);
}

for (const file of order) {
  console.log(`\n${dryRun ? 'checking' : 'deploying'} ${file}`);
  const args = dryRun
    ? ['--dry-run', '--outdir', join('dist', unstable_readConfig({ config: join(ROOT, file) }).name ?? 'function')]
    : directoryVars();
  const { status } = spawnSync('wrangler', ['deploy', '--config', file, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
  });
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
