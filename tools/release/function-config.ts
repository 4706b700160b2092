import { dirname, join, resolve } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { functionConfigs, idOfFunction, ROOT } from '../functions.ts';
import { settingsOf, usesWorkersAI } from './configuration.ts';
import { deployOrder } from './deploy-order.ts';
import type { DeploymentRecord } from './deployment-record.ts';
import { secretsNamedFor } from './named-secrets.ts';

/** What we read and replace of a configuration; everything else is passed on as it is. */
interface RawConfig {
  name?: string;
  main?: string;
  minify?: boolean;
  account_id?: string;
  vars?: Record<string, unknown>;
  assets?: { directory?: string };
  ai?: { binding: string };
  services?: { service: string }[];
  durable_objects?: { bindings: { script_name?: string }[] };
  migrations?: { new_sqlite_classes?: string[] }[];
  kv_namespaces?: { binding: string; id?: string | undefined }[];
  d1_databases?: { binding: string; database_name?: string; database_id?: string | undefined }[];
}

/** A function as its `wrangler.toml` describes it. */
export interface FunctionConfig {
  /** Relative to the root. */
  file: string;
  /** `constellation-library` */
  name: string;
  /** `library` */
  id: string;
  /** Functions that have to exist before. */
  calls: string[];
  raw: RawConfig;
}

/** All functions in the order in which they can be deployed. */
export function functionsInOrder(): FunctionConfig[] {
  return deployOrder(functionConfigs().map(readFunction));
}

const readFunction = (file: string): FunctionConfig => {
  // Wrangler's declaration of it is not among its exports.
  const raw = experimental_readRawConfig({ config: join(ROOT, file) }).rawConfig as RawConfig;
  const { name = '', services = [], durable_objects: objects } = raw;
  // An object of another function has to exist, too.
  const owners = (objects?.bindings ?? []).flatMap(({ script_name: owner }) => owner ?? []);
  return {
    file,
    name,
    id: idOfFunction(name),
    calls: [...services.map(({ service }) => service), ...owners],
    raw,
  };
};

const KV_ID = /^[0-9a-f]{32}$/;
const DATABASE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the functions need of an account, by name: in the committed configurations an id is the name. */
export function neededResources(functions: readonly FunctionConfig[]) {
  const names = (of: (raw: RawConfig) => (string | undefined)[]): string[] => [
    ...new Set(functions.flatMap(({ raw }) => of(raw)).filter((name) => name !== undefined)),
  ];
  return {
    kv: names(({ kv_namespaces: all = [] }) =>
      all.map(({ id }) => id).filter((id) => !KV_ID.test(id ?? '')),
    ),
    d1: names(({ d1_databases: all = [] }) =>
      all
        .filter(({ database_id }) => !DATABASE_ID.test(database_id ?? ''))
        .map(({ database_name }) => database_name),
    ),
  };
}

export interface ConfigOptions {
  record: DeploymentRecord;
  /** Variables of the file that `--env` names, and the key directory. */
  variables: Readonly<Record<string, string>>;
}

/** The configuration that is deployed: with the account's ids and the variables that the function reads, valid in any folder. */
export function deployedConfig(
  { file, id, raw }: FunctionConfig,
  { record: { account_id, kv, d1 }, variables }: ConfigOptions,
): RawConfig {
  const folder = dirname(join(ROOT, file));
  const own = settingsOf(id).flatMap(({ name, secret = false }) =>
    secret || variables[name] === undefined ? [] : [[name, variables[name]] as const],
  );
  return {
    ...raw,
    ...(account_id === undefined ? {} : { account_id }),
    ...(raw.main === undefined ? {} : { main: resolve(folder, raw.main) }),
    ...(raw.assets?.directory === undefined
      ? {}
      : { assets: { ...raw.assets, directory: resolve(folder, raw.assets.directory) } }),
    ...(raw.kv_namespaces === undefined
      ? {}
      : {
          kv_namespaces: raw.kv_namespaces.map((each) => ({
            ...each,
            id: kv[each.id ?? ''] ?? each.id,
          })),
        }),
    ...(raw.d1_databases === undefined
      ? {}
      : {
          d1_databases: raw.d1_databases.map((each) => ({
            ...each,
            database_id: d1[each.database_name ?? ''] ?? each.database_id,
          })),
        }),
    ...(raw.ai === undefined && needsWorkersAI(id, variables) ? { ai: { binding: 'AI' } } : {}),
    vars: { ...raw.vars, ...Object.fromEntries(own) },
  };
}

/** Whether Workers AI has models for a function: all of them, or the reranker that is named alone. */
const needsWorkersAI = (id: string, variables: Readonly<Record<string, string>>): boolean => {
  const reads = (name: string) => settingsOf(id).some((setting) => setting.name === name);
  const isReranker =
    !variables.RERANK_BASE_URL && variables.RERANK_MODEL?.startsWith('@cf/') === true;
  return (
    (variables.WORKERS_AI === 'yes' && usesWorkersAI(id)) || (isReranker && reads('RERANK_MODEL'))
  );
};

/** The given variables that are secrets of a function. */
export function secretsOf(
  { id }: FunctionConfig,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = settingsOf(id).flatMap(({ name, secret = false }) => (secret ? [name] : []));
  const given = [...names, ...secretsNamedFor(id, variables)].flatMap((name) =>
    variables[name] === undefined ? [] : [[name, variables[name]] as const],
  );
  return Object.fromEntries(given);
}

/**
 * Settings of a deployed configuration that are still placeholders: existing KV namespaces have ids of 32 hexadecimal digits, databases
 * a UUID, and this machine cannot be reached from Cloudflare.
 */
export function placeholdersOf({ file, id }: FunctionConfig, config: RawConfig): string[] {
  const publicUrl = String(config.vars?.PUBLIC_URL ?? '');
  const needsUrl = settingsOf(id).some(({ name }) => name === 'PUBLIC_URL');
  return [
    ...(config.kv_namespaces ?? [])
      .filter((each) => !KV_ID.test(each.id ?? ''))
      .map((each) => `${file}: ${each.binding} = ${each.id}`),
    ...(config.d1_databases ?? [])
      .filter(({ database_id }) => !DATABASE_ID.test(database_id ?? ''))
      .map(({ binding, database_id }) => `${file}: ${binding} = ${database_id}`),
    ...(needsUrl && !isPublic(publicUrl)
      ? [`${file}: PUBLIC_URL = ${publicUrl || 'not set'}`]
      : []),
  ];
}

/** Articles without an address of their own get this one in replies to customers. */
export function isPublic(url: string): boolean {
  return /^https:\/\/(?!localhost\b|127\.|\[::1\])/.test(url);
}
