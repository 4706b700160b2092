import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { buildAssets } from '../build/build-assets.ts';
import { functionConfigs, ROOT } from '../functions.ts';

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
  buildAssets();
  const workers = await Promise.all([
    ...functionConfigs().map((file) => workerOf(join(ROOT, file), options)),
    ...(options.moreWorkers ?? []).map((worker) => moreWorkerOf(worker, options)),
  ]);
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

const workerOf = async (file: string, options: LocalCloudOptions): Promise<V4Worker> => {
  const { vars = {}, allVars = {}, moreServices = {}, port } = options;
  const config = unstable_readConfig({ config: file });
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config);
  if (config.name === undefined || main === undefined)
    throw new Error(`Cannot run ${file}: it names no function or no file`);
  const isFrontDoor = file === join(ROOT, 'wrangler.toml');
  const { d1Databases, ...others } = workerOptions;
  const dropped = options.withoutBindings?.[config.name] ?? [];
  return {
    ...others,
    // Wrangler gives databases by the name of their binding.
    d1Databases: Object.fromEntries(Object.entries(d1Databases ?? {}).filter(([name]) => !dropped.includes(name))),
    name: config.name,
    bindings: { ...(workerOptions.bindings ?? {}), ENVIRONMENT: 'development', ...allVars, ...vars[config.name] },
    serviceBindings: { ...(workerOptions.serviceBindings ?? {}), ...moreServices[config.name] },
    modules: await bundleModules(options.mains?.[config.name] ?? main, { minify: config.minify === true }),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: isFrontDoor ? port : 0, proxy: false }],
  };
};

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

/** A module of a worker, as Miniflare takes it. */
export type WorkerModule =
  | { type: 'ESModule'; path: string; contents: string }
  | { type: 'Data'; path: string; contents: Uint8Array<ArrayBuffer> };

/** Cache of bundles: several workers may share a file, and a process may start the functions again. */
const bundles = new Map<string, Promise<WorkerModule[]>>();

/** Bundles as wrangler does for a deployment, in memory: the code first, then the binary files that it imports. */
export const bundleModules = (entry: string, { minify = false } = {}): Promise<WorkerModule[]> => {
  const key = JSON.stringify([entry, minify]);
  const bundling = bundles.get(key) ?? buildModules(entry, minify);
  bundles.set(key, bundling);
  return bundling;
};

const buildModules = async (entry: string, minify: boolean): Promise<WorkerModule[]> => {
  const data = new Map<string, string>();
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
    plugins: [dataModules(data)],
  });
  const code = { type: 'ESModule' as const, path: 'index.mjs', contents: result.outputFiles[0]?.text ?? '' };
  const files = [...data].map(([path, file]) => ({
    ...{ type: 'Data' as const, path },
    contents: Uint8Array.from(readFileSync(file)),
  }));
  return [code, ...files];
};

/** The code alone, for functions that import no binary file. */
export const bundle = async (entry: string, options?: { minify?: boolean }): Promise<string> => {
  const [code, ...data] = await bundleModules(entry, options);
  if (code?.type !== 'ESModule' || data.length > 0) throw new Error(`Cannot bundle ${entry} as one file: it has data`);
  return code.contents;
};

/** Keeps imports of binary files external for workerd, and records their paths. */
const dataModules = (found: Map<string, string>): Plugin => ({
  name: 'data modules',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\.bin$/ }, ({ path, resolveDir }) => {
      const name = basename(path);
      found.set(name, resolve(resolveDir, path));
      return { path: `./${name}`, external: true };
    });
  },
});
