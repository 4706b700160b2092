import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response as MiniflareResponse,
  type V4MiniflareOptions,
} from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { buildAssets } from '../build/build-assets.ts';
import { bundleModules, type WorkerModule } from '../build/bundle-function.ts';
import { functionConfigs, idOfFunction, ROOT } from '../functions.ts';
import { usesWorkersAI } from '../release/configuration.ts';
import { isDiskFull } from './disk-space.ts';
import { type LocalDatabases, startLocalDatabases } from './local-databases.ts';

type V4Worker = NonNullable<Extract<V4MiniflareOptions, { workers: unknown }>['workers']>[number];

export interface LocalCloudOptions {
  /** Port of the gateway on 127.0.0.1; 0 picks a free port. */
  port: number;
  /** Folder for Durable Objects and KV; absent: nothing outlives the process. */
  state?: string | undefined;
  /** Text variables that replace those of a function's configuration, by the function's name. */
  vars?: Record<string, Record<string, string>>;
  /** Text variables of all functions. */
  allVars?: Record<string, string>;
  /** Ids of the functions that run beside the gateway, without bindings to the others; all when absent. */
  functions?: readonly string[] | undefined;
  /** Bindings of a function's configuration that it does not get, by the function's name. */
  withoutBindings?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Further functions that stand beside the product's own. */
  moreWorkers?: readonly LocalWorker[] | undefined;
  /** Service bindings beside those of a function's configuration: by the function's name, what each binding leads to. */
  moreServices?: Readonly<Record<string, Record<string, string>>> | undefined;
  /** What the binding of Workers AI leads to, in the functions that may use it: the address of a stand-in. Absent: there is no binding. */
  workersAI?: string | undefined;
  /** Entry files in place of those of a function's configuration, by the function's name. */
  mains?: Readonly<Record<string, string>> | undefined;
  /** Hosts whose names may lead to this machine or a private network, separated by commas; others may not (outbound.ts). */
  privateHosts?: string | undefined;
  /** Port of the inspector of workerd; none when absent. */
  inspectorPort?: number | undefined;
  /** Each line that a function logs. */
  onLog?: (line: string) => void;
  /** After the process of the databases was ended, because a statement took too long, and started again. */
  onDatabaseRestart?: (() => void) | undefined;
}

/** A function without a configuration file, for tests and benchmarks. */
export interface LocalWorker {
  name: string;
  /** The entry file. */
  main: string;
  vars?: Record<string, string>;
  /** What each service binding leads to. */
  services?: Record<string, string>;
}

export interface LocalCloud {
  /** The gateway's own socket, without a proxy in front of it. */
  url: URL;
  miniflare: Miniflare;
  /** The D1 databases of all functions; `undefined` when they have none. */
  databases: LocalDatabases | undefined;
  stop(): Promise<void>;
}

/** Bundles every function and runs them all in one workerd, wired by their own wrangler configurations; databases run in a second one. */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  await buildAssets();
  const starting = startDatabases(options);
  const workers = (
    await Promise.all([
      ...functionConfigs().map((file) => workersOf(join(ROOT, file), options, starting)),
      ...(options.moreWorkers ?? []).map((worker) => moreWorkerOf(worker, options)),
      outboundWorker(options),
    ])
  ).flat();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }: { message: string }) => options.onLog?.(message),
      telemetry: { enabled: false },
      ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
      ...(options.state === undefined ? {} : { resourcePersistencePath: options.state }),
      workers,
    }),
  );
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL(workers[0]?.name ?? '');
  const databases = await starting;
  return {
    url,
    miniflare,
    databases,
    stop: async () => {
      await Promise.all([miniflare.dispose(), databases?.stop()]);
    },
  };
}

type Databases = Promise<LocalDatabases | undefined>;

const startDatabases = async (options: LocalCloudOptions): Databases => {
  const ids = functionConfigs().flatMap((file) => {
    const config = unstable_readConfig({ config: join(ROOT, file) });
    if (file !== 'wrangler.toml' && isLeftOut(config.name, options)) return [];
    return Object.values(databasesOf(config, options));
  });
  if (ids.length === 0) return undefined;
  const { state, onDatabaseRestart: onRestart } = options;
  return startLocalDatabases({ ids: [...new Set(ids)], state, onRestart });
};

/** The databases of a function: by the name of the binding, its id. */
const databasesOf = (
  { name = '', d1_databases }: ReturnType<typeof unstable_readConfig>,
  { withoutBindings = {} }: LocalCloudOptions,
): Record<string, string> => {
  const bindings: readonly { binding: string; database_id?: string }[] = d1_databases;
  return Object.fromEntries(
    bindings
      .filter(({ binding }) => withoutBindings[name]?.includes(binding) !== true)
      .map(({ binding, database_id: id = binding }) => [binding, id]),
  );
};

const isLeftOut = (name: unknown, { functions }: LocalCloudOptions): boolean =>
  typeof name === 'string' && functions?.includes(idOfFunction(name)) === false;

