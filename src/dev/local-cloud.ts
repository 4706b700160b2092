import { join } from 'node:path';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { functionConfigs, ROOT } from './functions.ts';

type V4Worker = NonNullable<Extract<V4MiniflareOptions, { workers: unknown }>['workers']>[number];

export interface LocalCloudOptions {
  /** Where the gateway listens on 127.0.0.1; 0 picks a free port. */
  port: number;
  /** Folder for Durable Objects, KV and queues; absent: nothing outlives the process. */
  state?: string | undefined;
  /** Text variables that replace those of a function's configuration, by the function's name. */
  vars?: Record<string, Record<string, string>>;
  /** Text variables of all functions. */
  allVars?: Record<string, string>;
  /** Further functions that stand beside the product's own, as configuration files. */
  moreConfigs?: string[];
  /** Each line that a function logs. */
  onLog?: (line: string) => void;
}

export interface LocalCloud {
  /** The gateway's own socket, without a proxy in front of it. */
  url: URL;
  miniflare: Miniflare;
  stop(): Promise<void>;
}

/** Bundles every function and runs them all in one workerd, wired by their own wrangler configurations. */
export const startLocalCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  const configs = [...functionConfigs().map((file) => join(ROOT, file)), ...(options.moreConfigs ?? [])];
  const workers = await Promise.all(configs.map((file) => workerOf(file, options)));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }: { message: string }) => options.onLog?.(message),
      telemetry: { enabled: false },
      ...(options.state === undefined ? {} : { resourcePersistencePath: options.state }),
      workers,
    }),
  );
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL(workers[0]?.name ?? '');
  return { url, miniflare, stop: () => miniflare.dispose() };
};

const workerOf = async (file: string, { vars = {}, allVars = {}, port }: LocalCloudOptions): Promise<V4Worker> => {
  const config = unstable_readConfig({ config: file });
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config);
  if (config.name === undefined || main === undefined)
    throw new Error(`Cannot run ${file}: it names no function or no file`);
  const isFrontDoor = file === join(ROOT, 'wrangler.toml');
  return {
    ...workerOptions,
    name: config.name,
    bindings: { ...(workerOptions.bindings ?? {}), ENVIRONMENT: 'development', ...allVars, ...vars[config.name] },
    modules: [
      { type: 'ESModule', path: 'index.mjs', contents: await bundle(main, { minify: config.minify === true }) },
    ],
    unsafeDirectSockets: [{ host: '127.0.0.1', port: isFrontDoor ? port : 0, proxy: false }],
  };
};

/** Bundles as wrangler does for a deployment, in memory. */
export const bundle = async (entry: string, { minify = false } = {}): Promise<string> => {
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
  });
  return result.outputFiles[0]?.text ?? '';
};
