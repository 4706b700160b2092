import { join, relative, resolve } from 'node:path';
import type { V4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { buildAssets } from '../build/build-assets.ts';
import { bundleModules, type WorkerModule } from '../build/bundle-function.ts';
import { functionConfigs, idOfFunction, ROOT } from '../functions.ts';
import { usesWorkersAI } from '../release/configuration.ts';

export type V4Worker = NonNullable<
  Extract<V4MiniflareOptions, { workers: unknown }>['workers']
>[number];

/** A function as its configuration says, without its code. */
export interface InstalledFunction {
  name: string;
  /** The gateway, which has the configuration of the root. */
  isFrontDoor: boolean;
  /** Its entry file, from the root. */
  main: string;
  isMinified: boolean;
  usesWorkersAI: boolean;
  /** D1 databases: by the name of the binding, the id. */
  databases: Record<string, string>;
  options: V4Worker;
}

/** The functions that run on this machine, and their code. */
export interface Installation {
  functions(): InstalledFunction[];
  /** The code of an entry file, named from the root: first its module, then the binary files that it imports. */
  modules(main: string, options?: { minify?: boolean }): Promise<WorkerModule[]>;
  /** Makes the static files of the gateway, where they are missing or old. */
  prepareAssets(): Promise<void>;
}

/** A checkout: configurations are read and code is bundled at each start. The published package has `packaged-installation.ts` in place of this file. */
export const installation: Installation = {
  functions: () => functionConfigs().map(readFunction),
  modules: (main, options) => bundleModules(resolve(ROOT, main), options),
  prepareAssets: async () => {
    await buildAssets();
  },
};

const readFunction = (file: string): InstalledFunction => {
  const config = unstable_readConfig({ config: join(ROOT, file) });
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config);
  if (config.name === undefined || main === undefined)
    throw new Error(`Cannot run ${file}: it names no function or no file`);
  const databases: readonly { binding: string; database_id?: string }[] = config.d1_databases;
  return {
    name: config.name,
    isFrontDoor: file === 'wrangler.toml',
    main: relative(ROOT, main),
    isMinified: config.minify === true,
    usesWorkersAI: usesWorkersAI(idOfFunction(config.name)),
    databases: Object.fromEntries(
      databases.map(({ binding, database_id: id = binding }) => [binding, id]),
    ),
    // Wrangler's type has no shape for assets; Miniflare takes what wrangler gives.
    options: workerOptions as V4Worker,
  };
};
