import { readFileSync } from 'node:fs';
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response as MiniflareResponse,
} from 'miniflare';
import type { WorkerModule } from '../build/bundle-function.ts';
import { idOfFunction } from '../functions.ts';
import { isDiskFull } from './disk-space.ts';
import { type InstalledFunction, installation, type V4Worker } from './installation.ts';
import { type LocalDatabases, startLocalDatabases } from './local-databases.ts';

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
  /** Entry files (paths from the root, or absolute ones) in place of those of a function's configuration, by the function's name. */
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
  /** The entry file: a path from the root, or an absolute one. */
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

/** Runs every function in one workerd, wired by their own wrangler configurations; databases run in a second one. */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  await installation.prepareAssets();
  const functions = installation
    .functions()
    .filter(({ name, isFrontDoor }) => isFrontDoor || !isLeftOut(name, options));
  const starting = startDatabases(functions, options);
  const workers = (
    await Promise.all([
      ...functions.map((each) => workersOf(each, options, starting)),
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

const startDatabases = async (
  functions: readonly InstalledFunction[],
  options: LocalCloudOptions,
): Databases => {
  const ids = functions.flatMap((each) => Object.values(databasesOf(each, options)));
  if (ids.length === 0) return undefined;
  const { state, onDatabaseRestart: onRestart } = options;
  return startLocalDatabases({ ids: [...new Set(ids)], state, onRestart });
};

/** The databases of a function: by the name of the binding, its id. */
const databasesOf = (
  { name, databases }: InstalledFunction,
  { withoutBindings = {} }: LocalCloudOptions,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(databases).filter(
      ([binding]) => withoutBindings[name]?.includes(binding) !== true,
    ),
  );

const isLeftOut = (name: unknown, { functions }: LocalCloudOptions): boolean =>
  typeof name === 'string' && functions?.includes(idOfFunction(name)) === false;

/** A function, and its static files when it has any. */
const workersOf = async (
  installed: InstalledFunction,
  options: LocalCloudOptions,
  starting: Databases,
): Promise<V4Worker[]> => {
  const { vars = {}, allVars = {}, moreServices = {}, port } = options;
  const { name, isFrontDoor, main } = installed;
  const {
    d1Databases: _,
    assets,
    bindings = {},
    serviceBindings = {},
    durableObjects = {},
    ...others
  } = installed.options;
  const ids = databasesOf(installed, options);
  const files = assets?.directory === undefined ? undefined : filesWorker(`${name}-files`, assets);
  const worker: V4Worker = {
    ...others,
    name,
    bindings: { ...bindings, ENVIRONMENT: 'development', ...allVars, ...vars[name] },
    durableObjects: without(durableObjects, (object) =>
      isLeftOut(typeof object === 'object' && object.scriptName, options),
    ),
    serviceBindings: {
      ...without(serviceBindings, (to) =>
        isLeftOut(typeof to === 'object' && 'name' in to && to.name, options),
      ),
      ...(files?.assets?.binding === undefined ? {} : { [files.assets.binding]: files.name }),
      ...moreServices[name],
      ...Object.fromEntries(
        Object.entries(ids).map(([binding, id]) => [binding, serviceOf(id, starting)]),
      ),
      ...(isFrontDoor && options.state !== undefined
        ? { LOCAL_DISK: diskService(options.state) }
        : {}),
    },
    ...(options.workersAI !== undefined && installed.usesWorkersAI
      ? { ai: { binding: 'AI', remoteProxyConnectionString: remoteAddress(options.workersAI) } }
      : {}),
    modules: await modulesOf(options.mains?.[name] ?? main, {
      minify: installed.isMinified,
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
  const modules = await installation.modules(main, { minify });
  if (databases.length === 0) return modules;
  const [remote] = await installation.modules(REMOTE_D1);
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

const REMOTE_D1 = 'tools/run/remote-d1.ts';
const OUTBOUND_MAIN = 'tools/run/outbound.ts';
/** Entry files that run beside the functions. */
export const BESIDE_FUNCTIONS = [REMOTE_D1, OUTBOUND_MAIN];

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
  modules: await installation.modules(main),
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
  modules: await installation.modules(OUTBOUND_MAIN),
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
