import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { buildAssets } from '../build/build-assets.ts';
import { bundleModules } from '../build/bundle-function.ts';
import { functionConfigs, idOfFunction, ROOT } from '../functions.ts';

type V4Worker = NonNullable<Extract<V4MiniflareOptions, { workers: unknown }>['workers']>[number];

export interface LocalCloudOptions {
  /** Port of the gateway on 127.0.0.1; 0 picks a free port. */
  port: number;
  /** Folder for Durable Objects, KV and queues; absent: nothing outlives the process. */
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
  /** Entry files in place of those of a function's configuration, by the function's name. */
  mains?: Readonly<Record<string, string>> | undefined;
  /** Port of the inspector of workerd; none when absent. */
  inspectorPort?: number | undefined;
  /** Each line that a function logs. */
  onLog?: (line: string) => void;
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
  stop(): Promise<void>;
}

/** Bundles every function and runs them all in one workerd, wired by their own wrangler configurations. */
export const startLocalCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  await buildAssets();
  const workers = (
    await Promise.all([
      ...functionConfigs().map((file) => workersOf(join(ROOT, file), options)),
      ...(options.moreWorkers ?? []).map((worker) => moreWorkerOf(worker, options)),
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
  return { url, miniflare, stop: () => miniflare.dispose() };
};

/** A function, and its static files when it has any. */
const workersOf = async (file: string, options: LocalCloudOptions): Promise<V4Worker[]> => {
  const { vars = {}, allVars = {}, moreServices = {}, port } = options;
  const config = unstable_readConfig({ config: file });
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config);
  if (config.name === undefined || main === undefined)
    throw new Error(`Cannot run ${file}: it names no function or no file`);
  const isFrontDoor = file === join(ROOT, 'wrangler.toml');
  const isLeftOut = (name: unknown): boolean =>
    typeof name === 'string' && options.functions?.includes(idOfFunction(name)) === false;
  if (!isFrontDoor && isLeftOut(config.name)) return [];
  // Wrangler's type has no shape for assets; Miniflare takes what wrangler gives.
  const { d1Databases, assets, serviceBindings = {}, durableObjects = {}, ...others } = workerOptions as V4Worker;
  const dropped = options.withoutBindings?.[config.name] ?? [];
  const files = assets?.directory === undefined ? undefined : filesWorker(`${config.name}-files`, assets);
  const worker: V4Worker = {
    ...others,
    // Wrangler gives databases by the name of their binding.
    d1Databases: Object.fromEntries(Object.entries(d1Databases ?? {}).filter(([name]) => !dropped.includes(name))),
    name: config.name,
    bindings: { ...(workerOptions.bindings ?? {}), ENVIRONMENT: 'development', ...allVars, ...vars[config.name] },
    durableObjects: without(durableObjects, (object) => isLeftOut(typeof object === 'object' && object.scriptName)),
    serviceBindings: {
      ...without(serviceBindings, (to) => isLeftOut(typeof to === 'object' && 'name' in to && to.name)),
      ...(files?.assets?.binding === undefined ? {} : { [files.assets.binding]: files.name }),
      ...moreServices[config.name],
    },
    modules: await bundleModules(options.mains?.[config.name] ?? main, { minify: config.minify === true }),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: isFrontDoor ? port : 0, proxy: false }],
  };
  return files === undefined ? [worker] : [worker, files];
};

const without = <T>(bindings: Record<string, T>, isLeftOut: (to: T) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(bindings).filter(([, to]) => !isLeftOut(to)));

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
  modules: await bundleModules(main),
  unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
});