/** A function, and its static files when it has any. */
const workersOf = async (
  file: string,
  options: LocalCloudOptions,
  starting: Databases,
): Promise<V4Worker[]> => {
  const { vars = {}, allVars = {}, moreServices = {}, port } = options;
  const config = unstable_readConfig({ config: file });
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config);
  if (config.name === undefined || main === undefined)
    throw new Error(`Cannot run ${file}: it names no function or no file`);
  const isFrontDoor = file === join(ROOT, 'wrangler.toml');
  if (!isFrontDoor && isLeftOut(config.name, options)) return [];
  // Wrangler's type has no shape for assets; Miniflare takes what wrangler gives.
  const {
    d1Databases: _,
    assets,
    serviceBindings = {},
    durableObjects = {},
    ...others
  } = workerOptions as V4Worker;
  const ids = databasesOf(config, options);
  const files =
    assets?.directory === undefined ? undefined : filesWorker(`${config.name}-files`, assets);
  const worker: V4Worker = {
    ...others,
    name: config.name,
    bindings: {
      ...(workerOptions.bindings ?? {}),
      ENVIRONMENT: 'development',
      ...allVars,
      ...vars[config.name],
    },
    durableObjects: without(durableObjects, (object) =>
      isLeftOut(typeof object === 'object' && object.scriptName, options),
    ),
    serviceBindings: {
      ...without(serviceBindings, (to) =>
        isLeftOut(typeof to === 'object' && 'name' in to && to.name, options),
      ),
      ...(files?.assets?.binding === undefined ? {} : { [files.assets.binding]: files.name }),
      ...moreServices[config.name],
      ...Object.fromEntries(
        Object.entries(ids).map(([name, id]) => [name, serviceOf(id, starting)]),
      ),
      ...(isFrontDoor && options.state !== undefined
        ? { LOCAL_DISK: diskService(options.state) }
        : {}),
    },
    ...(options.workersAI !== undefined && usesWorkersAI(idOfFunction(config.name))
      ? { ai: { binding: 'AI', remoteProxyConnectionString: remoteAddress(options.workersAI) } }
      : {}),
    modules: await modulesOf(options.mains?.[config.name] ?? main, {
      minify: config.minify === true,
      databases: Object.keys(ids),
    }),
    outboundService: OUTBOUND,
    unsafeDirectSockets: [{ host: '127.0.0.1', port: isFrontDoor ? port : 0, proxy: false }],
  };
  return files === undefined ? [worker] : [worker, files];
};

type RemoteAddress = NonNullable<NonNullable<V4Worker['ai']>['remoteProxyConnectionString']>;

/** Wrangler gives it as a URL, which its type hides. */
const remoteAddress = (url: string): RemoteAddress => new URL(url) as RemoteAddress;

/** Tells the gateway whether anything can be stored. */
const diskService = (state: string) => async (): Promise<MiniflareResponse> =>
  MiniflareResponse.json({ full: isDiskFull(state) });

const without = <T>(
  bindings: Record<string, T>,
  isDropped: (to: T) => boolean,
): Record<string, T> =>
  Object.fromEntries(Object.entries(bindings).filter(([, to]) => !isDropped(to)));

const serviceOf =
  (id: string, starting: Databases) =>
  async (request: { text(): Promise<string> }): Promise<MiniflareResponse> =>
    (await starting)?.serve(id, request) ??
    new MiniflareResponse('there are no databases', { status: 503 });

/** The code of a function; with databases, inside of the module that hands their statements on. */
const modulesOf = async (
  main: string,
  { minify, databases }: { minify: boolean; databases: readonly string[] },
): Promise<WorkerModule[]> => {
  const modules = await bundleModules(main, { minify });
  if (databases.length === 0) return modules;
  const [remote] = await bundleModules(REMOTE_D1);
  const contents = [
    "import handler from './index.mjs';",
    "import { withRemoteD1 } from './remote-d1.mjs';",
    "export * from './index.mjs';",
    `export default withRemoteD1(handler, ${JSON.stringify(databases)});`,
  ].join('\n');
  const first: WorkerModule[] = [{ type: 'ESModule', path: 'with-databases.mjs', contents }];
  if (remote?.type !== 'ESModule') throw new Error(`Cannot bundle ${REMOTE_D1}`);
  return [...first, { ...remote, path: 'remote-d1.mjs' }, ...modules];
};

const REMOTE_D1 = join(ROOT, 'tools/run/remote-d1.ts');

/** Static files apart from their function: Miniflare would lead every request through two workers of its own before the function. */
const filesWorker = (
  name: string,
  { run_worker_first: _, ...assets }: NonNullable<V4Worker['assets']>,
): V4Worker & { name: string } => ({
  name,
  compatibilityDate: '2026-11-01',
  modules: [{ type: 'ESModule', path: 'index.mjs', contents: NO_FUNCTION }],
  assets: { ...assets, routerConfig: { has_user_worker: false } },
});

const NO_FUNCTION = 'export default { fetch: () => new Response(null, { status: 404 }) };';

const moreWorkerOf = async (
  { name, main, vars = {}, services = {} }: LocalWorker,
  options: LocalCloudOptions,
): Promise<V4Worker> => ({
  name,
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['enable_request_signal'],
  bindings: { ENVIRONMENT: 'development', ...options.allVars, ...vars },
  serviceBindings: services,
  outboundService: OUTBOUND,
  modules: await bundleModules(main),
  unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
});

const OUTBOUND = 'outbound';

/** What all requests to the network pass through. */
const outboundWorker = async ({ privateHosts = '' }: LocalCloudOptions): Promise<V4Worker> => ({
  name: OUTBOUND,
  compatibilityDate: '2026-11-01',
  bindings: { PRIVATE_HOSTS: privateHosts },
  serviceBindings: {
    PUBLIC: {
      network: {
        allow: ['public'],
        tlsOptions: { trustBrowserCas: true, trustedCertificates: moreCertificates() },
      },
    },
  },
  modules: await bundleModules(join(ROOT, 'tools/run/outbound.ts')),
});

/** Certificates that Node trusts beside its own, as the local runtime does where it connects by itself. */
const moreCertificates = (file = process.env.NODE_EXTRA_CA_CERTS): string[] => {
  try {
    const text = file === undefined ? '' : readFileSync(file, 'utf8');
    return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    // Node has warned of it.
    return [];
  }
};
