import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mapBounded } from '../../src/platform/concurrency.ts';
import { bundleModules } from '../build/bundle-function.ts';
import {
  deployedConfig,
  type FunctionConfig,
  isPublic,
  secretsOf,
} from '../release/function-config.ts';
import { deployFunction } from '../release/wrangler.ts';
import { type SetupRun, save, wranglerFailure } from './account.ts';

export interface DeployChangedOptions {
  /** Variables of the env file and the key directory. */
  variables: Readonly<Record<string, string>>;
  /** The signing key of a function; undefined when it has none, or this machine does not have it. */
  signingKeyOf: (id: string) => string | undefined;
  hasAccount: boolean;
}

/**
 * Deploys the functions that differ from what was deployed: in their code, configuration, variables or secrets, or because somebody else
 * has deployed or removed them. Once the gateway has an address of its own, functions that need it are deployed with it.
 */
export async function deployChanged(
  run: SetupRun,
  functions: readonly FunctionConfig[],
  options: DeployChangedOptions,
): Promise<void> {
  run.progress('comparing with what is deployed');
  const versions = new Map(
    await mapBounded(
      functions,
      async ({ name }) => [name, await versionOf(run, name, options)] as const,
    ),
  );
  const deployAll = async (those: readonly FunctionConfig[]): Promise<void> => {
    for (const target of those)
      await deployIfChanged(run, target, { ...options, deployed: versions.get(target.name) });
  };
  await deployAll(functions);
  const { url } = run.record;
  if (run.dryRun || options.variables.PUBLIC_URL !== undefined || url === undefined) return;
  const waiting = functions.filter((target) => !isPublic(publicUrlOf(target, run, options)));
  if (waiting.length === 0) return;
  const variables = { ...options.variables, PUBLIC_URL: url };
  for (const target of waiting)
    await deployIfChanged(run, target, {
      ...options,
      variables,
      deployed: run.record.functions[target.name]?.version,
    });
}

const publicUrlOf = (
  target: FunctionConfig,
  { record }: SetupRun,
  { variables }: DeployChangedOptions,
): string => {
  const url = deployedConfig(target, { record, variables }).vars?.PUBLIC_URL;
  return typeof url === 'string' ? url : 'https://not-needed.example';
};

/** The version that is deployed now, when this machine has recorded one; asking for the others would change nothing. */
const versionOf = async (
  { record, signal, wrangler }: SetupRun,
  name: string,
  { hasAccount }: DeployChangedOptions,
): Promise<string | undefined> => {
  if (record.functions[name] === undefined || !hasAccount) return undefined;
  const args = ['deployments', 'status', '--json', '--name', name];
  const { status, stdout, output } = await wrangler(args, { accountId: record.account_id, signal });
  if (status === 0) return /"version_id":\s*"([^"]+)"/.exec(stdout)?.[1];
  if (output.includes('code: 10007')) return undefined;
  throw wranglerFailure(`ask which version of ${name} is deployed`, output);
};

const deployIfChanged = async (
  run: SetupRun,
  target: FunctionConfig,
  options: DeployChangedOptions & { deployed: string | undefined },
): Promise<void> => {
  const { record, signal, wrangler } = run;
  const { name, id } = target;
  const { variables, deployed } = options;
  signal.throwIfAborted();
  run.progress(`bundling ${name}`);
  const key = options.signingKeyOf(id);
  const secrets = {
    ...secretsOf(target, variables),
    ...(key === undefined ? {} : { CONTEXT_SIGNING_KEY: key }),
  };
  const hash = await hashOf(target, { record, variables, secrets });
  const known = record.functions[name];
  if (known !== undefined && known.hash === hash && known.version === deployed)
    return run.report('exists', name);
  const isNew = known === undefined || deployed === undefined;
  if (run.dryRun) return run.report('would do', `deploy ${name}`);
  run.progress(`deploying ${name}`);
  const result = await deployFunction(target, {
    record,
    variables,
    secrets,
    signal,
    wrangler,
    accountId: record.account_id,
  });
  const version = /^Current Version ID: (\S+)$/m.exec(result.output)?.[1];
  if (result.status !== 0 || version === undefined)
    throw wranglerFailure(`deploy ${name}`, hidden(result.output, secrets));
  record.functions[name] = { hash, version };
  const url = /^\s*(https:\/\/\S+\.workers\.dev)\s*$/m.exec(result.output)?.[1];
  if (id === 'gateway') record.url = variables.PUBLIC_URL ?? url ?? record.url;
  save(run);
  run.report(isNew ? 'deployed' : 'changed', name);
};

/** What a platform's message might repeat. */
const hidden = (output: string, secrets: Readonly<Record<string, string>>): string =>
  Object.values(secrets).reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, '***')),
    output,
  );

/** A hash of everything that decides what a function is. Secrets go into it together with all the rest, and cannot be read from it. */
const hashOf = async (
  target: FunctionConfig,
  options: Parameters<typeof deployedConfig>[1] & { secrets: Readonly<Record<string, string>> },
): Promise<string> => {
  const config = deployedConfig(target, options);
  const hash = createHash('sha256');
  // Without the place of the checkout.
  hash.update(
    JSON.stringify({
      ...config,
      main: target.raw.main,
      assets: target.raw.assets,
      secrets: options.secrets,
    }),
  );
  const modules = await bundleModules(config.main ?? '', { minify: config.minify === true });
  for (const { path, contents } of modules) hash.update(path).update(contents);
  const folder = config.assets?.directory;
  if (folder !== undefined) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(folder, file);
      if (statSync(path).isFile()) hash.update(file).update(readFileSync(path));
    }
  }
  return hash.digest('hex');
};
